#!/bin/sh
# Retargets takes to characters, and checks the results with `sinew check`.
#
#     scripts/retarget-pairs.sh [-v] TAKE[#CLIP]… -- CHARACTER…
#
# tools/programs/retarget_pairs.rs explains the table.
set -eu
cd "$(dirname "$0")/.."
exec cargo run --quiet -p sinew-tools --bin retarget_pairs -- "$@"
