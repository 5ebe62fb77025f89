#!/bin/sh
# Builds the example of each library's README as the program of a new user, from the packages that crates.io would get. The packages stand in
# for the registry, because they are not published yet.
#
# usage: scripts/packaged-crates.sh [CRATE...]    [default: sinew-ik sinew-character sinew-render sinew-regress sinew-viewer]
set -eu
cd "$(dirname "$0")/.."
target="${CARGO_TARGET_DIR:-$PWD/target}"
work="$target/packaged-crates"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
[ $# -gt 0 ] || set -- sinew-ik sinew-character sinew-render sinew-regress sinew-viewer

cargo package --no-verify --allow-dirty --quiet
rm -rf "$work/packages"
mkdir -p "$work/packages"
for package in "$target"/package/sinew-*-"$version.crate"; do
    tar -xzf "$package" -C "$work/packages"
done

for crate in "$@"; do
    user="$work/user-of-$crate"
    mkdir -p "$user/src"
    uses="$crate"
    [ "$crate" = sinew-ik ] || [ "$crate" = sinew-character ] || uses="$uses sinew-character"
    [ "$crate" != sinew-viewer ] || uses="$uses sinew-render"
    # Only the packages that the program needs, because cargo warns about the others.
    # shellcheck disable=SC2046,SC2086 # the words are separate arguments
    needed=$(cargo tree --target all --edges normal,build --prefix none $(printf ' -p %s' $uses) | sed -n 's/^\(sinew-[a-z]*\) v.*/\1/p' | sort -u)
    cat > "$user/Cargo.toml" << MANIFEST
[package]
name = "user-of-$crate"
version = "0.1.0"
edition = "2024"

[workspace]

[dependencies]
$(for name in $uses; do echo "$name = \"$version\""; done)

[patch.crates-io]
$(for name in $needed; do echo "$name = { path = \"$work/packages/$name-$version\" }"; done)
MANIFEST
    # The first block of code: a program, a test, or the body of a program.
    example=$(sed -n '/^```rust/,/^```$/p' "$work/packages/$crate-$version/README.md" | sed '1d;/^```$/,$d')
    command=run
    case $example in
        *'#[test]'*)
            command=test
            example="$example fn main() {}"
            ;;
        *'fn main'*) ;;
        *) example="fn main() { $example }" ;;
    esac
    echo "$example" > "$user/src/main.rs"
    echo "== $crate"
    cp Cargo.lock "$user"
    # A test writes its golden in the first run.
    status=0
    (cd "$user" && SINEW_UPDATE=1 CARGO_TARGET_DIR="$work/target" cargo $command --quiet) 2> "$work/log" || status=$?
    cat "$work/log" >&2
    [ "$status" = 0 ] || exit "$status"
    if grep -q 'not used in the crate graph' "$work/log"; then
        echo "packaged-crates: the program that uses $crate has patches that it does not need" >&2
        exit 1
    fi
    crates=$(cd "$user" && cargo tree --edges normal,build --prefix none -p "$crate" | sed 's/ (\*)$//' | sort -u | wc -l)
    echo "$crate: its example ran; $crates crates"
done
