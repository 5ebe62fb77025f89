#!/bin/sh
# Checks the parts of a release that `.ci/run` does not check: the packages and their use by a new program, licences and sources of all
# dependencies, the list of crates, known vulnerabilities, types on Windows and macOS, and changes to the public interface since the last
# release. Tools that are not installed are listed and skipped.
#
# usage: scripts/release-checks.sh [--online]    --online also checks vulnerabilities (rustsec.org), and requires all tools
set -eu
cd "$(dirname "$0")/.."

online=''
[ "${1:-}" != --online ] || online=1
step() { printf '\n== %s\n' "$1"; }
has() { cargo --list | grep -q "^ *$1\b"; }
skip() {
    echo "SKIPPED: $1"
    [ -z "$online" ] || exit 1
}

step "package"
# crates.io accepts at most 10 MiB.
cargo package --no-verify --allow-dirty --quiet
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
for package in "${CARGO_TARGET_DIR:-target}"/package/*-"$version.crate"; do
    size=$(wc -c < "$package")
    echo "$(basename "$package") has $size bytes"
    [ "$size" -le 10485760 ] || { echo "release-checks: the package is larger than 10 MiB" >&2; exit 1; }
done

step "a new user of the packages"
./scripts/packaged-crates.sh

step "licences and list of crates"
./scripts/licences.py "${CARGO_TARGET_DIR:-target}/licences"

step "licences, duplicates and sources"
if has deny; then
    cargo deny --workspace check licenses bans sources
    # shellcheck disable=SC2086 # the words are separate arguments
    [ -z "$online" ] || cargo deny --workspace check advisories
else
    skip "cargo-deny is not installed (cargo install cargo-deny --locked)"
fi

step "Windows and macOS"
# Types only: the C compilers are replaced by a program that does nothing.
for system in x86_64-pc-windows-gnu aarch64-apple-darwin; do
    if ! rustup target add "$system" 2> /dev/null; then
        skip "no standard library for $system"
        continue
    fi
    for tool in CC CXX AR RANLIB; do
        export "${tool}_$(echo "$system" | tr - _)=$(command -v true)"
    done
    RUSTFLAGS="-D warnings" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/systems" cargo check --quiet --all-targets --target "$system"
    echo "$system: all targets"
done

step "public interface"
# The packages on crates.io are not compared, because none is published yet.
last=$(git describe --tags --abbrev=0 --match 'v*' 2> /dev/null || true)
if [ -z "$last" ]; then
    echo "there is no tag v* of an earlier release to compare with"
elif has semver-checks; then
    cargo semver-checks --package sinew-ik --package sinew-character --package sinew-render --package sinew-regress --package sinew --baseline-rev "$last"
else
    skip "cargo-semver-checks is not installed (cargo install cargo-semver-checks --locked)"
fi
