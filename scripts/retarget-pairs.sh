#!/bin/sh
# Retargets takes to characters, and checks the results with `sinew check`.
#
#     scripts/retarget-pairs.sh [-v] TAKE[#CLIP]… -- CHARACTER…
#
# examples/retarget_pairs.rs explains the table.
set -eu
cd "$(dirname "$0")/.."
exec cargo run --quiet --no-default-features --features character,fbx,meshopt --example retarget_pairs -- "$@"
