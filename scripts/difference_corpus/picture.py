"""Draws the curves of the measures, and sheets of pairs for inspection."""

import numpy as np
from PIL import Image, ImageDraw

from . import drawing, scores

COLOURS = {"sinew": "#c1121f", "FLIP, mean and worst tile": "#e8871e", "FLIP": "#2a9d8f", "SSIM": "#577590", "pixelmatch": "#6a4c93",
           "dssim": "#8d6e63", "any pixel": "#9e9e9e"}


def curves(path, pairs):
    """Draws the share of missed breaks against the share of false alarms."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(9, 6), dpi=100)
    for curve in scores.curves(pairs):
        thresholds = curve.thresholds
        alarms = np.array([curve.alarms(t) for t in thresholds]) / len(curve.harmless) * 100
        misses = np.array([curve.misses(t) for t in thresholds]) / len(curve.breaks) * 100
        wide = 2.6 if curve.name == "sinew" else 1.6
        axes.plot(alarms, misses, color=COLOURS[curve.name], linewidth=wide, label=curve.name, drawstyle="steps-post")
        if curve.name == "sinew":
            at = curve.best()
            axes.plot(curve.alarms(at) / len(curve.harmless) * 100, curve.misses(at) / len(curve.breaks) * 100, "o",
                      color=COLOURS["sinew"], markersize=9, clip_on=False, label="sinew with its default limits", zorder=5)
    axes.axvline(1, color="#444", linewidth=1, linestyle=":")
    axes.text(1.05, 97, "1 %", color="#444", va="top")
    axes.set_xscale("symlog", linthresh=1, linscale=0.6)
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 100)
    axes.set_xticks([0, 0.5, 1, 2, 5, 10, 20, 50, 100], ["0", "0.5", "1", "2", "5", "10", "20", "50", "100"])
    axes.set_xlabel("false alarms, % of the harmless pairs")
    axes.set_ylabel("misses, % of the breaks")
    axes.grid(alpha=0.25)
    axes.legend(loc="upper right", framealpha=1)
    figure.tight_layout()
    figure.savefig(path, metadata={"Software": None})


def sheets(folder, work, bases, pairs, rows=6):
    """Writes one sheet for each kind of pair: golden, actual image, and difference times eight."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind in sorted({pair.kind for pair in pairs}):
        of_kind = [pair for pair in pairs if pair.kind == kind]
        chosen = of_kind[:: max(1, len(of_kind) // rows)][:rows]
        sheet = Image.new("RGB", (3 * 256 + 10, len(chosen) * 276), "white")
        for row, pair in enumerate(chosen):
            golden, actual = drawing.golden_and_actual(work, bases, pair)
            difference = (np.abs(golden - actual) * 8).clip(0, 255)
            difference[..., 3] = 255
            for column, image in enumerate((golden, actual, difference)):
                picture = Image.fromarray(image.astype(np.uint8), "RGBA")
                sheet.paste(picture, (column * 261, row * 276 + 18), picture)
            text = f"{pair.name} {pair.base.name}, {pair.size}, {pair.driver}: {pair.label}, {pair.moved:.2f} px, {pair.colours} px"
            ImageDraw.Draw(sheet).text((4, row * 276 + 3), text, fill="black")
        sheet.save(folder / f"{kind.replace(' ', '-')}.png")
