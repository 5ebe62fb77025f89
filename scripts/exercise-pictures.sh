#!/bin/sh
# Draws the images of docs/exercises.
#   scripts/exercise-pictures.sh [SINEW]     default: target/release/sinew, which is built first
set -eu
cd "$(dirname "$0")/.."

sinew="${1:-}"
if [ -z "$sinew" ]; then
    cargo build --release --quiet
    sinew="${CARGO_TARGET_DIR:-target}/release/sinew"
fi

# Draws an image: file, then the arguments of `sinew render`.
draw() {
    file="$1"; shift
    "$sinew" render "$@" --resolution 240,240 --quiet --output "$file"
}

for method in ccd fabrik dls; do
    draw "docs/exercises/03-$method.png" assets/tentacle.glb --reach segment_39=0.4,1.2,0.3 --no-limits --method "$method" --mode skeleton \
        --camera-position -1.3,1.2,2.7 --camera-focal-point 0.12,0.93,0.22
done
for law in arm angle; do
    value=$law
    [ "$law" = arm ] || value=angle:60deg
    draw "docs/exercises/04-$law.png" assets/mannequin.glb --base leftUpperArm --reach leftHand=0.35,1.3,0.35 --method two-bone --no-limits \
        --option "limb.swivel=$value" --camera-position 1.1,1.5,1.4 --camera-focal-point 0.15,1.25,0.1
done
side="--camera-position -2.4,0.9,0.3 --camera-focal-point 0,0.85,0"
# shellcheck disable=SC2086 # the words are separate arguments
{
    draw docs/exercises/08-walk.png assets/mannequin.glb --animation walk --animation-time 0.33333 $side
    draw docs/exercises/08-blend.png assets/mannequin.glb --animation walk --blend run=0.5 --animation-time 0.32381 $side
    draw docs/exercises/08-run.png assets/mannequin.glb --animation run --animation-time 0.3 $side
}
