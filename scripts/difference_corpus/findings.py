"""Lists the pairs that the program judges or explains wrongly, and writes small suites that reproduce them."""

import json
import pathlib
import shutil

from . import drawing, scores


def problem(pair):
    """Returns what is wrong with the judgement of a pair, or nothing."""
    if pair.result["status"] not in ("passed", "failed"):
        return f"status {pair.result['status']}"
    if pair.label == "find" and not scores.fails(pair):
        return "missed, moved by less than 0.25 px" if scores.is_small_movement(pair) else "missed"
    if pair.label == "pass" and scores.fails(pair):
        return "false alarm"
    if pair.label == "find":
        kind, name = scores.explanation(pair)
        if not kind:
            return "wrong kind"
        if name is False:
            return "wrong name"
    return None


def line(pair):
    expected = pair.joint or pair.material or "/".join(pair.part)
    verdict = (pair.result.get("explanation") or {}).get("verdict")
    return (
        f"{pair.name}, {pair.base.name}, {pair.kind} {pair.size}, {pair.driver}: {pair.label} → {pair.result['status']}; moved {pair.moved:.3f}"
        f" ({pair.moved_possibly:.3f}) px, {pair.colours} px; expected {'/'.join(pair.kinds)} {expected}; {verdict}"
    )


def write(folder, work, bases, pairs, most=12):
    """Writes a list of all problems, and for the first few of each a suite with its golden and model."""
    groups = {}
    for pair in pairs:
        if problem(pair):
            groups.setdefault(problem(pair), []).append(pair)
    text = []
    for group, members in sorted(groups.items()):
        text += [f"## {group}: {len(members)}", ""] + [f"- {line(pair)}" for pair in members] + [""]
        for pair in members[:most]:
            reproduce(folder / group.replace(" ", "-").replace(",", "") / drawing.slug(pair), work, pair)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "list.md").write_text("\n".join(text))


def reproduce(folder, work, pair):
    (folder / "goldens").mkdir(parents=True, exist_ok=True)
    case = pair.case()
    model = pathlib.Path(case["model"])
    case["model"] = model.name
    shutil.copy(model, folder)
    if model.suffix == ".gltf" and model.with_suffix(".bin").exists():
        shutil.copy(model.with_suffix(".bin"), folder)
    elif model.suffix == ".gltf":
        case["model"] = str(model)
    shutil.copy(work / "goldens" / f"{drawing.slug(pair)}.png", folder / "goldens")
    drawing.write_suite(folder / "suite.toml", "goldens", [(pair.name, case)])
    (folder / "pair.txt").write_text(f"{line(pair)}\n{json.dumps(drawing.DRIVERS[pair.driver])}\n")
