#!/bin/sh
# Builds and tests the bindings for Python and C. Prints one line per step.
set -eu
cd "$(dirname "$0")"

target="${CARGO_TARGET_DIR:-$PWD/../target}"
venv="$target/bindings-venv"
# Graphics libraries print a warning if it is not set.
XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-$(mktemp -d)}"
export XDG_RUNTIME_DIR

[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check 'maturin>=1.9.4,<2' 'numpy>=1.21' 'pytest>=8' 'mypy>=1.10' 'pillow>=9'
echo "Python: the environment is ready"
install_module() { (cd python && VIRTUAL_ENV="$venv" "$venv/bin/maturin" develop --quiet --features meshopt,render); }
# If the build fails, it is repeated to print its messages.
install_module >/dev/null 2>&1 || install_module
echo "Python: the module is built and installed"
sdist=$(mktemp -d)
trap 'rm -rf "$sdist"' EXIT
(cd python && "$venv/bin/maturin" sdist --out "$sdist") >/dev/null 2>&1
tar -xzf "$sdist"/*.tar.gz -C "$sdist"
# The same sources were built above, so it is enough to check that none is missing.
(cd "$sdist"/*/ && CARGO_TARGET_DIR="$target" cargo check --quiet --offline --package sinew-python --features meshopt,render)
echo "Python: the sdist is complete"
(cd python && "$venv/bin/python" -m pytest --quiet --no-header -p no:cacheprovider)
echo "Python: the tests pass"

c/check.sh
