#!/bin/sh
# Checks how the whole body follows a pulled joint. It uses the built-in character, the given files, or all characters under a folder.
#
#     scripts/body-checks.sh [OPTIONS] [FILE|FOLDER]...
#
# The options and the checks are described in tools/programs/body_checks.rs.
set -eu
cd "$(dirname "$0")/.."
exec cargo run --quiet -p sinew-tools --bin body_checks -- "$@"
