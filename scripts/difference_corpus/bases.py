"""The characters, poses and views from which the pairs of the corpus are made."""

import dataclasses
import functools
import io

import numpy as np
from PIL import Image

from .gltf import Model
from .pose import Pose
from .visibility import View, automatic

# Name, model, clip or None, time, and other keys of the suite. Paths below `models` are in the external test data. The key
# `camera` is the direction from which a fixed camera looks; without it, the program chooses the camera. `normal-map` adds a
# normal map to the model. `bent` rotates joints, so that the weights matter.
BASES = [
    ("mannequin walk", "assets/mannequin.glb", "walk", 0.4, {"background": "#d4d8dc", "camera": [0.5, 0.2, 1]}),
    ("mannequin wave", "assets/mannequin.glb", "wave", 0.5, {"light": "studio", "samples": 4}),
    ("spider", "assets/spider.glb", "walk", 0.13, {"background": "#d4d8dc", "camera": [0.8, 0.7, 0.7]}),
    ("tentacle", "assets/tentacle.glb", "sway", 0.9, {"camera": [0, 0.1, 1], "background": "transparent", "ground": "off"}),
    ("awkward", "assets/awkward.glb", "nod", 0.4, {"light": "outdoor", "camera": [0.4, 0.1, 1]}),
    ("arm", "assets/arm.glb", None, 0, {"bent": True, "camera": [1, 0.3, 0.6], "samples": 4}),
    ("fox walk", "models/khronos-sample-models/Fox/glTF-Binary/Fox.glb", "Walk", 0.3, {"background": "#d4d8dc", "camera": [1, 0.2, 0.3]}),
    ("fox survey", "models/khronos-sample-models/Fox/glTF-Binary/Fox.glb", "Survey", 1.2, {"light": "studio", "samples": 4}),
    ("cesium man", "models/vulkan-assets/CesiumMan/glTF-Binary/CesiumMan.glb", 0, 0.6, {"background": "#d4d8dc", "camera": [0.5, 0.2, 1]}),
    ("cesium man with bumps", "models/vulkan-assets/CesiumMan/glTF-Binary/CesiumMan.glb", 0, 1.3,
     {"normal-map": True, "light": "studio", "camera": [-0.7, 0.3, 1], "samples": 4}),
    ("wolf", "models/quaternius/animals_pack/Wolf/Wolf.glb", "AnimalArmature|Gallop", 0.3, {"background": "#d4d8dc", "camera": [1, 0.2, 0.2]}),
    ("horse", "models/quaternius/animals_pack/Horse/Horse.glb", "AnimalArmature|Eating", 0.8, {"background": "#203040", "light": "studio"}),
    ("trex", "models/quaternius/dinosaurs_pack/Trex/Trex.glb", "Armature|TRex_Run", 0.2, {"camera": [1, 0.2, 0.5], "samples": 4}),
    ("snake", "models/quaternius/easy_enemies_pack/Snake/Snake.glb", "SnakeArmature|Snake_Walk", 0.4, {"background": "#d4d8dc", "camera": [0.3, 0.5, 1]}),
    ("spider of others", "models/quaternius/easy_enemies_pack/Spider/Spider.glb", "SpiderArmature|Spider_Walk", 0.2, {}),
    ("manta", "models/quaternius/fish_pack/Manta_ray/Manta_ray.glb", "Armature|Swim", 0.5,
     {"camera": [0.4, 0.9, 0.6], "background": "transparent", "ground": "off", "samples": 4}),
    ("robot with bumps", "models/quaternius/cyberpunk_pack/Enemy_2Legs/Enemy_2Legs.glb", "CharacterArmature|Run", 0.3,
     {"normal-map": True, "light": "studio", "camera": [0.5, 0.2, 1]}),
    ("leela", "models/quaternius/mech_pack/Leela/Leela.glb", "Dance", 0.4, {"background": "#d4d8dc", "camera": [0.4, 0.2, 1]}),
    ("leela with bumps", "models/quaternius/mech_pack/Leela/Leela.glb", "Hello", 0.7, {"normal-map": True, "camera": [-0.4, 0.2, 1]}),
    ("adventurer", "models/quaternius/modular_men/Adventurer/Adventurer.glb", None, 0, {"background": "#d4d8dc", "bent": True, "camera": [0.3, 0.1, 1]}),
    ("witch", "models/quaternius/modular_women/Witch/Witch.glb", None, 0, {"background": "#203040", "light": "studio", "camera": [-0.3, 0.1, 1], "samples": 4}),
    ("platformer", "models/quaternius/platformer_game_pack/Character/Character.glb", "CharacterArmature|Duck", 0.3, {"background": "#d4d8dc", "camera": [0.6, 0.2, 1]}),
    ("knight", "models/quaternius/single_knight_pack/KnightCharacter/KnightCharacter.glb", "HumanArmature|Jump", 0.3, {"samples": 4}),
    ("kaykit mannequin", "models/kaykit-char/models/mannequin_v2/manny_med_mod.gltf", None, 0,
     {"bent": True, "normal-map": True, "camera": [0.5, 0.3, 1]}),
    ("raylib robot", "models/raylib/robot/robot.glb", "Robot_Dance", 0.7, {"background": "#d4d8dc", "camera": [0.4, 0.2, 1]}),
    ("green man", "models/raylib/greenman/greenman.glb", "2_move", 0.5, {"background": "#203040", "light": "studio", "camera": [0.5, 0.2, 1]}),
    ("arnaud", "models/ozz-animation/converted/arnaud/arnaud.glb", None, 0,
     {"bent": True, "camera": [0.2, 0.1, 1], "background": "transparent", "ground": "off"}),
    ("hand", "models/webxr-hands/left/generic-hand-left.glb", None, 0, {"background": "#203040", "bent": True, "camera": [0.5, 1, 0.5], "light": "studio"}),
    ("rigged figure", "models/derived/RiggedFigure-normalised/RiggedFigure-normalised.glb", 0, 0.6, {"background": "#d4d8dc", "camera": [0.5, 0.2, 1]}),
    ("mtoon", "models/vrm/VRMC_materials_mtoon_UV_Animation_Test.vrm", None, 0, {"camera": [0.1, 0.1, 1]}),
    ("mtoon cube", "models/vrm/materials-mtoon/cube.gltf", None, 0, {"camera": [0.6, 0.5, 1]}),
]


@dataclasses.dataclass
class Base:
    """A character in a pose, as a camera sees it."""

    name: str
    path: str
    model: Model
    clip: object
    time: float
    keys: dict
    rotations: dict
    camera: object

    def pose(self, model=None, rotations=None):
        return Pose(model or self.model, self.clip, self.time, self.rotations | (rotations or {}))

    def view(self, model=None, rotations=None, camera=None):
        parts = self.pose(model, rotations).parts()
        return View(parts, camera or self.camera or automatic(parts))

    @functools.cached_property
    def seen(self):
        return self.view()

    @functools.cached_property
    def height(self):
        """The size that corresponds to a person's 1.75 m."""
        points = np.concatenate([points for points, _ in self.pose().parts().values()])
        return (points.max(0) - points.min(0)).max()

    def case(self, rotations=None, camera=None):
        """Returns the keys of the suite that pose and show the character."""
        keys = dict(self.keys)
        if self.clip is not None:
            keys |= {"animation": str(self.clip), "animation-time": self.time}
        turns = self.rotations | (rotations or {})
        if turns:
            keys["rotate"] = [f"#{node}=" + ",".join(repr(float(x)) for x in q) for node, q in turns.items()]
        camera = camera or self.camera
        if camera:
            keys["camera-position"] = [float(x) for x in camera.position]
            keys["camera-focal-point"] = [float(x) for x in camera.target]
            keys["camera-view-angle"] = float(camera.fov)
        return keys


def bases(root, data, folder, rng):
    """Returns the bases whose files exist. Changed models are written to a folder."""
    found = []
    for name, path, clip, time, keys in BASES:
        full = (data if path.startswith("models/") else root) / path if data or path.startswith("assets/") else None
        if full is None or not full.is_file():
            continue
        keys, model = dict(keys), Model(full)
        if keys.pop("normal-map", False):
            add_normal_map(model)
            full = folder / f"{name.replace(' ', '-')}.glb"
            model.write(full)
        bent, direction = keys.pop("bent", False), keys.pop("camera", None)
        base = Base(name, str(full), model, clip, time, keys, {}, None)
        if bent:
            base.rotations = bend(base, rng)
        if direction:
            parts = base.pose().parts()
            base.camera = rounded(automatic(parts, direction, fov=30.0, closer=0.95))
        found.append(base)
    return found


def rounded(camera):
    camera.position = camera.position.astype(np.float32).astype(float)
    camera.target = camera.target.astype(np.float32).astype(float)
    return camera


def bend(base, rng):
    """Turns half of the joints by up to 25 degrees."""
    from .pose import turned

    pose = base.pose()
    joints = sorted({joint for skin in base.model["skins"] for joint in skin["joints"]})
    chosen = rng.permutation(joints)[: max(3, len(joints) // 2)]
    return {int(j): turned(pose.rotation(j), rng.normal(size=3), rng.uniform(0.1, 0.45)) for j in chosen}


def png(pixels, **options):
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG", **options)
    return out.getvalue()


def add_normal_map(model):
    """Adds bumps to all materials that have texture coordinates."""
    size = 128
    y, x = np.mgrid[0:size, 0:size] * (2 * np.pi / size)
    slopes = np.stack([0.35 * np.cos(6 * x) * np.sin(4 * y), 0.35 * np.sin(6 * x) * np.cos(4 * y), np.ones((size, size))], -1)
    normals = slopes / np.linalg.norm(slopes, axis=-1, keepdims=True)
    pixels = np.rint(normals * 127.5 + 127.5).astype(np.uint8)
    model["images"].append({"bufferView": model.add_view(png(pixels)), "mimeType": "image/png", "name": "bumps"})
    model["textures"].append({"source": len(model["images"]) - 1})
    for mesh in model["meshes"]:
        for primitive in mesh["primitives"]:
            if "TEXCOORD_0" in primitive["attributes"] and "material" in primitive:
                material = model["materials"][primitive["material"]]
                material["normalTexture"] = {"index": len(model["textures"]) - 1}
                # An unlit surface does not show its normal map.
                material.get("extensions", {}).pop("KHR_materials_unlit", None)
