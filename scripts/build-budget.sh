#!/bin/sh
# Compares the processor time for compiling sinew with the time for five dependencies in the same build, so that the result hardly depends
# on the machine. Fails if the ratio exceeds the budget by 10 %. Suggests a smaller budget if the ratio is 25 % below it.
#   RUSTC_WRAPPER=$PWD/scripts/rustc-time.sh RUSTC_TIMES=FILE cargo build && scripts/build-budget.sh FILE
set -eu

# Measured once, while another build was running: 3.71. The margin above it allows for the noise of a single measurement. Raise the budget
# only with a reason in the commit message.
budget=4.2
awk -v budget="$budget" '
    { seconds = 60 * $1 + $2 + 60 * $3 + $4 }
    $5 ~ /^(naga|wgpu_core|wgpu_hal|egui|epaint)$/ { if (!seen[$5]++) { dependencies += seconds; count++ } next }
    $5 ~ /^sinew/ { own += seconds; crates[$5] += seconds }
    { all += seconds }
    END {
        if (count != 5) { print "SKIPPED: only " count + 0 " of the 5 dependencies were compiled; use an empty target folder"; exit }
        if (dependencies == 0) { print "build-budget: no times were measured"; exit 1 }
        ratio = own / dependencies
        printf "sinew: %.0f s, of all %.0f s; the five dependencies: %.0f s; ratio %.2f, budget %.2f\n", own, all + dependencies, dependencies, ratio, budget
        for (crate in crates) printf "  %-16s %6.1f s\n", crate, crates[crate]
        if (ratio > 1.1 * budget) { print "build-budget: compiling takes more than 10 % longer than the budget allows"; exit 1 }
        if (ratio < 0.75 * budget) { print "The budget in scripts/build-budget.sh can be smaller." }
    }' "$1"
