"""Writes the tables of the page about the corpus."""

import collections
import datetime

from . import metrics, scores

START, END = "<!-- tables -->", "<!-- end of tables -->"


def write(path, pairs, bases):
    """Replaces the tables of a page."""
    text = path.read_text()
    before, after = text.split(START)[0], text.split(END)[1]
    path.write_text(f"{before}{START}\n{tables(pairs, bases)}\n{END}{after}")


def tables(pairs, bases):
    count = collections.Counter(pair.label for pair in pairs)
    day = datetime.date.today().isoformat()
    intro = (
        f"\nMeasured on {day} with {len(pairs)} pairs of {len(bases)} bases: {count['find']} must be found, {count['pass']} must pass, and"
        f" {count['open']} are left open.\n"
    )
    parts = [intro, measures(pairs), kinds(pairs), sizes(pairs), harmless(pairs), explanations(pairs)]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]) + "\n"


def measures(pairs):
    rows = []
    for curve in scores.curves(pairs):
        best = curve.best()
        misses, alarms = f"{curve.misses(best)} of {len(curve.breaks)}", f"{curve.alarms(best)} of {len(curve.harmless)}"
        given = recommended(curve)
        rows.append([curve.name, "its defaults" if curve.name == "sinew" else f"{best:.3g}", misses, alarms,
                     curve.alarms_without_misses(), given])
    head = ["measure", "threshold for at most 1 % false alarms", "misses", "false alarms", "false alarms without misses",
            "misses and false alarms with a default threshold"]
    return "\n## All pairs\n\n" + table(head, rows)


def recommended(curve):
    if curve.name in ("sinew", "FLIP, mean and worst tile"):
        limit, text = 1.0 - 1e-9, "defaults" if curve.name == "sinew" else "0.007 and 0.04, the defaults of `sinew test`"
    elif curve.name in metrics.RECOMMENDED:
        limit, text = metrics.RECOMMENDED[curve.name]
        text = f"{limit:g}, {text}"
    else:
        return "–"
    return f"{curve.misses(limit)}, {curve.alarms(limit)} ({text})"


def found(pairs, curves_of_all):
    """Returns for each measure how many of the pairs it finds, with at most 1 % false alarms over the whole corpus."""
    cells = []
    for curve in curves_of_all:
        limit = curve.best()
        cells.append(sum(scores.score(curve.name, pair) > limit for pair in pairs))
    return cells


def kinds(pairs):
    all_curves = scores.curves(pairs)
    of_kind = collections.defaultdict(list)
    for pair in pairs:
        if pair.label == "find":
            of_kind[pair.kind].append(pair)
    rows = [[kind, len(of_kind[kind]), *found(of_kind[kind], all_curves)] for kind in sorted(of_kind)]
    breaks = [pair for pair in pairs if pair.label == "find"]
    small = [pair for pair in breaks if scores.is_small_movement(pair)]
    mixed = [pair for pair in breaks if pair.driver != "default"]
    rows.append(["**all**", len(breaks), *found(breaks, all_curves)])
    rows.append(["of these, on another driver", len(mixed), *found(mixed, all_curves)])
    rows.append(["of these, moved by less than 0.25 px", len(small), *found(small, all_curves)])
    return "\n## By kind\n\n" + table(["kind", "must be found", *[curve.name for curve in all_curves]], rows)


SIZED = ("joint turned", "joint shifted", "camera shifted", "field of view", "base colour", "texture", "normal map", "part added")


def sizes(pairs):
    all_curves = scores.curves(pairs)
    groups = collections.defaultdict(list)
    for pair in pairs:
        if pair.kind in SIZED and not pair.harmless:
            groups[pair.kind, pair.size].append(pair)

    def order(key):
        number = key[1].split(" ")[0].rstrip("%°")
        return SIZED.index(key[0]), float(number) if number.replace(".", "").isdigit() else 0.0

    rows = []
    for key in sorted(groups, key=order):
        must = [pair for pair in groups[key] if pair.label == "find"]
        rows.append([*key, len(groups[key]), len(must), *found(must, all_curves)])
    return "\n## By size\n\n" + table(["kind", "size", "pairs", "must be found", *[curve.name for curve in all_curves]], rows)


def harmless(pairs):
    all_curves = scores.curves(pairs)
    of_kind = collections.defaultdict(list)
    for pair in pairs:
        if pair.label == "pass":
            of_kind[f"{pair.kind}, {pair.size}" if pair.harmless else "breaks that are too small"].append(pair)
    rows = [[kind, len(of_kind[kind]), *found(of_kind[kind], all_curves)] for kind in sorted(of_kind)]
    return "\n## False alarms\n\n" + table(["kind", "must pass", *[curve.name for curve in all_curves]], rows)


def explanations(pairs):
    of_kind = collections.defaultdict(list)
    for pair in pairs:
        if pair.label == "find" and scores.fails(pair):
            of_kind[pair.kind].append(scores.explanation(pair))
    rows, all_kinds, all_names = [], [], []
    for kind in sorted(of_kind):
        right = [k for k, _ in of_kind[kind]]
        names = [name for _, name in of_kind[kind] if name is not None]
        all_kinds, all_names = all_kinds + right, all_names + names
        rows.append([kind, len(right), sum(right), f"{sum(names)} of {len(names)}" if names else "–"])
    rows.append(["**all**", len(all_kinds), sum(all_kinds), f"{sum(all_names)} of {len(all_names)}"])
    return "\n## Explanations\n\n" + table(["kind", "found", "right kind first", "right joint, part or material first"], rows)
