#!/bin/sh
# Adds known faults to clean clips under some folders, and measures how many of them `sinew check` finds and `sinew mend` repairs.
#
#     scripts/check-corpus.sh [-v] [OPTIONS] [FILE|FOLDER]…
#
# The options are described in tools/programs/check_corpus.rs, and the table in docs/decisions/checks.md.
set -eu
cd "$(dirname "$0")/.."
exec cargo run --quiet -p sinew-tools --bin check_corpus -- "$@"
