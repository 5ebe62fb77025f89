"""Breaks of materials, textures, colours and normals."""

import io

import numpy as np
from PIL import Image

from .bases import png
from .breaks import part_names, primitive, visible_parts
from .pairs import Pair

LEVELS = (0.2, 0.5, 1, 2, 3, 5, 10)


def encoded(linear):
    return np.where(linear <= 0.0031308, linear * 12.92, 1.055 * np.maximum(linear, 1e-9) ** (1 / 2.4) - 0.055)


def decoded(value):
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def some_material(base, rng, model, accept=lambda material, primitive: True):
    """Returns the index of a visible material, and the part that shows it."""
    keys = [k for k in visible_parts(base) if "material" in primitive(base, k)]
    keys = [k for k in keys if accept(model["materials"][primitive(base, k)["material"]], primitive(base, k))]
    if not keys:
        return None
    key = keys[rng.integers(min(4, len(keys)))]
    return primitive(base, key)["material"], key


def material_pair(base, model, index, kind, size):
    name = base.model["materials"][index].get("name") or f"#{index}"
    return Pair(base, kind, size, ("shaded",), model=model, material=name)


def base_colour(base, rng, levels):
    """Changes a channel or all channels of a base colour by levels of 255."""
    model = base.model.copy()
    found = some_material(base, rng, model)
    if not found:
        return None
    pbr = model["materials"][found[0]].setdefault("pbrMetallicRoughness", {})
    colour = np.array(pbr.get("baseColorFactor", [1, 1, 1, 1]), float)
    channels = rng.integers(3) if rng.random() < 0.5 else slice(0, 3)
    level = encoded(colour[channels])
    step = levels / 255 * np.where(np.mean(level) > 0.5, -1, 1)
    colour[channels] = decoded(np.clip(level + step, 0, 1))
    pbr["baseColorFactor"] = colour.tolist()
    return material_pair(base, model, found[0], "base colour", f"{levels} levels")


def emission(base, rng, levels):
    model = base.model.copy()
    found = some_material(base, rng, model)
    if not found:
        return None
    material = model["materials"][found[0]]
    material["emissiveFactor"] = (np.array(material.get("emissiveFactor", [0, 0, 0]), float) + levels / 255 / 3).clip(0, 1).tolist()
    material.pop("emissiveTexture", None)
    return material_pair(base, model, found[0], "emission", f"{levels} levels")


def texture(base, rng, levels):
    """Changes a rectangle of a texture by levels."""
    model = base.model.copy()
    colour = lambda m: m.get("pbrMetallicRoughness", {}).get("baseColorTexture")
    found = some_material(base, rng, model, lambda m, p: colour(m) and image_of(model, colour(m)["index"]) is not None)
    if not found:
        return None
    image = image_of(model, colour(model["materials"][found[0]])["index"])
    pixels = np.asarray(Image.open(io.BytesIO(model.view(image["bufferView"]))).convert("RGBA")).astype(int)
    height, width = pixels.shape[:2]
    share = rng.choice([0.3, 0.6, 1.0])
    top, left = (int(rng.uniform(0, 1 - share) * n) for n in (height, width))
    area = pixels[top : top + int(share * height) + 1, left : left + int(share * width) + 1, :3]
    area += int(round(levels)) * (-1 if area.mean() > 127 else 1)
    image["bufferView"], image["mimeType"] = model.add_view(png(pixels.clip(0, 255).astype(np.uint8))), "image/png"
    return material_pair(base, model, found[0], "texture", f"{levels} levels")


def image_of(model, texture_index):
    source = model["textures"][texture_index].get("source")
    return model["images"][source] if source is not None and "bufferView" in model["images"][source] else None


def vertex_colour(base, rng, levels):
    keys = [k for k in visible_parts(base) if "COLOR_0" in primitive(base, k)["attributes"]]
    if not keys:
        return None
    key, model = keys[rng.integers(len(keys))], base.model.copy()
    attributes = primitive(base, key, model)["attributes"]
    colours = model.array(attributes["COLOR_0"])
    level = encoded(colours[:, :3])
    colours[:, :3] = decoded((level + np.where(level.mean() > 0.5, -1, 1) * levels / 255).clip(0, 1))
    attributes["COLOR_0"] = model.add(colours.astype(np.float32))
    return Pair(base, "vertex colours", f"{levels} levels", ("shaded",), model=model, part=part_names(base, key[0]))


def surface(base, rng, key, step):
    """Changes the roughness or the metalness."""
    model = base.model.copy()
    found = some_material(base, rng, model)
    if not found:
        return None
    pbr = model["materials"][found[0]].setdefault("pbrMetallicRoughness", {})
    value = pbr.get(key, 1.0)
    pbr[key] = value - step if value > 0.5 else value + step
    return material_pair(base, model, found[0], "roughness" if "rough" in key else "metalness", f"{step}")


def normal_map(base, rng, change):
    model = base.model.copy()
    found = some_material(base, rng, model, lambda m, p: "normalTexture" in m)
    if not found:
        return None
    material = model["materials"][found[0]]
    if change == "removed":
        del material["normalTexture"]
    elif change == "green flipped":
        image = image_of(model, material["normalTexture"]["index"])
        pixels = np.array(Image.open(io.BytesIO(model.view(image["bufferView"]))).convert("RGB"))
        pixels[:, :, 1] = 255 - pixels[:, :, 1]
        image["bufferView"] = model.add_view(png(pixels))
    else:
        material["normalTexture"]["scale"] = float(change)
    return material_pair(base, model, found[0], "normal map", change)


def normals(base, rng, degrees):
    """Turns all normals of a part about the vertical axis."""
    keys = [k for k in visible_parts(base) if "NORMAL" in primitive(base, k)["attributes"]]
    if not keys:
        return None
    key, model = keys[rng.integers(min(4, len(keys)))], base.model.copy()
    attributes = primitive(base, key, model)["attributes"]
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    turn = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    attributes["NORMAL"] = model.add((model.array(attributes["NORMAL"]) @ turn.T).astype(np.float32))
    return Pair(base, "normals", f"{degrees}°", ("shaded",), model=model, part=part_names(base, key[0]))
