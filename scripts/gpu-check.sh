#!/bin/sh
# Checks and measures one graphics adapter, and writes one page about it to target/gpu-check.md, which can be attached to a bug report.
# Exits with 1 if a test or an image fails.
#   scripts/gpu-check.sh [ADAPTER]    as for `sinew render --adapter`; default: auto
# The page contains the name of the adapter, the rendering tests, the suite in classic and in studio light, and the times of drawing, of
# crowds and of batches of inverse kinematics.
set -u
cd "$(dirname "$0")/.."
adapter="${1:-auto}"
target="${CARGO_TARGET_DIR:-target}"
page="$target/gpu-check.md"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
failed=0

cargo build --quiet --release --bin sinew || exit 1
sinew="$(cd "$target/release" && pwd)/sinew"

# An adapter that cannot run sinew is rejected here, with the reason.
if ! "$sinew" render --verbose --adapter "$adapter" --resolution 64,64 -o "$work/look.png" >"$work/look.txt" 2>&1; then
    cat "$work/look.txt" >&2
    exit 1
fi
name="$(sed -n 's/^.*adapter:* *//p' "$work/look.txt" | head -n 1)"

# part TITLE COMMAND …: appends what a command prints to the page.
part() {
    title="$1"
    shift
    printf '%s …\n' "$title"
    result=passed
    "$@" >"$work/part.txt" 2>&1 || { result=FAILED failed=1; }
    {
        printf '\n## %s: %s\n\n```text\n' "$title" "$result"
        cat "$work/part.txt"
        printf '```\n'
    } >>"$page"
}

render_tests() {
    status=0
    SINEW_ADAPTER="$adapter" cargo test --release --test render >"$work/tests.txt" 2>&1 || status=$?
    grep -E '^(test result|test .* FAILED|error)' "$work/tests.txt"
    return $status
}

draw_bench() { cargo bench --quiet -p sinew-benches --bench draw -- --adapter "$adapter"; }
crowd_bench() { SINEW_ADAPTER="$adapter" cargo bench --quiet -p sinew-benches --bench crowd; }

{
    printf '# sinew on %s\n\n' "${name:-$adapter}"
    printf -- '- sinew %s, %s\n' "$("$sinew" --version | cut -d" " -f2)" "$(git describe --always --dirty 2>/dev/null)"
    printf -- '- %s, %s\n' "$(uname -sr)" "$(date -u +%Y-%m-%d)"
} >"$page"
part "Tests of rendering" render_tests
part "The suite in classic and studio light" env SINEW="$sinew" scripts/driver-variants.sh --adapter "$adapter"
part "Times of drawing" draw_bench
part "Times of crowds" crowd_bench
part "Batches of inverse kinematics" "$sinew" bench --table batch --adapter "$adapter"
printf '\nwrote %s\n' "$page"
exit $failed
