#!/bin/sh
# Checks formatting, lints for each feature set, documentation, built-in characters, tests and examples. It runs on Linux, macOS
# and Windows (in Git's shell). `.ci/run` and `.github/workflows/ci.yml` call it.
set -eu
cd "$(dirname "$0")/.."

step() { printf '\n== %s (%s s)\n' "$1" "$(($(date +%s) - started))"; }
started=$(date +%s)

step "format"
cargo fmt --check

# The tests are checked with all features. With fewer features, only the library and the program are checked, because each set
# takes minutes.
lint() {
    step "lints $*"
    cargo clippy "$@" -- -D warnings
}
lint --all-targets -p sinew-base -p sinew-ik
lint --all-targets -p sinew-ik --all-features
lint --all-targets -p sinew-character
for features in character cli; do
    lint -p sinew --lib --bins --no-default-features --features $features
done
lint --all-targets --workspace

step "the solvers alone need few crates"
crates=$(cargo tree -p sinew-ik --edges normal,build --prefix none | sed 's/ (\*)$//' | sort -u | wc -l)
if [ "$crates" -gt 12 ]; then
    echo "checks: sinew-ik needs $crates crates" >&2
    exit 1
fi

step "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --no-deps

step "package"
packaged=$(cargo package --no-verify --allow-dirty 2>&1) || { echo "$packaged"; exit 1; }
if echo "$packaged" | grep warning; then exit 1; fi
packaged=$(cargo package --list --allow-dirty -p sinew)
for picture in $(sed -n 's/.*](\([^)]*\.\(png\|jpg\)\)).*/\1/p' README.md); do
    echo "$packaged" | grep -qxF "$picture" || { echo "checks: the package lacks $picture of README.md" >&2; exit 1; }
done

if [ "$(uname)" = Linux ]; then
    step "time of compilation"
    # The build of README.md. Other steps compile with other options and are not measured.
    times=$(mktemp)
    RUSTC_WRAPPER="$PWD/scripts/rustc-time.sh" RUSTC_TIMES="$times" cargo build
    ./scripts/build-budget.sh "$times"
    rm "$times"
fi

step "built-in characters match their generator"
cargo run --quiet -p sinew-tools --bin make_cast -- --check

step "tests"
# The test command of README.md.
./scripts/setup.sh && cargo test

step "examples"
./scripts/examples.sh
