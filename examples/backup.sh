#!/bin/sh
# Back up a data directory (SQLite, embedded indexes, keys, caches) while it is served.
#
# backup.sh DATA_DIR FILE.tar    The file must not exist.
# The log of queries stays out, so that nothing in it lives longer than [queries] keep_days says.
# It takes the build lock: builds and removals wait or are refused meanwhile, and searches and promotions go on.
set -eu
data=$1 file=$2
[ ! -e "$file" ] || { echo "$file exists already." >&2; exit 2; }
exec 9>> "$data/catalog.sqlite.build-lock"
flock 9
copy=$(mktemp -d "$file.XXXXXX")
trap 'rm -rf "$copy"' EXIT
# The copy of an open database by SQLite itself; cp would tear it.
python3 -I - "$data/catalog.sqlite" "$copy/catalog.sqlite" << 'END'
import sqlite3, sys
source, target = (sqlite3.connect(path) for path in sys.argv[1:])
source.backup(target)
target.close()
END
# Files of an index have holes: a small one takes 0.2 MB of the disk, and 100 MB with its holes written out.
sparse=
case $(tar --version 2> /dev/null) in *GNU*) sparse=--sparse ;; esac
tar $sparse -cf "$copy/all.tar" -C "$data" --exclude='./catalog.sqlite*' --exclude='./queries.sqlite*' .
tar -rf "$copy/all.tar" -C "$copy" ./catalog.sqlite
mv "$copy/all.tar" "$file"
