#!/bin/sh
# Performs the gestures of tests/gestures with all characters under a folder, and prints which of them pass.
#
#     scripts/gestures.sh [OPTIONS] FOLDER
#
# The options and the letters of the table are described in tools/programs/gestures.rs.
set -eu
cd "$(dirname "$0")/.."
exec cargo run --quiet -p sinew-tools --bin gestures -- "$@"
