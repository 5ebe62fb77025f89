#!/bin/sh
# Breaks sinew on purpose, one small patch of tests/breaks at a time, in a copy, and asks whether the suite notices.
# Ends with 1 if a break is not noticed, or if the suite fails without one. A line for each break: the cases that told.
#   scripts/prove-tests.sh [NAME …]    all breaks, or those named
set -eu
cd "$(dirname "$0")/.."
root="$PWD"
copy="$root/target/breaks/copy"
export CARGO_TARGET_DIR="$root/target/breaks/build"

rm -rf "$copy"
mkdir -p "$copy" "$CARGO_TARGET_DIR/debug"
# What other crates were built to serves here too; links cost nothing.
for part in deps build .fingerprint; do
    if [ -d "target/debug/$part" ] && [ ! -d "$CARGO_TARGET_DIR/debug/$part" ]; then
        cp -al "target/debug/$part" "$CARGO_TARGET_DIR/debug/"
    fi
done
git ls-files -co --exclude-standard -z | xargs -0 cp --parents -t "$copy"
cd "$copy"

# The suite of the copy, by a binary of the copy.
check() {
    : >"$root/target/breaks/out.txt"
    cargo build --quiet --no-default-features --features cli --bin sinew || return 2
    "$CARGO_TARGET_DIR/debug/sinew" test tests/suite/suite.toml >"$root/target/breaks/out.txt" 2>&1
}

if ! check; then
    cat "$root/target/breaks/out.txt"
    echo "the suite fails without a break" >&2
    exit 1
fi
printf '%-24s %s\n' "no break" "$(tail -n 1 "$root/target/breaks/out.txt")"
unnoticed=0
for patch in "$root"/tests/breaks/*.patch; do
    name="$(basename "$patch" .patch)"
    case " ${*:-$name} " in *" $name "*) ;; *) continue ;; esac
    patch --quiet -p1 <"$patch"
    if check; then
        printf '%-24s NOT NOTICED\n' "$name"
        unnoticed=1
    elif [ "$(grep -c '^\(failed\|broken\)' "$root/target/breaks/out.txt")" = 0 ]; then
        printf '%-24s does not build\n' "$name"
        unnoticed=1
    else
        count="$(grep -c '^\(failed\|broken\)' "$root/target/breaks/out.txt")"
        first="$(grep '^\(failed\|broken\)' "$root/target/breaks/out.txt" | head -n 3 | sed 's/^[a-z]* *//; s/  [0-9.]* ms$//' | paste -sd, | sed 's/,/, /g')"
        printf '%-24s %3s cases: %s\n' "$name" "$count" "$first"
    fi
    patch --quiet -R -p1 <"$patch"
done
exit $unnoticed
