"""Which pairs are made of each base."""

import itertools

import numpy as np

from . import breaks, harmless, looks
from .pairs import Pair

# Environment and options of each driver variant. `swiftshader` is left out if it is not installed.
DRIVERS = {
    "default": ({}, []),
    "sse4.1": ({"GALLIUM_OVERRIDE_CPU_CAPS": "sse4.1"}, []),
    "sse4.1-128": ({"GALLIUM_OVERRIDE_CPU_CAPS": "sse4.1", "LP_NATIVE_VECTOR_WIDTH": "128"}, []),
    "nosse": ({"GALLIUM_OVERRIDE_CPU_CAPS": "nosse"}, []),
    "gl": ({}, ["--adapter", "gl"]),
    "swiftshader": ({"VK_DRIVER_FILES": "/usr/lib/chromium/vk_swiftshader_icd.json",
                     "VK_ICD_FILENAMES": "/usr/lib/chromium/vk_swiftshader_icd.json"}, []),
}
LIGHTS = [("light-rotation", 0.5), ("exposure", 0.01), ("light-rotation", 3), ("exposure", 0.05), ("exposure", 0.3),
          ("light-rotation", 20), ("light", "outdoor"), ("light", "studio")]
SETTINGS = [("samples", 4), ("shadow", "off"), ("ground", "off"), ("samples", 1)]


class Cycle:
    """Deals out sizes in turn, so that all sizes occur equally often."""

    def __init__(self, *values):
        self.values = itertools.cycle(values)

    def __call__(self):
        return next(self.values)


def pairs(bases, drivers, seed):
    """Returns all pairs. Each base has a random sequence of its own, so that a further base does not change the others."""
    others = [name for name in drivers if name != "default"]
    deal = {
        "turn": Cycle(*breaks.MILLIMETRES), "shift": Cycle(*breaks.MILLIMETRES[::-1]), "pixels": Cycle(*breaks.PIXELS),
        "angle": Cycle(*breaks.PIXELS[::-1]), "weight": Cycle(0.05, 0.5, 0.1, 0.2), "radius": Cycle(0, 0.08),
        "colour": Cycle(*looks.LEVELS), "paint": Cycle(10, 1, 5, 2, 3), "glow": Cycle(*looks.LEVELS[::-1]),
        "surface": Cycle(0.3, 0.02, 0.1), "metal": Cycle(0.02, 0.2, 0.05), "bumps": Cycle("0.9", "0.5", "removed", "green flipped"),
        "normals": Cycle(1, 10, 3, 0.2), "hole": Cycle(0.002, 0.01, 0.03), "cube": Cycle(0.02, 0.05, 0.15), "light": Cycle(*LIGHTS),
        "back": Cycle(2, 1, 5), "setting": Cycle(*SETTINGS), "driver": Cycle(*others) if others else Cycle("default"),
    }
    made = []
    for number, base in enumerate(bases):
        rng = np.random.default_rng([seed, number])
        of_base = broken(base, rng, deal) + [change(base, rng) for change in harmless.ALL]
        of_base = [pair for pair in of_base if pair is not None]
        for pair in of_base:
            if rng.random() < 0.3:
                pair.driver = deal["driver"]()
        for driver in others:
            of_base.append(Pair(base, "other driver", driver, harmless=True, driver=driver))
        made += of_base
    for index, pair in enumerate(made):
        pair.name = f"pair {index}"
    return made


def broken(base, rng, deal):
    nodes = breaks.joints(base)
    some = [int(node) for node in rng.permutation(nodes)[:5]]
    made = [breaks.joint_turn(base, rng, node, deal["turn"]()) for node in some[:4]]
    made += [breaks.joint_shift(base, rng, node, deal["shift"]()) for node in some[4:]]
    made += [breaks.weight(base, rng, deal["weight"](), deal["radius"]()) for _ in range(2)]
    made += [looks.base_colour(base, rng, deal["colour"]()) for _ in range(2)]
    made += [looks.texture(base, rng, deal["paint"]()), looks.vertex_colour(base, rng, deal["paint"]())]
    made += [looks.emission(base, rng, deal["glow"]()), looks.normals(base, rng, deal["normals"]())]
    made += [looks.surface(base, rng, "roughnessFactor", deal["surface"]()), looks.surface(base, rng, "metallicFactor", deal["metal"]())]
    made += [looks.normal_map(base, rng, deal["bumps"]()) for _ in range(2)]
    made += [breaks.missing(base, rng), breaks.hole(base, rng, deal["hole"]()), breaks.added(base, rng, deal["cube"]())]
    made += [breaks.camera_shift(base, rng, deal["pixels"]()) for _ in range(2)]
    made += [breaks.field_of_view(base, rng, deal["angle"]()), breaks.light(base, rng, *deal["light"]())]
    made += [breaks.backdrop(base, rng, deal["back"]()), breaks.setting(base, rng, *deal["setting"]())]
    if some:
        made.append(breaks.both(breaks.joint_turn(base, rng, some[0], deal["turn"]()), looks.base_colour(base, rng, deal["colour"]())))
    return made
