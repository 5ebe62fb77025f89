#!/bin/sh
# Checks how the whole body follows a pulled joint. It uses the built-in character, the given files, or all characters under a folder.
#
#     scripts/body-checks.sh [OPTIONS] [FILE|FOLDER]...
#
# The options and the checks are described in examples/body_checks.rs.
set -eu
cd "$(dirname "$0")/.."
exec cargo run --quiet --no-default-features --features render --example body_checks -- "$@"
