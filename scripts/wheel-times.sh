#!/bin/sh
# Builds the sdist of the Python module, and a wheel from the sdist without a network. Installs the wheel, and prints sizes and the
# processor time (user and system) of the build.
#
#   scripts/wheel-times.sh [FEATURES]     such as render,meshopt [default: none]
#
# `cargo fetch --locked` downloads the crates beforehand. Set CARGO_HOME to a folder in which only these crates are, to prove that they
# suffice.
set -eu
cd "$(dirname "$0")/.."
features="${1:-}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
size() { du -s --apparent-size --block-size=1K "$1" | awk '{ printf "%.1f MB", $1 / 1000 }'; }

python3 -m venv "$work/venv"
python="$work/venv/bin/python"
"$python" -m pip install --quiet --disable-pip-version-check 'maturin>=1.9.4,<2' 'numpy>=1.21'
PATH="$work/venv/bin:$PATH"
export PATH
(cd bindings/python && maturin sdist --out "$work") > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
sdist=$(echo "$work"/*.tar.gz)
echo "sdist: $(size "$sdist"), $(tar tzf "$sdist" | wc -l) files"

set -- "$python" -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-index --no-deps --wheel-dir "$work/wheels"
[ -z "$features" ] || set -- "$@" "--config-settings=build-args=--features $features"
CARGO_NET_OFFLINE=true CARGO_INCREMENTAL=0 CARGO_TARGET_DIR="$work/target" "$python" -c '
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
seconds = used.ru_utime + used.ru_stime
print(f"build: {seconds:.0f} s of processor time ({seconds / 60:.1f} min)")
sys.exit(code)' "$@" "$sdist"
wheel=$(echo "$work"/wheels/*.whl)
"$python" -m pip install --quiet --disable-pip-version-check --no-index "$wheel"
echo "wheel: $(size "$wheel"), installed $(size "$("$python" -c 'import pathlib, sinew; print(pathlib.Path(sinew.__file__).parent)')")"
cd "$work"
"$python" -c '
import sinew
puppet = sinew.Puppet(sinew.mannequin())
assert puppet.update([sinew.Target("leftHand", (0.3, 0.4, 0.5))])[0].reached
print("import sinew: works, version", sinew.__version__)'
