#!/bin/sh
# Draws docs/robots.png: six robots of PyPI's example-robot-data.
#
#   pip download --no-deps example-robot-data -d DIR && unzip -q DIR/*.whl -d DIR
#   scripts/robot-picture.sh DIR [SINEW]     default: target/release/sinew, which is built first
set -eu
robots=$(find "$1" -type d -path '*example-robot-data/robots' -print -quit)
[ -n "$robots" ] || { echo "robot-picture: $1 has no folder example-robot-data/robots" >&2; exit 2; }
robots=$(cd "$robots" && pwd)
cd "$(dirname "$0")/.."
for tool in convert montage; do
    command -v "$tool" > /dev/null || { echo "robot-picture: $tool is not installed (package imagemagick)" >&2; exit 3; }
done
sinew="${2:-}"
if [ -z "$sinew" ]; then
    cargo build --release --quiet
    sinew=target/release/sinew
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# draw NAME FILE 'JOINT=VALUE ...': the joints that are not named stay at rest.
draw() {
    printf '{' > "$work/q.json"
    separator=
    for value in $3; do
        printf '%s"%s": %s' "$separator" "${value%=*}" "${value#*=}" >> "$work/q.json"
        separator=', '
    done
    printf '}' >> "$work/q.json"
    "$sinew" render "$robots/$2" --q "$work/q.json" --framing tight --resolution 360,360 --quiet -o "$work/$1.png"
}
draw panda panda_description/urdf/panda.urdf \
    'panda_joint2=-0.5 panda_joint4=-2.2 panda_joint6=1.8 panda_joint7=0.785 panda_finger_joint1=0.03'
draw ur5 ur_description/urdf/ur5_robot.urdf \
    'shoulder_pan_joint=2.2 shoulder_lift_joint=-1.2 elbow_joint=1.5 wrist_1_joint=-1.9 wrist_2_joint=-1.57'
draw kinova kinova_description/robots/kinova.urdf \
    'j2s6s200_joint_1=2.2 j2s6s200_joint_2=3.9 j2s6s200_joint_3=1.6 j2s6s200_joint_5=1.2'
draw anymal anymal_b_simple_description/robots/anymal.urdf \
    'LF_HFE=0.6 LF_KFE=-1.2 RF_HFE=0.6 RF_KFE=-1.2 LH_HFE=-0.6 LH_KFE=1.2 RH_HFE=-0.6 RH_KFE=1.2'
draw g1 g1_description/urdf/g1_29dof_rev_1_0.urdf ''
draw talos talos_data/robots/talos_full_v2.urdf ''
montage "$work/panda.png" "$work/ur5.png" "$work/kinova.png" "$work/anymal.png" "$work/g1.png" "$work/talos.png" \
    -tile 3x2 -geometry +0+0 "$work/robots.png"
convert "$work/robots.png" -strip -alpha off -colors 255 -define png:compression-level=9 docs/robots.png
