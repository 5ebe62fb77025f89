#!/bin/sh
# Checks formatting, lints for each feature set, documentation, built-in characters, tests and examples. It runs on Linux, macOS
# and Windows (in Git's shell). `.ci/run` and `.github/workflows/ci.yml` call it.
set -eu
cd "$(dirname "$0")/.."

step() { printf '\n== %s (%s s)\n' "$1" "$(($(date +%s) - started))"; }
started=$(date +%s)

step "format"
cargo fmt --check

for features in "--no-default-features" "--no-default-features --features rayon,serde,mint" "--no-default-features --features character" \
    "--no-default-features --features capture" "--no-default-features --features render" "--no-default-features --features cli" "--workspace"; do
    step "lints $features"
    # shellcheck disable=SC2086 # the words are separate arguments
    cargo clippy --all-targets $features -- -D warnings
done

step "the solvers alone need few crates"
crates=$(cargo tree --no-default-features --edges normal,build --prefix none | sed 's/ (\*)$//' | sort -u | wc -l)
if [ "$crates" -gt 25 ]; then
    echo "checks: without features, sinew needs $crates crates" >&2
    exit 1
fi

step "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --no-deps

step "package"
packaged=$(cargo package --no-verify --allow-dirty 2>&1) || { echo "$packaged"; exit 1; }
if echo "$packaged" | grep warning; then exit 1; fi

step "built-in characters match their generator"
cargo run --quiet --example make_cast -- --check

step "tests"
# The test command of README.md.
./scripts/setup.sh && cargo test

step "examples"
./scripts/examples.sh
