#!/bin/sh
# Redraws the pictures of README.md and docs/. scripts/viewer-pictures.sh makes the pictures of the viewer's window, and
# scripts/solver-passes.sh makes those in the solvers' pages.
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

# Crowds
"$sinew" crowd --count 200 --resolution 1280,560 -o "$work/crowd.png" --quiet
small "$work/crowd.png" docs/crowd.png
"$sinew" crowd assets/mannequin.glb assets/spider.glb --count 60 --terrain flat --resolution 960,400 -o "$work/mixed.png" --quiet
small "$work/mixed.png" docs/crowd-mixed.png

# The first steps: a doll at rest, touching the floor, and walking with the clip of the mannequin
doll="--framing=tight --resolution=320,400"
# shellcheck disable=SC2086
draw assets/awkward.glb $doll -o "$work/start-rest.png"
# shellcheck disable=SC2086
draw assets/awkward.glb --reach hand.L=0.15,0.15,0.3 --mode skeleton --ground on --shadow on $doll -o "$work/start-touch.png"
"$sinew" bake assets/awkward.glb --clips assets/mannequin.glb --animation walk --quiet -o "$work/doll-walk.glb"
# shellcheck disable=SC2086
draw "$work/doll-walk.glb" --animation baked --animation-time 0.3 $doll -o "$work/start-walk.png"
convert "$work/start-rest.png" "$work/start-touch.png" "$work/start-walk.png" +append "$work/start.png"
small "$work/start.png" docs/start.png

# Draws the mannequin with goals and its skeleton: file, goals.
figure="--mode=skeleton --ground=on --shadow=on --camera-position=1.6,1.2,2.75 --camera-focal-point=0.05,0.98,0.1"
figure="$figure --camera-view-angle=46 --resolution=240,300"
figure() {
    image="$1"; shift
    # shellcheck disable=SC2086
    draw assets/mannequin.glb $figure -o "$work/$image.png" "$@"
}
# Puts two images side by side.
pair() { convert "$work/$1.png" "$work/$2.png" +append "$work/pair.png" && small "$work/pair.png" "$3"; }

# A hand is pulled: the whole body, the arm, another base, and a pole
figure pose-body --reach leftHand=0.45,1.0,0.55
figure pose-limb --base leftUpperArm --reach leftHand=0.45,1.0,0.55
figure pose-base --base rightHand --reach leftHand=0.45,1.0,0.55
figure pose-pole --base leftUpperArm --reach leftHand=0.3,1.15,0.4 --pole leftHand=0.8,2.2,-0.2
convert "$work/pose-body.png" "$work/pose-limb.png" "$work/pose-base.png" "$work/pose-pole.png" +append "$work/posing.png"
small "$work/posing.png" docs/posing.png

# A limb alone, and the whole body
figure reach-limb --base leftUpperArm --reach leftHand=0.3,1.98,0.3
figure reach-body --reach leftHand=0.3,1.98,0.3
pair reach-limb reach-body docs/body/reach.png
figure down-limb --base leftUpperArm --reach leftHand=0.62,0.55,0.1 --pin leftFoot --pin rightFoot
figure down-body --reach leftHand=0.62,0.55,0.1 --pin leftFoot --pin rightFoot
pair down-limb down-body docs/body/hand-down.png
figure floor-limb --base leftUpperArm --reach leftHand=0.35,0.12,0.35
figure floor-body --reach leftHand=0.35,0.12,0.35
pair floor-limb floor-body docs/body/hand-to-floor.png
figure hips-rest
figure hips-body --reach hips=0,0.62,0
pair hips-rest hips-body docs/body/hips-down.png

# Dragged parts, as animated pictures
draw --replay docs/drag.session --frames 0..96 --fps 24 -o "$work/drag-{frame:04}.png"
cargo run --quiet -p sinew-tools --bin animate -- 24 docs/drag.png "$work"/drag-*.png
cargo run --quiet -p sinew-tools --bin drag_session -- compare "$work/compare.session"
draw --replay "$work/compare.session" --frames 0..96 --fps 24 -o "$work/compare-{frame:04}.png"
cargo run --quiet -p sinew-tools --bin animate -- 24 docs/compare.png "$work"/compare-*.png
python3 scripts/body-pictures.py "$sinew" docs/body/hips-and-hand.png
# The adventurer is not part of the repository (docs/test-data.md).
if [ -n "${SINEW_TEST_DATA:-}" ]; then
    adventurer="$SINEW_TEST_DATA/models/quaternius/modular_men/Adventurer/Adventurer.glb"
    python3 scripts/body-pictures.py "$sinew" docs/body/belt-down.png "$adventurer" Hips
fi
