#!/bin/sh
# Builds and tests the C bindings: the header must be up to date, and the example and the tests must compile without warnings and run. The
# tests also run under valgrind if it is installed.
set -eu
cd "$(dirname "$0")"

target="${CARGO_TARGET_DIR:-$PWD/../../target}"
# The same command builds the Python module, so that both share their dependencies.
PYO3_BUILD_EXTENSION_MODULE=true
export PYO3_BUILD_EXTENSION_MODULE
cargo build --quiet --package sinew-c --package sinew-python --features sinew-python/meshopt,sinew-python/render
cargo test --quiet --package sinew-c --package sinew-python --features sinew-python/meshopt,sinew-python/render >/dev/null
echo "C: built, and the tests in Rust pass"
cargo run --quiet --package sinew-c-header -- --check
echo "C: the header is current"

out="$target/bindings-c"
mkdir -p "$out"
library="$target/debug"
compile() {
    "${CC:-cc}" -std=c99 -Wall -Wextra -Werror -pedantic -g -Iinclude "$1" -o "$2" \
        -L"$library" -lsinew_c -lm -Wl,-rpath,"$library"
}
compile example.c "$out/example"
compile test.c "$out/test"
"$out/example" >"$out/example.txt"
# README.md quotes the output of the example.
while IFS= read -r line; do
    grep -qxF "$line" README.md || { echo "C: README.md does not contain: $line" >&2; exit 1; }
done <"$out/example.txt"
echo '#include "sinew.h"' | "${CXX:-c++}" -Wall -Wextra -Werror -Iinclude -fsyntax-only -x c++ -
echo "C: the example compiles and prints what README.md says"

# Extracts the program on the page, and the output that is shown after it.
page=../../docs/bindings.md
awk '/^```c$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$page" >"$out/page.c"
awk '/^```c$/ { after = 1 } after && /^```text$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$page" >"$out/page.txt"
compile "$out/page.c" "$out/page"
"$out/page" | cmp - "$out/page.txt"
echo "C: the example in docs/bindings.md prints what the page says"

"$out/test" "$out/posed.glb" >/dev/null
echo "C: the tests pass"

# The static library must be linked together with its dependencies.
"${CC:-cc}" -std=c99 -Iinclude example.c -o "$out/static" "$library/libsinew_c.a" -lstdc++ -lm -lpthread -ldl
"$out/static" | cmp - "$out/example.txt"
echo "C: the static library works"

if command -v valgrind >/dev/null 2>&1; then
    valgrind --quiet --error-exitcode=1 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \
        "$out/test" "$out/posed.glb" >/dev/null
    echo "C: valgrind finds no error and no leak"
else
    echo "C: valgrind is not installed, so that memory is not checked"
fi
