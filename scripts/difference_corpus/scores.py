"""Scores image tests by the labels of the pairs."""

import dataclasses

import numpy as np

# Maximum fraction of the harmless pairs that may fail.
ALARMS = 0.01
# The limits of `sinew test` for shifts in pixels, numbers of pixels, and FLIP.
MOVED, SHADED, MEAN, WORST = 0.25, 50, 0.007, 0.04
NAMES = ["sinew", "FLIP, mean and worst tile", "FLIP", "SSIM", "pixelmatch", "dssim", "any pixel"]


def fails(pair):
    return pair.result["status"] != "passed"


def changes(pair):
    return (pair.result.get("explanation") or {}).get("changes", [])


def flip_score(pair):
    """Returns how far FLIP exceeds the limits of a suite, the only criterion before explanations existed."""
    image = pair.result.get("image") or {}
    return max(image.get("flip_mean", 0.0) / MEAN, image.get("flip_worst_tile", 0.0) / WORST)


def sinew_score(pair):
    """Returns how far the largest change exceeds its limit: at least 1 if the test fails."""
    shift = max((change["shift"] or 0.0 for change in changes(pair)), default=0.0) / MOVED
    seen = sum(change["visible"] for change in changes(pair) if change["kind"] not in ("noise", "silhouette")) / SHADED
    score = max(shift, seen, flip_score(pair))
    return max(score, 1.0) if fails(pair) else min(score, 1.0 - 1e-9)


def score(name, pair):
    if name == "sinew":
        return sinew_score(pair)
    return flip_score(pair) if name == NAMES[1] else pair.scores[name]


@dataclasses.dataclass
class Curve:
    """The scores of one measure. A pair fails if its score is above the threshold, or for sinew if the test fails."""

    name: str
    breaks: np.ndarray
    harmless: np.ndarray

    @property
    def thresholds(self):
        return np.unique(np.concatenate([[-1.0], self.breaks, self.harmless]))

    def misses(self, threshold):
        return int((self.breaks <= threshold).sum())

    def alarms(self, threshold):
        return int((self.harmless > threshold).sum())

    def best(self):
        """Returns the lowest threshold with few enough false alarms. For sinew, it is the default."""
        if self.name == "sinew":
            return 1.0 - 1e-9
        allowed = int(ALARMS * len(self.harmless))
        return next(t for t in self.thresholds if self.alarms(t) <= allowed)

    def alarms_without_misses(self):
        below = self.thresholds[self.thresholds < self.breaks.min()]
        return self.alarms(below.max())


def curves(pairs):
    """Returns the curves of all measures that were made."""
    made = []
    for name in NAMES:
        if name in ("sinew", NAMES[1]) or all(name in pair.scores for pair in pairs):
            of = lambda label: np.array([score(name, pair) for pair in pairs if pair.label == label], float)
            made.append(Curve(name, of("find"), of("pass")))
    return made


def is_small_movement(pair):
    """Returns whether a pair counts only because a movement of less than a quarter of a pixel changes the colours of 50 pixels."""
    return pair.label == "find" and pair.moved < MOVED and (pair.moved_possibly > 0 or "camera" in pair.kinds or pair.joint)


def explanation(pair):
    """Returns whether the most important change names the right kind, and the right joint, part or material. `None` is not applicable."""
    first = (changes(pair) or [None])[0]
    if first is None:
        return False, False
    kind = first["kind"] in pair.kinds
    if pair.joint and pair.material:
        # The joint or the material may change too little to be named.
        return kind, pair.joint == first["joint"] or pair.material == first["material"]
    if pair.joint:
        moved = [change["joint"] for change in changes(pair) if change["kind"] == "moved"]
        return kind, bool(moved) and moved[0] == pair.joint
    if pair.material:
        return kind, first["material"] == pair.material
    if pair.part:
        return kind, any(part in (first["text"] or "") for part in pair.part)
    return kind, None


def summary(pairs):
    """Returns the scores in one line each."""
    lines = []
    for curve in curves(pairs):
        best = curve.best()
        lines.append(f"{curve.name}: {curve.misses(best)} of {len(curve.breaks)} missed, {curve.alarms(best)} of {len(curve.harmless)} false alarms")
    return "\n".join(lines)
