"""The characters that looks.py draws: test models, and the mannequin with materials that the test models do not have."""

import dataclasses
import json
import pathlib
import struct

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Twelve figures. The mannequin in `assets` is part of this project, and the other figures are test models.
CHARACTERS = {
    "knight": "quaternius/single_knight_pack/KnightCharacter/KnightCharacter.glb",
    "enemy": "quaternius/cyberpunk_pack/Enemy_2Legs/Enemy_2Legs.glb",
    "robot": "raylib/robot/robot.glb",
    "witch": "quaternius/modular_women/Witch/Witch.glb",
    "adventurer": "quaternius/modular_men/Adventurer/Adventurer.glb",
    "character": "quaternius/platformer_game_pack/Character/Character.glb",
    "greenman": "raylib/greenman/greenman.glb",
    "fox": "khronos-sample-models/Fox/glTF-Binary/Fox.glb",
    "horse": "quaternius/animals_pack/Horse/Horse.glb",
    "spider": "quaternius/easy_enemies_pack/Spider/Spider.glb",
    "leela": "quaternius/mech_pack/Leela/Leela.glb",
    "mannequin": "assets/mannequin.glb",
}


def material(color, metallic, roughness, **extensions):
    surface = {"baseColorFactor": [*color, 1], "metallicFactor": metallic, "roughnessFactor": roughness}
    return {"pbrMetallicRoughness": surface, "extensions": extensions}


# Materials for the mannequin, which is 1.8 m tall. Extension names omit "KHR_materials_".
MATERIALS = {
    "chrome": material((0.95, 0.95, 0.95), 1, 0.08),
    "gold": material((1.0, 0.71, 0.29), 1, 0.35),
    "plastic": material((0.7, 0.04, 0.03), 0, 0.3),
    "car paint": material((0.02, 0.06, 0.3), 0.5, 0.5, clearcoat={"clearcoatFactor": 1, "clearcoatRoughnessFactor": 0.03}),
    "white": material((0.9, 0.9, 0.9), 0, 0.6),
    "black": material((0.015, 0.015, 0.015), 0, 0.6),
    "skin": material((0.72, 0.42, 0.32), 0, 0.48),
    "velvet": material(
        (0.12, 0.01, 0.05), 0, 0.9, sheen={"sheenColorFactor": [0.9, 0.35, 0.5], "sheenRoughnessFactor": 0.4}
    ),
    "glass": material(
        (1, 1, 1),
        0,
        0.05,
        transmission={"transmissionFactor": 1},
        ior={"ior": 1.45},
        volume={"thicknessFactor": 0.15, "attenuationColor": [0.5, 0.85, 0.75], "attenuationDistance": 0.2},
    ),
    "see-through": material((0.2, 0.5, 0.8), 0, 0.2),
    "hair": material((0.12, 0.05, 0.02), 0, 0.4, anisotropy={"anisotropyStrength": 0.8, "anisotropyRotation": 1.5708}),
    "bubble": material(
        (0.3, 0.3, 0.3),
        1,
        0.15,
        iridescence={
            "iridescenceFactor": 1,
            "iridescenceIor": 1.4,
            "iridescenceThicknessMinimum": 400,
            "iridescenceThicknessMaximum": 400,
        },
    ),
    "toon": material((0.95, 0.72, 0.6), 0, 0.9),
}
MATERIALS["see-through"]["alphaMode"] = "BLEND"
MATERIALS["see-through"]["pbrMetallicRoughness"]["baseColorFactor"][3] = 0.4
MATERIALS["toon"]["extensions"]["VRMC_materials_mtoon"] = {
    "specVersion": "1.0",
    "shadeColorFactor": [0.62, 0.3, 0.3],
    "shadingShiftFactor": -0.05,
    "shadingToonyFactor": 0.95,
    "parametricRimColorFactor": [0.25, 0.25, 0.25],
    "parametricRimFresnelPowerFactor": 5,
    "rimLightingMixFactor": 1,
    "outlineWidthMode": "worldCoordinates",
    "outlineWidthFactor": 0.004,
    "outlineColorFactor": [0.1, 0.03, 0.03],
}


@dataclasses.dataclass
class Entry:
    name: str
    sheet: str
    file: pathlib.Path
    material: dict | None = None

    @property
    def is_toon(self):
        return self.name == "toon"

    def read(self):
        """Returns the GLB without clips, and with the material of this entry."""
        document, binary = split(self.file.read_bytes())
        document.pop("animations", None)
        if self.material:
            binary = dress(document, binary, self.material)
        return join(document, binary)


def all_of(folder):
    folder_of = lambda path: ROOT if path.startswith("assets/") else folder
    entries = [Entry(name, "characters", folder_of(path) / path) for name, path in CHARACTERS.items()]
    mannequin = ROOT / CHARACTERS["mannequin"]
    return entries + [Entry(name, "materials", mannequin, look) for name, look in MATERIALS.items()]


def split(data):
    length = struct.unpack("<I", data[12:16])[0]
    return json.loads(data[20 : 20 + length]), data[28 + length :]


def join(document, binary):
    text = json.dumps(document, sort_keys=True).encode()
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(binary), 0x004E4942) + binary
    return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks


def dress(document, binary, look):
    """Replaces the material and the vertex colours. Adds tangents that run around the vertical axis, and texture coordinates."""
    full = lambda name: name if name.startswith("VRMC") else f"KHR_materials_{name}"
    extensions = {full(name): value for name, value in look["extensions"].items()}
    document["materials"] = [{**look, "extensions": extensions}]
    document["extensionsUsed"] = sorted({*document.get("extensionsUsed", []), *extensions})
    for primitive in (p for mesh in document["meshes"] for p in mesh["primitives"]):
        attributes = primitive["attributes"]
        attributes.pop("COLOR_0", None)
        positions = read(document, binary, attributes["POSITION"])
        normals = read(document, binary, attributes["NORMAL"])
        around = numpy.cross((0, 1, 0), normals) + (1e-6, 0, 0)
        around /= numpy.linalg.norm(around, axis=1, keepdims=True)
        tangents = numpy.concatenate([around, numpy.ones((len(around), 1))], 1)
        flat = numpy.stack([numpy.arctan2(positions[:, 0], positions[:, 2]) / 6.2831853 + 0.5, positions[:, 1]], 1)
        for name, values in {"TANGENT": tangents, "TEXCOORD_0": flat}.items():
            binary += b"\0" * (-len(binary) % 4)
            part = values.astype("<f4").tobytes()
            document["bufferViews"].append({"buffer": 0, "byteOffset": len(binary), "byteLength": len(part)})
            view, kind = len(document["bufferViews"]) - 1, f"VEC{values.shape[1]}"
            accessor = {"bufferView": view, "componentType": 5126, "count": len(values), "type": kind}
            document["accessors"].append(accessor)
            attributes[name] = len(document["accessors"]) - 1
            binary += part
    document["buffers"][0]["byteLength"] = len(binary)
    return binary


def read(document, binary, index):
    """Returns the vectors of an accessor of floats."""
    accessor = document["accessors"][index]
    view = document["bufferViews"][accessor["bufferView"]]
    assert accessor["componentType"] == 5126 and "byteStride" not in view
    start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    values = numpy.frombuffer(binary, "<f4", accessor["count"] * 3, start)
    return values.reshape(-1, 3).astype(float)
