#!/bin/sh
# Draws the pictures of README.md and docs/ again. Those of the viewer's window are made by scripts/viewer-pictures.sh, and those of the
# solvers' pages by scripts/solver-passes.sh.
#
#   scripts/pictures.sh [SINEW]     default: target/release/sinew, which is built first
set -eu
cd "$(dirname "$0")/.."
for tool in convert montage; do
    command -v "$tool" > /dev/null || { echo "pictures: $tool is not installed (package imagemagick)" >&2; exit 3; }
done
sinew="${1:-}"
if [ -z "$sinew" ]; then
    cargo build --release --quiet
    sinew=target/release/sinew
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
draw() { "$sinew" render "$@" --quiet; }
# Compresses a picture as much as possible.
small() { convert "$1" -strip -alpha off -define png:compression-level=9 "$2"; }

# The built-in characters
draw --animation walk --animation-time 0.3 --framing tight --resolution 400,400 -o "$work/mannequin.png"
for name in arm tentacle spider awkward; do
    draw "assets/$name.glb" --framing tight --resolution 400,400 -o "$work/$name.png"
done
for name in mannequin arm tentacle spider awkward; do small "$work/$name.png" "docs/cast/$name.png"; done

# The lights
for light in studio outdoor flat classic; do
    draw --animation walk --animation-time 0.3 --light "$light" --resolution 320,400 --framing tight -o "$work/light-$light.png"
done
convert "$work/light-studio.png" "$work/light-outdoor.png" "$work/light-flat.png" "$work/light-classic.png" +append "$work/light.png"
small "$work/light.png" docs/light.png

# A blend of clips, and a transition with a goal
cat > "$work/goal.motion.toml" << 'END'
version = 1
plant = true

[[strip]]
clips = "walk"
looping = true
seconds = 2.0

[[strip]]
clips = "crouch"
overlap = 0.6

[[edit]]
time = 3.2
reach = { rightHand = [-0.45, 1.5, 0.35] }
END
view="--camera-position=2.1,1.5,2.9 --camera-focal-point=0,0.85,0 --camera-view-angle=34 --resolution=300,340"
for step in 0 1 2 3 4; do
    # shellcheck disable=SC2086 # the words are separate arguments
    draw --animation walk --blend "run=0.$((step * 2))5" --animation-time "0.$((step * 2))" $view -o "$work/blend-$step.png"
done
step=0
for time in 0.9 1.6 2.2 2.7 3.2; do
    # shellcheck disable=SC2086
    draw --motion "$work/goal.motion.toml" --animation-time $time $view -o "$work/goal-$step.png"
    step=$((step + 1))
done
montage "$work"/blend-?.png "$work"/goal-?.png -tile 5x2 -geometry +0+0 "$work/motion.png"
small "$work/motion.png" docs/motion.png

# Linear blend and dual quaternion skinning
twist='leftLowerArm=0.906,0,0,0.423'
near="--camera-position=0.75,1.25,0.95 --camera-focal-point=0.42,1.12,0 --camera-view-angle=30 --resolution=480,360"
for kind in linear dual-quaternion; do
    # shellcheck disable=SC2086
    draw --rotate "$twist" --skinning $kind $near -o "$work/$kind.png"
done
convert "$work/linear.png" "$work/dual-quaternion.png" +append "$work/skinning.png"
small "$work/skinning.png" docs/skinning.png

# A crowd
"$sinew" crowd --count 200 --resolution 1280,560 -o "$work/crowd.png" --quiet
small "$work/crowd.png" docs/crowd.png

# Dragged parts, as animated pictures
draw --replay docs/drag.session --frames 0..96 --fps 24 -o "$work/drag-{frame:04}.png"
cargo run --quiet --example animate -- 24 docs/drag.png "$work"/drag-*.png
cargo run --quiet --example drag -- compare "$work/compare.session"
draw --replay "$work/compare.session" --frames 0..96 --fps 24 -o "$work/compare-{frame:04}.png"
cargo run --quiet --example animate -- 24 docs/compare.png "$work"/compare-*.png
python3 scripts/body-pictures.py "$sinew" docs/body/hips-and-hand.png
