#!/bin/sh
# Checks that the suite detects bugs: applies the small patches in tests/breaks one at a time to a copy of sinew, and runs the suite. Prints
# one line per patch with the number of failing cases, the number of cases whose image fails, and the first few names. Then prints how
# the images differ. Writes the measured differences of each run to target/breaks/NAME.csv. Exits with 1 if a patch is not detected, a patch
# does not apply, or the suite fails without a patch.
#   scripts/prove-tests.sh [NAME …]    all patches, or the named ones
set -eu
cd "$(dirname "$0")/.."
root="$PWD"
out="$root/target/breaks"
copy="$out/copy"
export CARGO_TARGET_DIR="$out/build"
# After each patch, only the changed parts of the crate are compiled.
export CARGO_INCREMENTAL=1

for name in "$@"; do
    if [ ! -e "tests/breaks/$name.patch" ]; then
        echo "prove-tests: tests/breaks/$name.patch does not exist" >&2
        exit 1
    fi
done
rm -rf "$copy"
mkdir -p "$copy" "$CARGO_TARGET_DIR/debug"
# Reuse the dependencies that are already built. Hard links need no space.
for part in deps build .fingerprint; do
    if [ -d "target/debug/$part" ] && [ ! -d "$CARGO_TARGET_DIR/debug/$part" ]; then
        cp -al "target/debug/$part" "$CARGO_TARGET_DIR/debug/"
    fi
done
git ls-files -co --exclude-standard -z | xargs -0 cp --parents -t "$copy"
cd "$copy"

# Compiles the copy into the program $out/NAME.
build() {
    cargo build --quiet --no-default-features --features cli --bin sinew && cp "$CARGO_TARGET_DIR/debug/sinew" "$out/$1"
}

# Runs the suite of the copy with the program $out/NAME. Returns 0 if it passes, and 1 if it fails.
run() {
    status=0
    "$out/$1" test tests/suite/suite.toml --csv "$out/$1.csv" >"$out/$1.txt" 2>&1 || status=$?
    rm "$out/$1"
    return $status
}

rm -f "$out"/*.csv
status=0
build no-break && run no-break || status=$?
if [ $status -ne 0 ]; then
    [ ! -e "$out/no-break.txt" ] || cat "$out/no-break.txt"
    echo "prove-tests: the suite fails without a patch" >&2
    exit 1
fi
printf '%-24s %s\n' "no patch" "$(grep 'ms per case' "$out/no-break.txt")"
failed=0
runs=""

# Waits for the suite that is running, and prints its result.
running="" job=""
finish() {
    [ -n "$running" ] || return 0
    status=0
    wait "$job" || status=$?
    text="$out/$running.txt"
    [ ! -e "$out/$running.csv" ] || runs="$runs $running.csv"
    case $status in
    0)
        printf '%-24s NOT DETECTED\n' "$running"
        failed=1
        ;;
    1)
        count="$(grep -c '^\(failed\|missing\|broken\)' "$text" || true)"
        images="$(grep -c '^ *image: ' "$text" || true)"
        first="$(grep '^\(failed\|missing\|broken\)' "$text" | head -n 3 | sed 's/^[a-z]* *//; s/  [a-z, ]*[0-9.]* ms$//' | paste -sd, | sed 's/,/, /g')"
        printf '%-24s %3s cases (%s by image): %s\n' "$running" "$count" "$images" "$first"
        ;;
    *)
        printf '%-24s DOES NOT RUN\n' "$running"
        failed=1
        ;;
    esac
    running=""
}

# The more crates depend on the crate of a patch, the larger this number. Patches to the same crate follow each other, so that few crates are
# compiled again.
depth() {
    case "$(grep -m 1 '^+++ b/' "$1")" in
    *b/shaders/*) echo 1 ;;
    *b/src/character/*) echo 2 ;;
    *b/src/ik/*) echo 3 ;;
    *) echo 4 ;;
    esac
}

names=$(cd "$root/tests/breaks" && for patch in *.patch; do echo "$(depth "$patch") ${patch%.patch}"; done | sort | cut -d' ' -f2)
for name in $names; do
    patch="$root/tests/breaks/$name.patch"
    case " ${*:-$name} " in *" $name "*) ;; *) continue ;; esac
    # A patch that applies only with fuzz may change a different place than intended.
    if ! patch --quiet --dry-run --fuzz=0 -p1 <"$patch" >/dev/null; then
        printf '%-24s DOES NOT APPLY: update tests/breaks/%s.patch\n' "$name" "$name"
        failed=1
        continue
    fi
    patch --quiet --fuzz=0 -p1 <"$patch"
    # The suite with the previous patch runs during this build, because neither of them uses all cores all the time.
    if build "$name"; then
        finish
        run "$name" &
        running="$name" job=$!
    else
        printf '%-24s DOES NOT BUILD\n' "$name"
        failed=1
    fi
    patch --quiet -R -p1 <"$patch"
done
finish
echo
# shellcheck disable=SC2086 # the paths are separate arguments
(cd "$out" && "$root/scripts/differences.sh" $runs)
exit $failed
