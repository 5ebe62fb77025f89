#!/bin/sh
# Updates the measured parts of the pages in docs/solvers: draws the start pose and the first three iterations of every
# method, writes the errors of these poses into the page of the method, and copies the rows of the method from the tables of
# docs/solvers.md.
#   scripts/solver-passes.sh [SINEW]     default: target/release/sinew, which is built first
#   scripts/solver-passes.sh figures     only copies the rows
set -eu
cd "$(dirname "$0")/.."
pages=docs/solvers
methods="ccd particle fabrik jacobian-transpose pseudo-inverse dls sdls two-bone fused optimize full-body style"

# Replaces each row of method $1 in its page with the row of this method below the same table header in docs/solvers.md.
copy_rows() {
    awk -v method="| \`$1\` |" '
        /^\|/ && !in_table { header = $0; in_table = 1 }
        !/^\|/ { in_table = 0 }
        index($0, method) == 1 {
            if (NR == FNR) { if (!((header, ++count[header]) in rows)) rows[header, count[header]] = $0; next }
            if ((header, ++used[header]) in rows) { print rows[header, used[header]]; next }
        }
        NR != FNR { print }
    ' docs/solvers.md "$pages/$1.md" >"$pages/$1.new"
    mv "$pages/$1.new" "$pages/$1.md"
}

for method in $methods; do copy_rows "$method"; done
if [ "${1:-}" = figures ]; then exit; fi

sinew="${1:-}"
if [ -z "$sinew" ]; then
    cargo build --release --quiet
    sinew="${CARGO_TARGET_DIR:-target}/release/sinew"
fi

# Prints the arguments that pose a body with method $1. The chain methods share one chain and one target, without limits, so that
# the images show the algorithms of the papers.
posing() {
    case "$1" in
        two-bone) echo assets/mannequin.glb --reach leftFoot=0.2,0.45,0.4 ;;
        full-body) echo assets/mannequin.glb --reach leftHand=0.55,0.7,0.3 --pin leftFoot --pin rightFoot ;;
        style) echo assets/mannequin.glb --style assets/mannequin.glb --reach leftHand=0.35,1.5,0.35 --pin leftFoot --pin rightFoot ;;
        *) echo assets/tentacle.glb --reach segment_39=0.4,1.2,0.3 --no-limits ;;
    esac
}

# Prints the arguments of the camera for method $1.
camera() {
    case "$1" in
        two-bone) echo --camera-position 2.3,0.9,1.3 --camera-focal-point 0.05,0.8,0.1 ;;
        full-body) echo --camera-position 1.5,1.2,2.3 --camera-focal-point 0.15,0.85,0.1 ;;
        style) echo --camera-position 1.4,1.2,2.3 --camera-focal-point 0,0.85,0.1 ;;
        *) echo --camera-position -1.3,1.2,2.7 --camera-focal-point 0.12,0.93,0.22 ;;
    esac
}

# Draws a pose: method, number of iterations, file, more arguments.
draw() {
    method="$1"; iterations="$2"; image="$3"; shift 3
    # shellcheck disable=SC2046 # the words are separate arguments
    "$sinew" render $(posing "$method") $(camera "$method") --method "$method" --start rest --iterations "$iterations" \
        --option restarts=0 --option tolerance=1e-6 --mode skeleton --resolution 240,240 --quiet --output "$image" "$@"
}

# Prints the distance from the first goal after $2 iterations of method $1, in metres.
error() {
    # shellcheck disable=SC2046 # the words are separate arguments
    "$sinew" pose $(posing "$1") --method "$1" --start rest --iterations "$2" --option restarts=0 --option tolerance=1e-6 |
        grep -o '"position_error": *[0-9.e-]*' | sed -n '1s/.*: *//p'
}

for method in $methods; do
    for iterations in 1 2 3; do draw "$method" "$iterations" "$pages/$method-$iterations.png"; done
    row="| error |"
    for iterations in 0 1 2 3; do row="$row $(printf '%.2g m' "$(error "$method" "$iterations")") |"; done
    sed "s/^| error |.*/$row/" "$pages/$method.md" >"$pages/$method.new"
    mv "$pages/$method.new" "$pages/$method.md"
    echo "$method $row"
done
draw ccd 0 "$pages/start-chain.png"
draw two-bone 0 "$pages/start-leg.png"
draw full-body 0 "$pages/start-body.png"
draw style 0 "$pages/start-style.png"
draw two-bone 1 "$pages/two-bone-swivel.png" --no-limits --option limb.swivel=angle:60deg

# The overview in docs/solvers.md: all methods that move a chain solve for the same hand target. The chain starts at the lowest joint of the
# back. Only `two-bone` needs a limb.
for method in ccd particle fabrik jacobian-transpose pseudo-inverse dls sdls two-bone fused optimize full-body; do
    base=spine
    if [ "$method" = two-bone ]; then base=leftUpperArm; fi
    "$sinew" render assets/mannequin.glb --base "$base" --reach leftHand=0.15,1.65,0.4 --method "$method" --start rest \
        --camera-position 1.5,1.5,2.6 --camera-focal-point 0.05,1.05,0.1 --camera-view-angle 36 --mode skeleton \
        --resolution 270,315 --quiet --output "$pages/$method.png"
done
