#!/usr/bin/env python3
"""Measures the solvers and updates the tables below "Measured" in docs/solvers.md and the table of exercise 7, all in one run.

    scripts/solver-tables.py [--sinew SINEW] [TABLE...]    default: target/release/sinew, which must be built, and all tables

Each table follows the line that names its command. Run it on a quiet machine, and then scripts/solver-passes.sh figures,
which copies the rows to the pages of the methods.
"""

import argparse
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/solvers.md"
EXERCISE = ROOT / "docs/exercises/07-table-one.md"
PROGRAM = [str(ROOT / "target/release/sinew")]


def bench(arguments):
    """Runs `sinew bench` with the given arguments and returns its JSON report."""
    output = subprocess.run([*PROGRAM, "bench", "--json", *arguments.split()], check=True, capture_output=True)
    return json.loads(output.stdout)


def lines(head, rows):
    """Returns a Markdown table."""
    cells = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(row) + " |\n" for row in cells).replace("| --- | ", "|---|").replace(
        "--- | ", "---|").replace("--- |", "---|")


def digits(value):
    """Returns a time with three significant digits at most."""
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def percent(fraction, places=1):
    return f"{100 * fraction:.{places}f} %"


def small(value):
    """Returns a small number in scientific notation."""
    return "0" if value == 0 else f"{value:.1e}".replace("e-0", "e-").replace("e+00", "")


def unique(values):
    return list(dict.fromkeys(values))


def pivot(rows, columns, cell):
    """Returns one row per method, with a cell for each of its results."""
    table = []
    for method in unique(row["method"] for row in rows):
        found = {columns(row): cell(row) for row in rows if row["method"] == method}
        table.append([f"`{method}`", *(found.get(key, "") for key in unique(map(columns, rows)))])
    return table


def time_and_failures(row):
    success = f" ({100 * row['success']:.0f} %)" if row["success"] < 0.9995 else ""
    return digits(row["median_us"]) + success


def free():
    rows = bench("--methods dls --joints 2,3,6,10,20,50,100 --set reach,near,unreach,drag,drag-out --limits off --tolerance 1e-5")["rows"]
    sets = unique(row["set"] for row in rows)
    table = [[f"`{s}`", *(digits(row["median_us"]) for row in rows if row["set"] == s)] for s in sets]
    return lines(["set", *(f"n = {row['joints']}" for row in rows if row["set"] == sets[0])], table)


def methods():
    rows = [
        row
        for row in bench("--joints 3,10 --set reach,near --limits off --tolerance 1e-5 --cases 300")["rows"]
        if row["method"] != "auto"
    ]
    order = {"reach": 0, "near": 1}
    rows.sort(key=lambda row: (order[row["set"]], row["joints"]))
    names = unique(row["method"] for row in rows)
    head = ["method", "`reach` n = 3", "n = 10", "`near` n = 3", "n = 10"]
    return lines(head, [row for row in pivot(rows, lambda r: (r["set"], r["joints"]), time_and_failures) if len(row) == 5 and names])


def limits():
    rows = [row for row in bench("--limits on --tolerance 1e-4 --joints 10")["rows"] if row["method"] != "auto"]
    head = ["method", "hinge and cone arm, 7 degrees", "the paper's arm", "human arm", "chain of 10"]
    return lines(head, pivot(rows, lambda r: r["set"], lambda r: f"{percent(r['success'])}, {digits(r['median_us'])} µs"))


def form(row):
    return "printed" if row["textbook"] else "sinew"


def paper():
    head = ["method", "form", "limits", "tolerance", "mean", "× improved", "iterations", "mean error", "largest error", "wrong",
            "published time", "× improved", "mean error", "wrong"]
    table = [
        [
            row["method"], form(row), "on" if row["limits"] else "off", small(row["tolerance"]), f"{digits(row['mean_us'])} µs",
            digits(row["relative_time"]), f"{row['iterations']:.1f}", small(row["error_mean"]), small(row["error_max"]),
            percent(row["wrong"]), f"{row['published_seconds'] * 1e6:.0f} µs", f"{row['published_relative_time']:.0f}",
            small(row["published_error_mean"]), f"{row['published_wrong'] * 100:.2f} %",
        ]
        for row in bench("--table paper")["paper"]
    ]
    return lines(head, table)


def exercise():
    """The rows that have the same tolerance for all methods."""
    head = ["method", "form", "limits", "time", "× improved", "iterations", "mean error", "wrong", "published time",
            "published × improved", "published error", "published wrong"]
    rows = bench("--table paper --cases 200")["paper"]
    table = [
        [
            row["method"], form(row), "on" if row["limits"] else "off", digits(row["mean_us"]), digits(row["relative_time"]),
            f"{row['iterations']:.1f}", small(row["error_mean"]), percent(row["wrong"]),
            f"{row['published_seconds'] * 1e6:.0f}", f"{row['published_relative_time']:.0f}",
            small(row["published_error_mean"]), f"{row['published_wrong'] * 100:.2f} %",
        ]
        for row in rows
        if row["tolerance"] == rows[0]["tolerance"]
    ]
    return lines(head, table)


def fabrik():
    table = [
        [f"`{row['method']}`", f"{row['iterations']:.1f}", f"{digits(row['median_us'])} µs", row["published"].replace(" iterations", "")]
        for row in bench("--table fabrik")["rows"]
    ]
    return lines(["method", "iterations", "time", "published iterations"], table)


def drag():
    """One row per method: the worst values of all paths, for the free chain and for the bodies with limits."""
    head = ["body", "method", "jumps", "revs", "ratio", "max rad", "flips", "median"]
    rows = bench("--table drag")["drags"]
    table = []
    for name, is_chosen in (("free chain", lambda body: body == "free chain"), ("limits", lambda body: body != "free chain")):
        chosen = [row for row in rows if is_chosen(row["body"])]
        for method in unique(row["method"] for row in chosen):
            own = [row for row in chosen if row["method"] == method]

            def worst(key):
                return max((row[key] for row in own if key in row), default=0)

            table.append([
                name, f"`{method}`", str(worst("jumps")), str(worst("reversals")), f"{worst('turn_ratio'):.2f}",
                f"{worst('largest'):.3f}", str(worst("flips")), f"{digits(worst('median_us'))} µs",
            ])
    return lines(head, table)


def beyond():
    # The other sets have the same values for all methods.
    shown = ("chain-3", "chain-6", "random", "all")
    rows = [row for row in bench("--table beyond")["beyond"] if row["set"] in shown]
    head = ["method", *unique(row["set"] for row in rows), "p99, all", "iterations, all", "median, all"]
    table = pivot(rows, lambda r: r["set"], lambda r: percent(r["nearest"]))
    everything = {row["method"]: row for row in rows if row["set"] == "all"}
    for line in table:
        row = everything[line[0].strip("`")]
        line += [f"{max(row['excess_p99'], 0):.4f}", f"{row['iterations']:.0f}", f"{digits(row['median_us'])} µs"]
    return lines(head, table)


def poses(robot):
    head = ["method", "≤ 1e-6", "≤ 5 mm", "median", "mean", "p99", "poses / s"]
    table = [
        [
            f"`{row['method']}`", percent(row["success"], 2), percent(row["coarse_success"], 2), f"{digits(row['median_us'])} µs",
            f"{digits(row['mean_us'])} µs", f"{digits(row['p99_us'])} µs", f"{row['poses_per_second']:.0f}",
        ]
        for row in bench(f"--table {robot} --cases 2000")["poses"]
    ]
    return lines(head, table)


def replace_table(page, marker, table):
    """Replaces the first table below the line that contains a marker."""
    start = page.index(marker)
    start = page.index("\n|", start) + 1
    end = start
    while page.startswith("|", end):
        end = page.index("\n", end) + 1
    return page[:start] + table + page[end:]


# The page of each table, the line above it, and the function that measures it.
TABLES = {
    "free": (PAGE, "(`sinew bench --methods dls --joints 2,3,6", free),
    "methods": (PAGE, "(`--set reach,near --cases 300`)", methods),
    "limits": (PAGE, "(`sinew bench --limits on --tolerance 1e-4 --joints 10`)", limits),
    "paper": (PAGE, "The table of Li & Peng 2013", paper),
    "exercise": (EXERCISE, "`sinew bench --table paper --cases 200`, ", exercise),
    "fabrik": (PAGE, "(`sinew bench --table fabrik`", fabrik),
    "drag": (PAGE, "`sinew bench --table drag` drags", drag),
    "beyond": (PAGE, "`sinew bench --table beyond` solves", beyond),
    "panda": (PAGE, "`sinew bench --table panda --cases 2000`", lambda: poses("panda")),
    "ur5": (PAGE, "`sinew bench --table ur5 --cases 2000`", lambda: poses("ur5")),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sinew", default=PROGRAM[0])
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(TABLES))
    arguments = parser.parse_args()
    PROGRAM[0] = arguments.sinew
    measured = {name: TABLES[name][2]() for name in arguments.tables or TABLES}
    for name, table in measured.items():
        page, marker, _ = TABLES[name]
        page.write_text(replace_table(page.read_text(encoding="utf-8"), marker, table), encoding="utf-8")


main()
