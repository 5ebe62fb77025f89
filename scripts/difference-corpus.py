#!/usr/bin/env python3
"""Measures how well image tests tell breaks from harmless differences, on a labelled corpus that is made from seeds.

    scripts/difference-corpus.py [--work FOLDER] [--seed N] [--bases TEXT] [--again] [--page]

Characters of the repository, and with SINEW_TEST_DATA=DIR third-party characters in DIR/models, are posed, broken and rewritten. Each pair of
images is labelled from vertices that numpy skins in double precision, and from images of the same driver. Then `sinew test` and other measures
judge it. FOLDER [default: target/difference-corpus] then contains sheets/KIND.png with some pairs of each kind, and findings/, which lists what
the program judges or explains wrongly, with small suites that reproduce it. --page writes the tables to docs/differences.md and the curves to
docs/differences.png. --again only retests the images of an earlier run, for example with another program SINEW [default: target/debug/sinew].
--bases chooses the characters whose names contain TEXT.

Needs scripts/difference_corpus/requirements.txt, and dssim (`cargo install dssim`) in PATH or DSSIM.
"""

import argparse
import os
import pathlib
import pickle
import shutil
import sys
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True

from difference_corpus import bases, drawing, findings, labels, metrics, page, picture, plan, scores  # noqa: E402
from difference_corpus.pairs import label  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "target/difference-corpus")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bases", default="")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    sinew = os.environ.get("SINEW", str(ROOT / "target/debug/sinew"))
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    if options.again:
        characters, pairs, drivers = pickle.loads((work / "pairs.pickle").read_bytes())
    else:
        characters, pairs, drivers = make(options, sinew, work)
    test(sinew, work, characters, pairs, drivers)
    shutil.rmtree(work / "findings", ignore_errors=True)
    findings.write(work / "findings", work, characters, pairs)
    measure(work, characters, pairs)
    (work / "pairs.pickle").write_bytes(pickle.dumps((characters, pairs, drivers)))
    picture.sheets(work / "sheets", work, characters, pairs)
    if options.page:
        page.write(ROOT / "docs/differences.md", pairs, characters)
        picture.curves(ROOT / "docs/differences.png", pairs)
    print(scores.summary(pairs))


def make(options, sinew, work):
    """Makes, draws and labels all pairs."""
    data = os.environ.get("SINEW_TEST_DATA")
    drivers = [name for name, (variables, _) in plan.DRIVERS.items() if pathlib.Path(variables.get("VK_DRIVER_FILES", "/")).exists()]
    models = work / "models"
    shutil.rmtree(models, ignore_errors=True)
    models.mkdir()
    characters = bases.bases(ROOT, pathlib.Path(data) if data else None, models, np.random.default_rng(options.seed))
    characters = [base for base in characters if options.bases in base.name]
    labels.check_silhouettes(sinew, work, characters)
    step(f"{len(characters)} bases")
    pairs = plan.pairs(characters, drivers, options.seed)
    for pair in pairs:
        if pair.model is not None:
            pair.path = str(models / (drawing.slug(pair) + pair.suffix))
            pair.model.write(pair.path)
    step(f"{len(pairs)} pairs")
    for driver in drivers:
        drawing.draw(sinew, work, driver, characters, pairs)
        step(f"drawn by {driver}")
    for pair in pairs:
        labels.label_pair(work, characters, pair)
        pair.model = None
    step("labelled")
    return characters, pairs, drivers


def test(sinew, work, characters, pairs, drivers):
    """Tests all pairs against goldens that the same build draws."""
    drawing.draw_goldens(sinew, work, characters)
    for driver in drivers:
        cases = drawing.test(sinew, work, driver, characters, pairs)
        for pair in pairs:
            if pair.driver == driver:
                pair.result, pair.label = cases[pair.name], label(pair)
    step("tested")


def measure(work, characters, pairs):
    """Measures all pairs that were not measured before."""
    dssim = os.environ.get("DSSIM") or shutil.which("dssim")
    for pair in pairs:
        if not pair.scores:
            golden, actual = drawing.golden_and_actual(work, characters, pair)
            pair.scores = metrics.measure(golden, actual, dssim, work)
    step("measured")


def step(text):
    print(time.strftime("%H:%M:%S"), text, flush=True)


if __name__ == "__main__":
    main()
