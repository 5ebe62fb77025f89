"""Harmless changes: the same character, written in another way."""

import io

import numpy as np
from PIL import Image

from .bases import png
from .pairs import Pair
from .pose import turned


def rewritten(base, rng):
    """The same data, in one buffer of a GLB file of another program."""
    return Pair(base, "rewritten", "GLB", harmless=True, model=base.model.copy())


def separate(base, rng):
    return Pair(base, "rewritten", "glTF and bin", harmless=True, model=base.model.copy(), suffix=".gltf")


def each_primitive(model):
    """Returns the primitives whose vertices can be changed, without those that share accessors through other meshes."""
    return [p for mesh in model["meshes"] for p in mesh["primitives"] if p.get("mode", 4) == 4]


def rearranged(model, part, order, triangles):
    """Reorders the vertices, or repeats some of them."""
    remap = lambda accessor: model.add(model.raw(accessor)[order], model["accessors"][accessor].get("normalized", False))
    part["attributes"] = {name: remap(accessor) for name, accessor in part["attributes"].items()}
    part["targets"] = [{name: remap(accessor) for name, accessor in target.items()} for target in part.get("targets", [])]
    if not part["targets"]:
        del part["targets"]
    part["indices"] = model.add(triangles.reshape(-1, 1).astype(np.uint32))


def indices(model, part):
    if "indices" in part:
        return model.raw(part["indices"]).reshape(-1, 3).astype(int)
    return np.arange(model["accessors"][part["attributes"]["POSITION"]]["count"]).reshape(-1, 3)


def reordered(base, rng):
    """Another order of vertices and triangles, and another first corner of each triangle."""
    model = base.model.copy()
    for part in each_primitive(model):
        triangles = indices(model, part)
        order = rng.permutation(model["accessors"][part["attributes"]["POSITION"]]["count"])
        place = np.empty(len(order), int)
        place[order] = np.arange(len(order))
        triangles = place[triangles][rng.permutation(len(triangles))]
        starts = rng.integers(3, size=len(triangles))
        triangles = triangles[np.arange(len(triangles))[:, None], (np.arange(3) + starts[:, None]) % 3]
        rearranged(model, part, order, triangles)
    return Pair(base, "reordered", "vertices and triangles", harmless=True, model=model)


def unused(base, rng):
    model = base.model.copy()
    for part in each_primitive(model):
        count = model["accessors"][part["attributes"]["POSITION"]]["count"]
        order = np.append(np.arange(count), rng.integers(count, size=9))
        rearranged(model, part, order, indices(model, part))
    return Pair(base, "unused vertices", "9", harmless=True, model=model)


def split(base, rng):
    """Every triangle has vertices of its own."""
    model = base.model.copy()
    for part in each_primitive(model):
        order = indices(model, part).reshape(-1)
        rearranged(model, part, order, np.arange(len(order)))
    return Pair(base, "vertices split", "all", harmless=True, model=model)


def materials(base, rng):
    """Another order of materials, and an unused one."""
    model = base.model.copy()
    if not model["materials"]:
        return None
    model["materials"].append({"name": "unused"})
    order = rng.permutation(len(model["materials"]))
    model.json["materials"] = [model["materials"][i] for i in order]
    for part in each_primitive(model):
        if "material" in part:
            part["material"] = int(np.flatnonzero(order == part["material"])[0])
    return Pair(base, "reordered", "materials", harmless=True, model=model)


def nodes(base, rng):
    """Another order of nodes, skins' joints and meshes."""
    model = base.model.copy()
    if base.rotations or any(key.startswith("VRM") for key in model.json.get("extensionsUsed", [])):
        return None
    order = rng.permutation(len(model["nodes"]))
    place = {int(old): new for new, old in enumerate(order)}
    moved = lambda list_: [place[i] for i in list_]
    model.json["nodes"] = [model["nodes"][i] for i in order]
    for node in model["nodes"]:
        if "children" in node:
            node["children"] = moved(node["children"])
    for scene in model["scenes"]:
        scene["nodes"] = moved(scene.get("nodes", []))
    for skin in model["skins"]:
        skin["joints"] = moved(skin["joints"])
        if "skeleton" in skin:
            skin["skeleton"] = place[skin["skeleton"]]
    for clip in model["animations"]:
        for channel in clip["channels"]:
            if "node" in channel["target"]:
                channel["target"]["node"] = place[channel["target"]["node"]]
    return Pair(base, "reordered", "nodes", harmless=True, model=model)


def images(base, rng):
    """The same pixels, encoded with another filter and compression."""
    model = base.model.copy()
    changed = False
    for image in model["images"]:
        if "bufferView" in image:
            picture = Image.open(io.BytesIO(model.view(image["bufferView"])))
            mode = "RGBA" if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info else "RGB"
            pixels = np.asarray(picture.convert(mode))
            if image["mimeType"] == "image/jpeg":
                # Another decoder rounds differently, so the pixels are not the same.
                continue
            image["bufferView"], changed = model.add_view(png(pixels, compress_level=1)), True
    return Pair(base, "images encoded again", "PNG", harmless=True, model=model) if changed else None


def rounded(base, rng):
    """Positions and normals that differ by rounding, as after an export."""
    model = base.model.copy()
    for part in each_primitive(model):
        for name in ("POSITION", "NORMAL"):
            accessor = part["attributes"].get(name)
            if accessor is not None and model["accessors"][accessor]["componentType"] == 5126:
                values = model.raw(accessor)
                scale = np.abs(values).max() * np.float32(1e-7)
                noise = rng.uniform(-1, 1, values.shape).astype(np.float32) * scale
                part["attributes"][name] = model.add((values + noise).astype(np.float32))
    return Pair(base, "rounded", "1e-7", harmless=True, model=model)


def weights16(base, rng):
    """Weights as normalised integers of 16 bits."""
    model, changed = base.model.copy(), False
    for part in each_primitive(model):
        accessor = part["attributes"].get("WEIGHTS_0")
        if accessor is not None and "WEIGHTS_1" not in part["attributes"]:
            values = model.array(accessor)
            sums = values.sum(1, keepdims=True)
            values = np.rint(values / np.where(sums == 0, 1, sums) * 65535).astype(np.uint16)
            part["attributes"]["WEIGHTS_0"], changed = model.add(values, normalized=True), True
    return Pair(base, "rounded", "weights of 16 bits", harmless=True, model=model) if changed else None


def renamed(base, rng):
    model = base.model.copy()
    for index, material in enumerate(model["materials"]):
        material["name"] = f"renamed {index}"
    return Pair(base, "renamed", "materials", harmless=True, model=model) if model["materials"] else None


def extras(base, rng):
    """An empty node, an unused texture and a comment."""
    model = base.model.copy()
    model["nodes"].append({"name": "empty"})
    model["scenes"][model.json.get("scene", 0)]["nodes"].append(len(model["nodes"]) - 1)
    model["images"].append({"bufferView": model.add_view(png(np.zeros((4, 4, 3), np.uint8))), "mimeType": "image/png"})
    model["textures"].append({"source": len(model["images"]) - 1})
    model.json["asset"]["extras"] = {"comment": "exported again"}
    return Pair(base, "unused data", "node and texture", harmless=True, model=model)


def negated(base, rng):
    """The rotations of some joints as the negative quaternions."""
    pose = base.pose()
    chosen = [int(n) for n in rng.permutation(len(base.model["nodes"]))[:5] if "matrix" not in base.model["nodes"][n]]
    chosen = [n for n in chosen if n not in base.rotations]
    return Pair(base, "−q", "five joints", harmless=True, rotations={n: -pose.rotation(n) for n in chosen})


def tiny_turn(base, rng):
    pose = base.pose()
    free = [n for n, node in enumerate(base.model["nodes"]) if n not in base.rotations and "matrix" not in node]
    node = int(rng.choice(free))
    return Pair(base, "turned", "1e-6 rad", harmless=True, rotations={node: turned(pose.rotation(node), rng.normal(size=3), 1e-6)})


ALL = [rewritten, separate, reordered, unused, split, materials, nodes, images, rounded, weights16, renamed, extras, negated, tiny_turn]
