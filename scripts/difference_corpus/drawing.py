"""Runs the program on suites of the corpus."""

import json
import os
import pathlib
import shutil
import subprocess

import numpy as np
from PIL import Image

from .plan import DRIVERS


def write_suite(path, goldens, cases):
    """Writes a suite with cases given as (name, keys)."""
    lines = ["version = 1", f"goldens = {json.dumps(goldens)}", ""]
    for name, keys in cases:
        lines += ["[[case]]", f"name = {json.dumps(name)}"]
        lines += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in keys.items()] + [""]
    pathlib.Path(path).write_text("\n".join(lines))


def run(sinew, driver, suite, *options):
    """Runs a suite with a driver. Returns the exit status."""
    environment, adapter = DRIVERS[driver]
    command = [sinew, "test", str(suite), *options, *adapter, "--jobs", "2", "--quiet"]
    result = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True)
    if result.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: status {result.returncode}: {result.stderr[-2000:]} {result.stdout[-2000:]}")
    return result


def draw(sinew, folder, driver, bases, pairs):
    """Draws the bases and the changes of all pairs of a driver into `folder/drawn-DRIVER`."""
    cases = [(f"base {number}", base.case() | {"model": base.path}) for number, base in enumerate(bases)]
    cases += [(pair.name, pair.case()) for pair in pairs if pair.driver == driver]
    suite = folder / f"draw-{driver}.toml"
    shutil.rmtree(folder / f"drawn-{driver}", ignore_errors=True)
    write_suite(suite, f"drawn-{driver}", cases)
    run(sinew, driver, suite, "--update=all")


def draw_goldens(sinew, folder, bases):
    """Draws the bases with the default driver into `folder/bases`."""
    shutil.rmtree(folder / "bases", ignore_errors=True)
    write_suite(folder / "bases.toml", "bases", [(f"base {number}", base.case() | {"model": base.path}) for number, base in enumerate(bases)])
    run(sinew, "default", folder / "bases.toml", "--update=all")


def test(sinew, folder, driver, bases, pairs):
    """Compares the changes of all pairs of a driver with goldens of the default driver. Returns the cases of the JSON report."""
    goldens = folder / "goldens"
    goldens.mkdir(exist_ok=True)
    chosen = [pair for pair in pairs if pair.driver == driver]
    for pair in chosen:
        shutil.copyfile(folder / "bases" / f"base-{bases.index(pair.base)}.png", goldens / f"{slug(pair)}.png")
    suite, report = folder / f"test-{driver}.toml", folder / f"test-{driver}.json"
    write_suite(suite, "goldens", [(pair.name, pair.case()) for pair in chosen])
    run(sinew, driver, suite, "--json", str(report))
    return {case["name"]: case for case in json.loads(report.read_text())["cases"]}


def slug(pair):
    return pair.name.replace(" ", "-")


def image(path):
    """Returns the pixels of an image as RGBA."""
    return np.asarray(Image.open(path).convert("RGBA")).astype(int)


def golden_and_actual(folder, bases, pair, driver="default"):
    """Returns the golden, drawn with a driver, and the change, drawn with the driver of the pair."""
    golden = image(folder / f"drawn-{driver}" / f"base-{bases.index(pair.base)}.png")
    drawn = folder / f"drawn-{pair.driver}" / f"{slug(pair)}.png"
    return golden, image(drawn)
