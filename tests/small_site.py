"""A small documentation site of twelve pages, as a new user has one: few links, so that few topics are derived."""

from pathlib import Path

from tests.folders import plant

LOGIN = "# Sign in\n\nPlease sign in to continue. Enter your user name and your password to see this page.\n"

PAGES = {
    "index.md": """# Kestrel backup

Kestrel copies folders of a workstation to a repository on another machine, every night or on demand. Begin with
[installing the client](install.md), then decide [which folders to back up](selection.md).
""",
    "install.md": """# Installation

The client runs on Linux and on macOS. Add the package source, install `kestrel`, and run `kestrel init` as root: it
creates the service account and a key pair for this machine. The public key goes to the administrator of the server,
who has to accept it before the first run. To remove it all, read [uninstalling the client](uninstall.md).
""",
    "selection.md": """# Selecting folders

A plan lists folders and patterns. Patterns with an exclamation mark leave files out, such as caches and thumbnails.
Files over the size limit are skipped with a warning. Symbolic links are stored as links and never followed, and mount
points of other disks are left out unless the plan names them. See also [schedules and quiet hours](schedule.md).
""",
    "schedule.md": """# Schedules

Each plan has a schedule in cron's syntax. Within quiet hours no job starts, and a job that still runs is throttled to
one tenth of the bandwidth. A laptop that slept through its slot makes up for it after twenty minutes on mains power.
What happens when a night is missed is told under [missed runs and alarms](alarms.md).
""",
    "encryption.md": """# Encryption

Chunks are encrypted on the workstation with a key that never leaves it. The passphrase protects that key; without
the passphrase and the recovery sheet nobody can read the repository again, not even its administrator. Print the
sheet when the repository is created and keep it in a safe. Rotating keys rewrites the index and not the chunks.
""",
    "restore.md": """# Restoring files

`kestrel mount` shows every snapshot as a folder, from which single files are copied. A whole machine is restored from
the rescue image, which partitions the disk, asks for the passphrase and fetches the newest snapshot. Owners, access
lists and extended attributes come back too. Before that, look for [passphrases and recovery sheets](encryption.md).
""",
    "retention.md": """# Retention

Snapshots thin out with age: all of the last week, one a week for three months, then one a month for two years. Held
snapshots are kept until the hold is released. Space is freed by the nightly prune, which needs an exclusive lock.
Its cost in storage is estimated in [sizing the repository](sizing.md).
""",
    "sizing.md": """# Sizing

Plan for one and a half times the first full copy, plus three per cent of it for each month that is kept. Photos and
videos hardly shrink by deduplication, while mail folders and virtual machines share most of their chunks. The index
needs one gigabyte of memory for each ten million chunks on the server.
""",
    "alarms.md": """# Alarms

An alarm is raised when a plan has had no successful run for three days. It goes by mail to the owner, and after a week
to the administrator too. Acknowledged alarms stay silent for a fortnight. Read [job logs and error numbers](logs.md)
for the cause, which is most often a full disk or a changed host key.
""",
    "logs.md": """# Logs

Every job writes a line for its start, its end and each file that could not be read, with the errno of the system
call. Verbose logs list each uploaded chunk. Logs rotate after ten megabytes; the last five are compressed and kept in
`/var/log/kestrel`. Support asks for the job id, which is the first word of each line.
""",
    "network.md": """# Network and proxies

The client speaks to port 8443 only, outbound. Proxies that intercept TLS must be exempted, for the client pins the
server's certificate. Bandwidth limits are set per network name, so that a phone's hotspot costs nothing. When jobs
run is explained in [schedules and quiet hours](schedule.md).
""",
    "uninstall.md": """# Uninstalling

Stop the service, remove the package and delete the key pair under `/etc/kestrel`. The repository keeps all snapshots
until the administrator revokes the machine; then they expire as [old snapshots thin out](retention.md). A workstation
that is handed on should be revoked first, so that its successor cannot read old files.
""",
}

ENCRYPTION_REWORDED = """# Encryption

All chunks get encrypted on your workstation before upload, and the key for it stays there. A passphrase guards the
key. If you lose both the passphrase and the recovery sheet, the repository is unreadable for everybody, including
the administrator. So print the recovery sheet as soon as you create a repository, and put it into a safe. When you
rotate keys, only the index is rewritten; chunks are left as they are.
"""


def plant_small_site(root: Path) -> Path:
    """Write the pages into a folder."""
    return plant(root, PAGES)
