#!/usr/bin/env bash
# Build and measure the documentation of the working tree, compare it with that of the commit BASE, and write a comment.
#
# measure.sh FILE    FILE: the comment, in Markdown. The variables are the inputs of action.yml; settings of Assay
#                    (ASSAY_GATE__ALLOW_REMOVALS, ...) apply too.
# Exit code: 0 passed, 1 failed or worse, 3 undecided (if FAIL_IF_UNDECIDED is true), else that of the command that failed.
set -euo pipefail

comment=$(realpath -m "$1")
work=$(mktemp -d)
trap 'git worktree remove --force "$work/base" 2> /dev/null || true; rm -rf "$work"' EXIT
export ASSAY_DATA_DIR=$work/data NO_COLOR=1 COLUMNS=120

config=()
[ -z "${CONFIG:-}" ] || config=(--config "$CONFIG")
source=()
if [ -n "${SOURCE:-}" ]; then
    # One name for both: the same pages are compared.
    source=("$SOURCE" --name "$(basename "$(realpath -m "$SOURCE")")")
    [ -z "${BASE_URL:-}" ] || source+=(--base-url "$BASE_URL")
fi

finish() { # exit code, sentence
    [ -s "$comment" ] || printf '<!-- assay -->\n**Assay**: %s\n' "$2" > "$comment"
    [ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$comment" >> "$GITHUB_STEP_SUMMARY"
    echo "$2"
    [ "$1" != 3 ] || [ "${FAIL_IF_UNDECIDED:-false}" = true ] || exit 0
    exit "$1"
}

rm -f "$comment"
git worktree add --quiet --detach "$work/base" "$BASE"
based=true
(cd "$work/base" && assay publish "${config[@]}" "${source[@]}" --no-testset) || based=false

code=0
assay ingest "${config[@]}" "${source[@]}" --json > "$work/build.json" || code=$?
[ "$code" = 0 ] || finish "$code" "the documentation cannot be built; the log of the job says why."
# -I: without it Python would import json.py of the pull request.
if [ "$(python3 -I -c 'import json, sys; print(json.load(open(sys.argv[1]))["unchanged"])' "$work/build.json")" = True ]; then
    finish 0 "no page changed."
fi

testset=${TESTSET:-}
if [ -z "$testset" ] && [ "$based" = true ]; then
    testset=$work/derived.testset.yaml
    assay testset derive "${config[@]}" --generation live --output "$testset" > /dev/null || testset=
fi
topics=(--no-testset)
[ -z "$testset" ] || topics=(--testset "$testset")

verdict=0
assay validate "${config[@]}" "${topics[@]}" --generation candidate --output-dir "$work/reports" || verdict=$?
{
    echo '<!-- assay -->'
    cat "$work"/reports/*.md
} > "$comment"

worse=0
if [ "$based" = true ] && [ -n "$testset" ]; then
    rule=()
    [ "${FAIL_IF_WORSE:-any}" = off ] || rule=(--fail-if-worse "${FAIL_IF_WORSE:-any}")
    assay compare "${config[@]}" live candidate --testset "$testset" "${rule[@]}" > "$work/compared.txt" || worse=$?
    # Indented text is code whatever it says.
    printf '\n<details><summary>Compared with the base</summary>\n\n%s\n\n</details>\n' \
        "$(sed 's/^/    /' "$work/compared.txt")" >> "$comment"
fi

case "$verdict $worse" in
    "0 0") finish 0 "PASS" ;;
    "3 0" | "0 3" | "3 3") finish 3 "INCONCLUSIVE" ;;
    "0 1" | "3 1") finish 1 "worse than the base" ;;
    "0 "* | "3 "*) finish "$worse" "the comparison with the base failed; the log of the job says why." ;;
    *) finish "$verdict" "FAIL" ;;
esac
