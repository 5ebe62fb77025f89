#!/bin/sh
# Builds the files of a release into target/dist: archives of the program for Linux, the Python wheel, the web package, the list of
# their crates (SBOM), and SHA256SUMS. With the same compilers, the same commit gives the same bytes in every folder.
#
# usage: scripts/dist.sh [PART...]
#   parts: x86_64, aarch64 (needs the Debian packages gcc-aarch64-linux-gnu and g++-aarch64-linux-gnu), wheel, web [default: all]
#   SINEW=FILE packs this program instead of building one; with one part, x86_64 or aarch64
set -eu
cd "$(dirname "$0")/.."

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
root=$PWD out=$PWD/target/dist
work=$(mktemp -d)
copied=''
clean_up() {
    rm -rf "$work"
    # shellcheck disable=SC2086 # the words are separate arguments
    [ -z "$copied" ] || rm -f $copied
}
trap clean_up EXIT
trap 'exit 1' INT TERM
fail() {
    echo "dist: $1" >&2
    exit 1
}

# Dates, paths and modes do not depend on the machine.
umask 022
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC
[ -z "$(git status --porcelain)" ] || echo "dist: warning: the working tree has changes that are not committed" >&2
cargo_home="${CARGO_HOME:-$HOME/.cargo}"
target="${CARGO_TARGET_DIR:-$root/target}"
RUSTFLAGS="--remap-path-prefix=$cargo_home=/cargo --remap-path-prefix=$root=/sinew --remap-path-prefix=$target=/sinew/target"
CFLAGS="-ffile-prefix-map=$cargo_home=/cargo -ffile-prefix-map=$root=/sinew -ffile-prefix-map=$target=/sinew/target"
CXXFLAGS=$CFLAGS
export RUSTFLAGS CFLAGS CXXFLAGS

# Writes a folder as an archive: sorted, with fixed owners, modes and dates.
pack() {
    tar --sort=name --format=gnu --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --mode=u=rwX,go=rX \
        -C "$work" -cf - "$1" | gzip -9n > "$out/$1.tar.gz"
}

# Builds the program for a processor, and packs it.
program() {
    triple=$1-unknown-linux-gnu
    name=sinew-$version-$1-linux
    if [ -z "${SINEW:-}" ]; then
        [ "$1" = "$(uname -m)" ] || command -v "$1-linux-gnu-g++" > /dev/null || fail "$1-linux-gnu-g++ is not installed"
        rustup target add "$triple" 2> /dev/null || fail "no standard library for $triple"
        # Without it, cargo calls the linker of this machine.
        [ "$1" = "$(uname -m)" ] || export "CARGO_TARGET_$(echo "$triple" | tr a-z- A-Z_)_LINKER=$1-linux-gnu-gcc"
        cargo build --locked --release --target "$triple"
    fi
    mkdir -p "$work/$name/docs"
    install -m 755 "${SINEW:-$target/$triple/release/sinew}" "$work/$name/sinew"
    install -m 755 scripts/dist/install.sh "$work/$name"
    cp README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE scripts/dist/sinew.desktop "$work/$name"
    # The pictures of the README.
    sed -n 's/.*](\(docs\/[^)]*\.png\)).*/\1/p' README.md | while read -r picture; do cp "$picture" "$work/$name/docs"; done
    ./scripts/licences.py "$work/$name" --target "$triple"
    cp "$work/$name/sbom.cdx.json" "$out/$name.cdx.json"
    pack "$name"
}

# The wheel for this machine. maturin includes the licences that are beside pyproject.toml.
wheel() {
    venv="$target/dist-venv"
    [ -x "$venv/bin/python" ] || python3 -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check 'maturin>=1.9.4,<2'
    triple=$(uname -m)-unknown-linux-gnu
    copied="bindings/python/LICENSE-MIT bindings/python/LICENSE-APACHE bindings/python/LICENSE-THIRD-PARTY.txt"
    cp LICENSE-MIT LICENSE-APACHE bindings/python
    ./scripts/licences.py "$work/wheel" --package sinew-python --features sinew-python/render,sinew-python/meshopt --target "$triple"
    cp "$work/wheel/THIRD-PARTY.txt" bindings/python/LICENSE-THIRD-PARTY.txt
    (cd bindings/python &&
        "$venv/bin/maturin" build --quiet --locked --features render,meshopt --target "$triple" --out "$work/wheel")
    cp "$work"/wheel/*.whl "$out"
    cp "$work/wheel/sbom.cdx.json" "$out/sinew-$version-python.cdx.json"
}

# The page and the modules for other pages, as an npm package. The page is a workspace of its own, and cargo mixes the absolute paths of the
# crates outside a workspace into the names of symbols. Therefore the last commit is built in a folder that has the same path everywhere.
web() {
    command -v npm > /dev/null || fail "npm is not installed"
    fixed=/tmp/sinew-dist-web
    mkdir "$fixed" 2> /dev/null || fail "$fixed exists; another build uses it, or was stopped"
    git archive HEAD | tar -x -C "$fixed"
    (cd "$fixed" && WEB_TARGET_DIR="$root/web/target" ./scripts/web.sh) || { rm -rf "$fixed"; fail "the page was not built"; }
    rm -rf "$fixed"
    page="$root/web/target/page"
    cp LICENSE-MIT LICENSE-APACHE "$page"
    ./scripts/licences.py "$work/web" --manifest web/Cargo.toml --package sinew-web --features '' --target wasm32-unknown-unknown
    cp "$work/web/THIRD-PARTY.txt" "$page/LICENSE-THIRD-PARTY.txt"
    cp "$work/web/sbom.cdx.json" "$out/sinew-$version-web.cdx.json"
    (cd "$page" && npm pack --silent --pack-destination "$out")
}

[ $# -gt 0 ] || set -- x86_64 aarch64 wheel web
rm -rf "$out"
mkdir -p "$out"
for part in "$@"; do
    case $part in
        x86_64 | aarch64) program "$part" ;;
        wheel | web) "$part" ;;
        *) fail "unknown part $part; known: x86_64, aarch64, wheel, web" ;;
    esac
done
(cd "$out" && sha256sum -- * > "$work/SHA256SUMS" && mv "$work/SHA256SUMS" . && ls -l && cat SHA256SUMS)
