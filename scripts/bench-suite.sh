#!/bin/sh
# What a case of a suite costs beside a picture drawn alone: 300 cases on the cast at 256 x 256, by one `sinew test` and by
# single `sinew render` runs of twenty of them, in turns, since machines are not equally quick at all times.
#   scripts/bench-suite.sh [TURNS]     5 turns unless told; prints the times of each, and the ratio of their medians
set -eu
cd "$(dirname "$0")/.."
turns="${1:-5}"
cargo build --release --quiet
sinew="${CARGO_TARGET_DIR:-target}/release/sinew"
cast="$PWD/assets"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# Numbers from $1 by steps of $2, $3 of them, with commas between.
steps() { awk -v from="$1" -v by="$2" -v n="$3" 'BEGIN { for (i = 0; i < n; i++) printf "%s%g", i ? ", " : "", from + i * by }'; }

# Sixty cases of each character: clips at many times, reaches by several methods, both kinds of skinning.
cat >"$work/suite.toml" <<SUITE
version = 1

[defaults]
resolution = "256,256"
compare = ["image", "joints"]

[[matrix]]
name = "clip"
model = ["$cast/mannequin.glb"]
animation = ["idle", "wave", "walk", "run", "crouch"]
animation-time = [$(steps 0 0.05 12)]

[[matrix]]
name = "reach"
model = ["$cast/arm.glb"]
reach = [["gripper=0.45,0.6,0.5"], ["gripper=0.5,0.5,0.4"], ["gripper=0.3,0.8,0.5"], ["gripper=0.4,0.7,0.3"], ["gripper=0.2,0.6,0.6"], ["gripper=-0.3,0.6,0.5"], ["gripper=-0.4,0.7,0.2"], ["gripper=0.1,0.9,0.4"], ["gripper=0.5,0.4,0.1"], ["gripper=-0.5,0.5,0.2"]]
method = ["ccd", "fabrik", "dls", "sdls", "fused", "optimize"]

[[matrix]]
name = "clip"
model = ["$cast/tentacle.glb"]
animation = "sway"
animation-time = [$(steps 0 0.05 30)]

[[matrix]]
name = "reach"
model = ["$cast/tentacle.glb"]
reach = [["segment_39=0.6,0.7,0.4"], ["segment_39=0.5,0.8,0.3"], ["segment_39=-0.6,0.8,0.4"], ["segment_39=0.3,0.5,0.6"], ["segment_39=-0.2,0.9,0.5"]]
method = ["ccd", "fabrik", "dls", "sdls", "fused", "optimize"]

[[matrix]]
name = "clip"
model = ["$cast/spider.glb"]
animation = "walk"
animation-time = [$(steps 0 0.025 30)]

[[matrix]]
name = "reach"
model = ["$cast/spider.glb"]
reach = [["leg_l1_tip=0.35,0.35,0.6"], ["leg_r2_tip=-0.5,0.3,0.3"], ["leg_l1_tip=0.35,0.45,0.5"], ["leg_r2_tip=-0.5,0.4,0.2"], ["leg_l1_tip=0.4,0.25,0.6"]]
method = ["ccd", "fabrik", "dls", "sdls", "fused", "optimize"]

[[matrix]]
name = "clip"
model = ["$cast/awkward.glb"]
animation = "nod"
animation-time = [$(steps 0 0.05 30)]
skinning = ["linear", "dual-quaternion"]
SUITE

# Four cases of each character, as `sinew render` is told of them.
for time in 0.05 0.2 0.4 0.5; do
    echo "$cast/mannequin.glb --animation walk --animation-time $time"
    echo "$cast/tentacle.glb --animation sway --animation-time $time"
    echo "$cast/spider.glb --animation walk --animation-time $time"
    echo "$cast/awkward.glb --animation nod --animation-time $time"
done >"$work/renders"
for method in ccd fabrik dls fused; do
    echo "$cast/arm.glb --reach gripper=0.45,0.6,0.5 --method $method"
done >>"$work/renders"

now() { date +%s%N; }
# Milliseconds since $1, divided by $2.
each() { awk -v t="$(($(now) - $1))" -v n="$2" 'BEGIN { printf "%.2f\n", t / 1e6 / n }'; }
median() { sort -n "$1" | awk '{ t[NR] = $1 } END { print (t[int((NR + 1) / 2)] + t[int(NR / 2) + 1]) / 2 }'; }

cases="$("$sinew" test "$work/suite.toml" --list | wc -l)"
renders="$(wc -l <"$work/renders")"
"$sinew" test "$work/suite.toml" --update --quiet >/dev/null
turn=0
while [ "$turn" -lt "$turns" ]; do
    turn=$((turn + 1))
    start="$(now)"
    "$sinew" test "$work/suite.toml" --quiet >/dev/null
    in_suite="$(each "$start" "$cases")"
    start="$(now)"
    while read -r arguments; do
        # shellcheck disable=SC2086  # words of the line are arguments
        "$sinew" render $arguments --resolution 256,256 --samples 1 --adapter cpu --quiet -o "$work/alone.png"
    done <"$work/renders"
    alone="$(each "$start" "$renders")"
    echo "$in_suite" >>"$work/in_suite"
    echo "$alone" >>"$work/alone"
    echo "turn $turn: $in_suite ms a case of $cases in a suite, $alone ms a picture of $renders drawn alone"
done
awk -v a="$(median "$work/in_suite")" -v b="$(median "$work/alone")" \
    'BEGIN { printf "median: %.2f ms in a suite, %.2f ms alone: %.1f times cheaper\n", a, b, b / a }'
