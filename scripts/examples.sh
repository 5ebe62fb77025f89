#!/bin/sh
# Runs the examples, and compares their output with the comments at the top of their files. Usage: examples.sh
set -eu
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Prints the table at the top of an example: the lines after its command.
table() { sed -n '/^\/\/! ```text$/,/^\/\/! ```$/p' "examples/$1.rs" | sed -e 1,3d -e '$d' -e 's/^\/\/! \{0,1\}//'; }

# Runs an example and compares its output with the table. The times of `batch` are left out.
check() {
    example=$1
    shift
    echo "examples: $example"
    cargo run --quiet "$@" --example "$example" >"$folder/printed"
    table "$example" >"$folder/expected"
    if ! diff -u "$folder/expected" "$folder/printed"; then
        echo "examples: $example does not print what the head of its file says" >&2
        exit 1
    fi
}

check robot_arm
check foot_on_slope
check live_capture
check retarget
rm retargeted.glb
echo "examples: make_take"
cargo run --quiet --example make_take -- positions "$folder/take.csv"
echo "examples: own_solver"
cargo run --quiet --example own_solver -- pose assets/tentacle.glb --reach segment_39=0.4,1.2,0.3 --no-limits --method triangulation \
    --require-reached -o "$folder/own.json"
echo "examples: batch"
cargo run --quiet --example batch
echo "examples: regression"
# The example draws with a software renderer, which macOS does not have.
[ "$(uname -s)" = Darwin ] || cargo test --quiet --example regression
echo "examples: crowd"
(cd "$folder" && cargo run --quiet --manifest-path "$OLDPWD/Cargo.toml" --example crowd)
