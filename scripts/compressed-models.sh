#!/bin/sh
# Compresses a model with third-party encoders (Draco, WebP and KTX2 with ETC1S and UASTC), and checks that sinew opens the results
# without warnings. Needs Node.js and a network for npm.
#
#     scripts/compressed-models.sh MODEL.glb    # writes target/compressed/
#     scripts/compressed-models.sh --images     # writes the small images in fuzz/webp and src/character/asset/ktx2
set -eu
[ $# -eq 1 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
cd "$(dirname "$0")/.."
out=target/compressed
mkdir -p "$out"
cp scripts/compressed-models.mjs "$out/"
[ -d "$out/node_modules/sharp" ] || npm install --silent --prefix "$out" @gltf-transform/core@4 @gltf-transform/extensions@4 \
    @gltf-transform/functions@4 draco3dgltf@1 ktx2-encoder@0.6 sharp@0.34
node "$out/compressed-models.mjs" "$1"
[ "$1" != --images ] || exit 0
cargo build --quiet --bin sinew
for model in "$out"/*.glb; do
    warnings=$(target/debug/sinew inspect "$model" 2>&1 >/dev/null)
    [ -z "$warnings" ] || { echo "$model: $warnings" >&2; exit 1; }
    echo "$model"
done
