#!/bin/sh
# Builds the page of the viewer and the module of the solvers into target/web. `--serve` then serves it on http://127.0.0.1:8080.
#
# usage: scripts/web.sh [--dev] [--serve]
# exit:  77 if this machine cannot build for a browser
set -eu
cd "$(dirname "$0")/.."

profile=release serve=
for option in "$@"; do
    case $option in
        --dev) profile=dev ;;
        --serve) serve=1 ;;
        *) echo "web: unknown option $option" >&2; exit 2 ;;
    esac
done

skip() {
    echo "web: skipped: $1" >&2
    exit 77
}

target=wasm32-unknown-unknown
export CARGO_TARGET_DIR="${WEB_TARGET_DIR:-$PWD/web/target}"

# The standard library of the target: from rustup, or else from Debian's sources for this version of rustc.
if ! [ -d "$(rustc --print sysroot)/lib/rustlib/$target/lib" ]; then
    rustup target add $target 2>/dev/null || {
        toolchain=$(./scripts/web-std.sh) || skip "no standard library for $target"
        PATH="$toolchain/bin:$PATH"
        export PATH
    }
fi

# Compiled before the options of the page are set, because this tool runs on this machine.
cargo build --quiet --release --locked --manifest-path web/bindgen/Cargo.toml || skip "web/bindgen cannot be built"
bindgen="$CARGO_TARGET_DIR/release/sinew-web-bindgen"

# Function names make up a tenth of a release.
strip=$([ $profile = dev ] || echo "--strip")
# 128-bit vectors, which all browsers have supported since 2023.
RUSTFLAGS="-C target-feature=+simd128"
# The module does not contain folder names of this machine.
RUSTFLAGS="$RUSTFLAGS --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo --remap-path-prefix=$PWD=/sinew --remap-path-prefix=$CARGO_TARGET_DIR=/sinew/target"
export RUSTFLAGS

folder=$([ $profile = dev ] && echo debug || echo release)
out="$CARGO_TARGET_DIR/page"
mkdir -p "$out/solvers" "$out/demos"
# Builds crate $1 of the page with the features $4, and writes its module $2 to folder $3.
module() {
    cargo build --manifest-path "$1/Cargo.toml" --target $target --profile $profile --features "${4:-}"
    # shellcheck disable=SC2086 # there may be no option
    "$bindgen" "$CARGO_TARGET_DIR/$target/$folder/$2.wasm" "$3" $strip
}
# A release has two modules, and a browser loads only one of them. Without optimisation, one module serves all browsers, which saves a
# build.
rm -rf "$out/webgl2"
if [ $profile = dev ]; then
    module web sinew_web "$out" webgl
    mkdir "$out/webgl2"
    cp "$out"/sinew_web*.js "$out"/sinew_web*.wasm "$out/webgl2"
else
    module web sinew_web "$out"
    module web sinew_web "$out/webgl2" webgl
fi
module web/solvers sinew_solvers "$out/solvers"
cp web/page/* "$out"
cp web/solvers/demos/* "$out/demos"
echo $profile >"$CARGO_TARGET_DIR/page.profile"

echo "| file | bytes | gzip |"
echo "|---|---|---|"
for file in "$out"/*.wasm "$out"/webgl2/*.wasm "$out"/*.js "$out"/*.html "$out"/*.css "$out"/solvers/*.wasm "$out"/solvers/*.js; do
    echo "| ${file#"$out"/} | $(wc -c <"$file") | $(gzip -9c "$file" | wc -c) |"
done
echo "web: built $out"

if [ -n "$serve" ]; then
    exec python3 -m http.server --bind 127.0.0.1 --directory "$out" 8080
fi
