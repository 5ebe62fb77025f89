"""Other measures of the difference between two images, each larger for larger differences."""

import subprocess

import numpy as np
from PIL import Image

# Thresholds that are used by default.
RECOMMENDED = {"pixelmatch": (0, "no different pixel, the default of test runners")}


def over(rgba, level):
    alpha = rgba[..., 3:] / 255
    return np.rint(rgba[..., :3] * alpha + level * (1 - alpha)).astype(np.uint8)


def measure(golden, actual, dssim, folder):
    """Returns all measures of a pair of RGBA images. Transparent ones are compared over white and over black."""
    opaque = (golden[..., 3] == 255).all() and (actual[..., 3] == 255).all()
    each = [one(over(golden, level), over(actual, level), dssim, folder) for level in ([255] if opaque else [255, 0])]
    return {name: max(scores[name] for scores in each) for name in each[0]}


def one(a, b, dssim, folder):
    import flip_evaluator
    import skimage.metrics
    from pixelmatch.contrib.PIL import pixelmatch

    differs = (a != b).any(-1)
    scores = {"any pixel": float(differs.sum())}
    if not differs.any():
        return scores | {"FLIP": 0.0, "SSIM": 0.0, "pixelmatch": 0.0} | ({"dssim": 0.0} if dssim else {})
    as_float = lambda image: np.ascontiguousarray(image.astype(np.float32) / 255)
    scores["FLIP"] = float(flip_evaluator.evaluate(as_float(a), as_float(b), "LDR")[1])
    scores["SSIM"] = 1 - float(skimage.metrics.structural_similarity(a, b, channel_axis=2))
    scores["pixelmatch"] = float(pixelmatch(Image.fromarray(a), Image.fromarray(b), threshold=0.1))
    if dssim:
        paths = [folder / "golden.png", folder / "actual.png"]
        for path, image in zip(paths, (a, b)):
            Image.fromarray(image).save(path, compress_level=0)
        output = subprocess.run([dssim, *paths], check=True, capture_output=True, text=True).stdout
        scores["dssim"] = float(output.split()[0])
    return scores
