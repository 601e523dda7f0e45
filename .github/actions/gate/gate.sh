#!/usr/bin/env bash
# Run assay gate with the inputs of the action, which are variables GATE_*. It also works outside GitHub:
#
#   GATE_QRELS=qrels.txt GATE_RUN=new.run GATE_BASELINE=baseline.json GATE_MARGINS='AP=2%' bash gate.sh
#
# The exit code is 0 if the gate passes, 1 if it fails and 2 after invalid input. If the gate is undecided, it is 0, or 1
# with GATE_UNDECIDED=block.
set -u

for name in QRELS RUN BASELINE MARGINS; do
    variable="GATE_$name"
    if [ -z "${!variable:-}" ]; then
        echo "gate: $variable is empty; set the input $(echo "$name" | tr '[:upper:]' '[:lower:]')" >&2
        exit 2
    fi
done
undecided="${GATE_UNDECIDED:-warn}"
case "$undecided" in
warn | block) ;;
*)
    echo "gate: GATE_UNDECIDED=$undecided: choose warn or block" >&2
    exit 2
    ;;
esac

words=("$GATE_QRELS")
# add_lines FLAG TEXT: add each line of a text that is not empty, after a flag unless the flag is empty.
add_lines() {
    local line
    while IFS= read -r line || [ -n "$line" ]; do
        line="${line%$'\r'}"
        line="${line#"${line%%[![:space:]]*}"}"
        line="${line%"${line##*[![:space:]]}"}"
        [ -z "$line" ] || words+=(${1:+"$1"} "$line")
    done <<<"$2"
}
add_lines "" "$GATE_RUN"
add_lines --baseline "$GATE_BASELINE"
add_lines --margin "$GATE_MARGINS"
add_lines --watch "${GATE_WATCH:-}"
add_lines --topics-table "${GATE_TOPICS_TABLE:-}"
add_lines --by "${GATE_BY:-}"
add_lines --markdown "${GATE_MARKDOWN:-}"
add_lines --junit "${GATE_JUNIT:-}"
add_lines "" "${GATE_OPTIONS:-}"
[ "$undecided" = warn ] || words+=(--on-undecided fail)

"${GATE_COMMAND:-assay}" gate "${words[@]}" --github
code=$?
case "$code" in
2) echo "::error title=assay gate::the gate could not run; the log of this step names the problem" ;;
3) code=0 ;;
esac
exit "$code"
