#!/bin/sh
# Adds known faults to clean clips under some folders, and measures how many of them `sinew check` finds and `sinew mend` repairs.
#
#     scripts/check-corpus.sh [-v] [OPTIONS] [FILE|FOLDER]…
#
# The options are described in examples/check_corpus.rs, and the table in docs/decisions/checks.md.
set -eu
cd "$(dirname "$0")/.."
exec cargo run --quiet --no-default-features --features character,fbx,meshopt --example check_corpus -- "$@"
