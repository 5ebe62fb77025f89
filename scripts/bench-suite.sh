#!/bin/sh
# Compares the cost of a case in a suite with the cost of a single image. Each round runs `sinew test` once on 300 cases at
# 256 x 256, and then `sinew render` twenty times. The two alternate because the speed of a machine varies over time.
#   scripts/bench-suite.sh [ROUNDS]     default: 5 rounds; prints the times of each round and the ratio of the medians
set -eu
cd "$(dirname "$0")/.."
rounds="${1:-5}"
cargo build --release --quiet
sinew="${CARGO_TARGET_DIR:-target}/release/sinew"
cast="$PWD/assets"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# Prints $3 numbers from $1 in steps of $2, separated by commas.
steps() { awk -v from="$1" -v by="$2" -v n="$3" 'BEGIN { for (i = 0; i < n; i++) printf "%s%g", i ? ", " : "", from + i * by }'; }

# Sixty cases per character: clips at many times, reaches with several methods, and both skinning methods.
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

# Arguments of `sinew render` for four cases per character.
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
# Prints the milliseconds since $1 divided by $2.
each() { awk -v t="$(($(now) - $1))" -v n="$2" 'BEGIN { printf "%.2f\n", t / 1e6 / n }'; }
median() { sort -n "$1" | awk '{ t[NR] = $1 } END { print (t[int((NR + 1) / 2)] + t[int(NR / 2) + 1]) / 2 }'; }

cases="$("$sinew" test "$work/suite.toml" --list | wc -l)"
renders="$(wc -l <"$work/renders")"
"$sinew" test "$work/suite.toml" --update --quiet >/dev/null
round=0
while [ "$round" -lt "$rounds" ]; do
    round=$((round + 1))
    start="$(now)"
    "$sinew" test "$work/suite.toml" --quiet >/dev/null
    in_suite="$(each "$start" "$cases")"
    start="$(now)"
    while read -r arguments; do
        # shellcheck disable=SC2086  # the words of the line are separate arguments
        "$sinew" render $arguments --resolution 256,256 --samples 1 --adapter cpu --quiet -o "$work/alone.png"
    done <"$work/renders"
    alone="$(each "$start" "$renders")"
    echo "$in_suite" >>"$work/in_suite"
    echo "$alone" >>"$work/alone"
    echo "round $round: $in_suite ms per case in a suite of $cases, $alone ms per image of $renders single renders"
done
awk -v a="$(median "$work/in_suite")" -v b="$(median "$work/alone")" \
    'BEGIN { printf "median: %.2f ms per case in a suite, %.2f ms per single render, %.1f times cheaper\n", a, b, b / a }'
