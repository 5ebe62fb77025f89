#!/bin/sh
# A wrapper for rustc (see RUSTC_WRAPPER of cargo) that appends the processor time of each compilation to the file RUSTC_TIMES: user and
# system seconds, and the crate. `scripts/build-budget.sh` reads that file.
[ -n "${RUSTC_TIMES:-}" ] || exec "$@"
status=0
"$@" || status=$?
name='' emit='' after=''
for argument in "$@"; do
    [ "$after" != --crate-name ] || name=$argument
    case $argument in --emit=*) emit=$argument ;; esac
    after=$argument
done
# Checks and queries produce no code. The second line of `times` contains the times of the child processes.
case $emit in
    *link*)
        # In a pipe, `times` would run in a subshell, which has no child processes.
        times > "$RUSTC_TIMES.$$"
        sed -n "2s/^\([0-9]*\)m\([0-9.]*\)s \([0-9]*\)m\([0-9.]*\)s.*/\1 \2 \3 \4 $name/p" "$RUSTC_TIMES.$$" >> "$RUSTC_TIMES"
        rm "$RUSTC_TIMES.$$"
        ;;
esac
exit $status
