"""Labels pairs by what changes in them, without the program's own explanation."""

import numpy as np
from scipy.spatial import cKDTree

from . import drawing
from .pairs import label
from .visibility import shifts

MASK = {"mode": "mask", "samples": 1, "background": "#000000"}


def check_silhouettes(sinew, folder, bases):
    """Fails if the skinned vertices do not cover the pixels that the program draws. Pixels at edges may differ by rounding."""
    cases = [(f"base {number}", base.case() | {"model": base.path} | MASK) for number, base in enumerate(bases)]
    drawing.write_suite(folder / "silhouettes.toml", "silhouettes", cases)
    drawing.run(sinew, "default", folder / "silhouettes.toml", "--update=all")
    for number, base in enumerate(bases):
        drawn = drawing.image(folder / "silhouettes" / f"base-{number}.png")[..., :3].max(2) > 0
        different = int((drawn != base.seen.coverage()).sum())
        if different > 20:
            raise SystemExit(f"{base.name}: {different} pixels of the silhouette differ from the skinned vertices")


def label_pair(folder, bases, pair):
    before = pair.base.seen
    if pair.harmless and pair.model is not None:
        pair.moved = pair.moved_possibly = corner_distance(pair.base, pair)
    elif pair.model is not None or pair.rotations or pair.camera:
        after = pair.base.view(pair.model, pair.rotations, pair.camera)
        pair.moved, pair.moved_possibly = shifts(before, after)
    golden, actual = drawing.golden_and_actual(folder, bases, pair, pair.driver)
    pair.colours = int((np.abs(golden - actual).max(2) >= 2).sum())
    pair.label = label(pair)


def corner_distance(base, pair):
    """Returns the largest distance in pixels from a corner of a triangle to the nearest one of the other file."""
    points = []
    for view, model in ((base.seen, None), (base.view(pair.model), pair.model)):
        parts = base.pose(model).parts()
        points.append(np.concatenate([view.parts[key][np.unique(triangles)] for key, (_, triangles) in parts.items()]))
    a, b = (np.where(np.isfinite(p), p, 0)[:, :2] for p in points)
    return float(max(cKDTree(a).query(b)[0].max(), cKDTree(b).query(a)[0].max()))
