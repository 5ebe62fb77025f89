"""A pair of the corpus: a base and one change of it."""

import dataclasses


@dataclasses.dataclass
class Pair:
    """A change of a base. `kinds` are the kinds of changes that a right explanation may name."""

    base: object
    kind: str
    size: str
    kinds: tuple = ()
    harmless: bool = False
    model: object = None
    suffix: str = ".glb"
    rotations: dict = dataclasses.field(default_factory=dict)
    camera: object = None
    keys: dict = dataclasses.field(default_factory=dict)
    driver: str = "default"
    joint: str = None
    part: tuple = ()
    material: str = None
    # Filled in by the run.
    name: str = ""
    path: str = ""
    moved: float = 0.0
    moved_possibly: float = 0.0
    colours: int = 0
    label: str = ""
    scores: dict = dataclasses.field(default_factory=dict)
    result: dict = dataclasses.field(default_factory=dict)

    def case(self):
        return self.base.case(self.rotations, self.camera) | self.keys | {"model": self.path or self.base.path}


def label(pair):
    """Decides what a test must do. Values between the limits are left open."""
    if not pair.harmless and (pair.moved >= 0.25 or pair.colours >= 50):
        return "find"
    if pair.moved_possibly < 0.05 and pair.colours < 10:
        return "pass"
    return "open"
