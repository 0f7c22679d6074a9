#!/usr/bin/env bash
# Put a file into the pull request's comment of this action; writes it once and then replaces it.
#
# comment.sh FILE    PULL_REQUEST: its number. GITHUB_REPOSITORY, GH_TOKEN: as GitHub sets them.
set -euo pipefail

# GitHub refuses a longer comment. -I: without it Python would import modules of the pull request.
python3 -I - "$1" << 'END'
import pathlib, sys
file = pathlib.Path(sys.argv[1])
text = file.read_text("utf-8")
if len(text) > 65_000:
    kept = text[:64_000].rpartition("\n")[0]
    file.write_text(f"{kept}\n\n</details>\n\n… cut here: the summary of the job has all of it.\n", "utf-8")
END

comments=repos/$GITHUB_REPOSITORY/issues
ours='.[] | select(.user.type == "Bot" and (.body | startswith("<!-- assay -->"))) | .id'
earlier=$(gh api --paginate "$comments/$PULL_REQUEST/comments" --jq "$ours" | head -n 1)
if [ -n "$earlier" ]; then
    gh api --silent --method PATCH "$comments/comments/$earlier" --field "body=@$1"
else
    gh api --silent --method POST "$comments/$PULL_REQUEST/comments" --field "body=@$1"
fi
