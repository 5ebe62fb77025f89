#!/usr/bin/env python3
"""Opens every model file below a folder, and prints Markdown tables: how many are opened in each folder, with or without
warnings, and how often each reason for a refusal and each warning occurs.

    scripts/open-models.py DIR [--program PATH] [--files]

PATH is the program to use [default: target/debug/sinew]. --files also lists every refused file. If a validator's report lies
beside a file (NAME.report.json), a refusal of a file without errors is listed too.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

SUFFIXES = {".gltf", ".glb", ".vrm", ".vrma", ".fbx", ".urdf", ".bvh"}


def generalized(text):
    """Replaces names and numbers, so that equal reasons count as one."""
    text = re.sub(r'"[^"]*"', '"…"', text)
    text = re.sub(r"\[\d+\]", "[n]", text)
    text = re.sub(r"-?\d+(\.\d+)?(e-?\d+)?", "n", text)
    return re.sub(r"\b(nodes|meshes|accessors|skins|animations)\.\S+", r"\1…", text)


def open_file(program, path):
    """Returns the warnings of a file, or the reason for its refusal as a string."""
    result = subprocess.run([program, "inspect", "--json", path], capture_output=True, text=True, timeout=60)
    if result.returncode < 0 or "panicked" in result.stderr:
        sys.exit(f"{path}: crashed: {result.stderr}")
    if result.returncode == 0:
        return json.loads(result.stdout)["warnings"]
    lines = result.stderr.strip().splitlines()
    if len(lines) != 1:
        sys.exit(f"{path}: the reason is not one line: {result.stderr}")
    return lines[0].removeprefix("error: ").removeprefix(f"{path}: ")


def validator_errors(path):
    report = path.with_name(path.name + ".report.json")
    if not report.is_file():
        report = path.with_suffix(".report.json")
    return json.loads(report.read_text())["issues"]["numErrors"] if report.is_file() else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--program", default="target/debug/sinew")
    parser.add_argument("--files", action="store_true")
    options = parser.parse_args()
    counts = collections.defaultdict(lambda: [0, 0, 0])
    refusals, warnings, lines = collections.Counter(), collections.Counter(), []
    for path in sorted(p for p in options.folder.rglob("*") if p.suffix.lower() in SUFFIXES):
        relative = path.relative_to(options.folder)
        outcome = open_file(options.program, path)
        column = 2 if isinstance(outcome, str) else 1 if outcome else 0
        counts[relative.parts[0] if len(relative.parts) > 1 else "."][column] += 1
        if column == 2:
            refusals[generalized(outcome)] += 1
            errors = validator_errors(path)
            if options.files or errors == 0:
                lines.append(f"{relative}: {outcome}" + (" (no errors in its report)" if errors == 0 else ""))
        else:
            warnings.update({generalized(warning) for warning in outcome})
    print("| folder | opened | opened with warnings | refused |\n|---|---|---|---|")
    for folder, row in sorted(counts.items()):
        print(f"| `{folder}` | {' | '.join(map(str, row))} |")
    print(f"| all | {' | '.join(str(sum(column)) for column in zip(*counts.values()))} |")
    for title, counter in (("reason for a refusal", refusals), ("warning", warnings)):
        print(f"\n| {title} | files |\n|---|---|")
        for text, count in counter.most_common():
            print(f"| {text.replace('|', chr(92) + '|')} | {count} |")
    print("", *lines, sep="\n")


if __name__ == "__main__":
    main()
