#!/bin/sh
# Draws the images of docs/exercises.
#   scripts/exercise-pictures.sh [SINEW]     default: target/release/sinew, which is built first
set -eu
cd "$(dirname "$0")/.."
out=docs/exercises

sinew="${1:-}"
if [ -z "$sinew" ]; then
    cargo build --release --quiet
    sinew="${CARGO_TARGET_DIR:-target}/release/sinew"
fi

# Draws an image: file, then the arguments of `sinew render`.
draw() {
    file="$1"; shift
    "$sinew" render "$@" --resolution 240,240 --quiet --output "$out/$file.png"
}

for method in ccd fabrik dls; do
    draw "03-$method" assets/tentacle.glb --reach segment_39=0.4,1.2,0.3 --no-limits --method "$method" --mode skeleton \
        --camera-position -1.3,1.2,2.7 --camera-focal-point 0.12,0.93,0.22
done
for law in arm angle:60deg; do
    draw "04-${law%%:*}" assets/mannequin.glb --base leftUpperArm --reach leftHand=0.35,1.3,0.35 --method two-bone --no-limits \
        --option "limb.swivel=$law" --camera-position 1.1,1.5,1.4 --camera-focal-point 0.15,1.25,0.1
done
side="--camera-position -2.4,0.9,0.3 --camera-focal-point 0,0.85,0"
# shellcheck disable=SC2086 # the words are separate arguments
{
    draw 08-walk assets/mannequin.glb --animation walk --animation-time 0.33333 $side
    draw 08-blend assets/mannequin.glb --animation walk --blend run=0.5 --animation-time 0.32381 $side
    draw 08-run assets/mannequin.glb --animation run --animation-time 0.3 $side
}
