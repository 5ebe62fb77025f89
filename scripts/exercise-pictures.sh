#!/bin/sh
# Draws the images of docs/exercises.
#   scripts/exercise-pictures.sh [SINEW [OWN_SOLVER]]     default: target/release/sinew and the example own_solver, which are built first
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

# The bare arms of the pages: a skeleton without a mesh, seen from the front.
scratch="$(mktemp -d)"
trap 'rm -r "$scratch"' EXIT
# Writes a file that a page shows below a line with the file's name. Arguments: page, name.
shown() {
    awk -v name="*\`$2\`:*" '$0 == name { wanted = 1 } /^```/ { if (inside) exit; if (wanted) { inside = 1; next } } inside' \
        "docs/exercises/$1" > "$scratch/$2"
}
shown 01-ccd-by-hand.md planar.gltf
shown 02-null-space-weights.md stiff.rig.toml
shown 09-capture-fit.md torso.gltf
shown 09-capture-fit.md take.csv
bent="--rotate elbow=0,0,0.7071,0.7071"
front="--mode skeleton --camera-position 2,2.2,13 --camera-focal-point 2,2.2,0"
# shellcheck disable=SC2086 # the words are separate arguments
{
    draw docs/exercises/01-pass.png "$scratch/planar.gltf" $bent --reach tip=2,1,0 --method ccd --iterations 1 $front
    draw docs/exercises/02-plain.png "$scratch/planar.gltf" $bent --reach tip=4.5,4.5,0 --method pseudo-inverse --iterations 1 $front
    draw docs/exercises/02-stiff.png "$scratch/planar.gltf" $bent --rig "$scratch/stiff.rig.toml" --reach tip=4.5,4.5,0 \
        --method pseudo-inverse --iterations 1 $front
    draw docs/exercises/02-both.png "$scratch/planar.gltf" $bent --rig "$scratch/stiff.rig.toml" --reach tip=4.5,4.5,0 \
        --method pseudo-inverse --option jacobian.secondary=rest --iterations 1 $front
    draw docs/exercises/05-sweep.png "$scratch/planar.gltf" $bent --reach tip=4,6,0 --method particle --option textbook=true --iterations 1 $front
    draw docs/exercises/06-closed.png "$scratch/planar.gltf" $bent --reach tip=3,4,0 --method fused --option fused.alpha=1 --iterations 1 $front
    draw docs/exercises/06-midpoint.png "$scratch/planar.gltf" $bent --reach tip=3,4,0 --method fused --option fused.first_weight=1 \
        --option fused.last_weight=1 --option fused.alpha=0 --iterations 1 $front
    draw docs/exercises/07-methods.png "$scratch/planar.gltf" $bent --reach tip=3,4,0 --method fused --compare ccd $front
    draw docs/exercises/09-fit.png "$scratch/torso.gltf" --clips "$scratch/take.csv" --animation take --animation-time 1 --mode skeleton \
        --camera-position 0.55,0.95,1.35 --camera-focal-point 0.12,0.5,0
}
# Exercise 10 adds a method to the program.
own="${2:-}"
if [ -z "$own" ]; then
    cargo build --release --quiet --example own_solver
    own="${CARGO_TARGET_DIR:-target}/release/examples/own_solver"
fi
sinew="$own"
draw docs/exercises/10-own.png assets/tentacle.glb --reach segment_39=0.4,1.2,0.3 --no-limits --compare ccd,triangulation \
    --camera-position -1.3,1.2,2.7 --camera-focal-point 0.12,0.83,0.22
