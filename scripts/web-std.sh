#!/bin/sh
# Builds the standard library of wasm32-unknown-unknown from Debian's sources for this version of rustc, for machines on which rustup cannot
# download it. Prints the folder of the result, which is a copy of the current toolchain with this library.
set -eu

version=$(rustc --version | cut -d' ' -f2)
target=wasm32-unknown-unknown
work="${XDG_CACHE_HOME:-$HOME/.cache}/sinew-web-std/$version"
toolchain="$work/toolchain"

if [ -d "$toolchain/lib/rustlib/$target/lib" ]; then
    echo "$toolchain"
    exit
fi

fail() { echo "web-std: $1" >&2; exit 1; }
command -v apt-get >/dev/null || fail "apt-get is missing"

# A separate folder for lists and packages, so that the machine's own packages do not change.
apt="$work/apt"
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
mirror=$(sed -n 's/^\(deb\|URIs:\) *\(\[[^]]*\] *\)\?\(http[^ ]*\).*/\3/p' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -1)
for suite in trixie-backports forky sid; do
    echo "deb [trusted=yes] ${mirror:-http://deb.debian.org/debian} $suite main"
done >"$apt/sources.list"
options="-o Dir::Etc::sourcelist=$apt/sources.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$apt/lists -o Dir::Cache=$apt/cache -o Dir::State::status=$apt/status"
: >"$apt/status"
# shellcheck disable=SC2086 # the words are separate arguments
apt-get $options update >&2 2>&1 || fail "the lists of Debian cannot be read"
# shellcheck disable=SC2086
found=$(apt-cache $options madison rust-src | cut -d'|' -f2 | tr -d ' ' | grep "^$version" | head -1)
[ -n "$found" ] || fail "Debian has no sources of Rust $version"
# shellcheck disable=SC2086
(cd "$work" && apt-get $options download "rust-src=$found" >&2) || fail "rust-src cannot be downloaded"
dpkg -x "$work"/rust-src_*.deb "$work/sources" && rm "$work"/rust-src_*.deb

cp -al "$(rustc --print sysroot)" "$toolchain"
library="$toolchain/lib/rustlib/src/rust"
rm -rf "$library" && mkdir -p "$library"
cp -r "$(find "$work/sources" -type d -path '*/library' | head -1)" "$library/library"

mkdir -p "$work/hello/src"
printf '[package]\nname = "hello"\nversion = "0.1.0"\nedition = "2024"\n[workspace]\n[lib]\ncrate-type = ["cdylib"]\n' >"$work/hello/Cargo.toml"
: >"$work/hello/src/lib.rs"
(
    cd "$work/hello"
    PATH="$toolchain/bin:$PATH" RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR="$work/hello/target" \
        cargo build --release --target $target -Zbuild-std=std,panic_abort >&2
) || fail "the standard library cannot be built"
mkdir -p "$toolchain/lib/rustlib/$target/lib"
cp "$work/hello/target/$target/release/deps/"*.rlib "$toolchain/lib/rustlib/$target/lib"
echo "$toolchain"
