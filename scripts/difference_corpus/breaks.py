"""Breaks of poses, weights, parts, cameras and views, which an image test should find if they are large enough."""

import numpy as np

from .pairs import Pair
from .pose import influences, turned
from .visibility import Camera

PERSON = 1.75
MILLIMETRES = (0.05, 0.5, 1, 2, 5, 10, 20, 50)
PIXELS = (0.05, 0.1, 0.25, 0.5, 1, 3)


def node_label(model, node):
    return model["nodes"][node].get("name") or f"#{node}"


def part_names(base, node):
    mesh = base.model["nodes"][node]["mesh"]
    return tuple(name for name in (base.model["meshes"][mesh].get("name"), node_label(base.model, node)) if name)


def visible_parts(base):
    """Returns the parts that show at least 20 vertices or a tenth of their vertices, sorted by descending number."""
    counts = {key: base.seen.visible(key).sum() for key in base.seen.parts}
    return [key for key in sorted(counts, key=lambda key: -counts[key]) if counts[key] >= min(20, len(base.seen.parts[key]) / 10)]


def primitive(base, key, model=None):
    model = model or base.model
    return model["meshes"][model["nodes"][key[0]]["mesh"]]["primitives"][key[1]]


def positions(base, rotations=None, model=None):
    return {key: points for key, (points, _) in base.pose(model, rotations).parts().items()}


def joints(base):
    """Returns the nodes that move visible vertices, except those that move nearly everything."""
    moving = []
    seen = {key: base.seen.visible(key) for key in base.seen.parts}
    total = sum(s.sum() for s in seen.values())
    rest, pose = positions(base), base.pose()
    for node in range(len(base.model["nodes"])):
        turn = {node: turned(pose.rotation(node), [1, 2, 3], 0.02)}
        if node in base.rotations or "matrix" in base.model["nodes"][node]:
            continue
        after = positions(base, turn)
        moved = sum((np.linalg.norm(after[k] - rest[k], axis=1)[seen[k]] > 1e-3 * base.height).sum() for k in rest)
        if 3 <= moved <= 0.7 * total:
            moving.append(node)
    return moving


def joint_turn(base, rng, node, millimetres):
    """Turns a joint so that its farthest visible vertex moves by a distance on a person of 1.75 m."""
    pose, rest = base.pose(), positions(base)
    axis, goal = rng.normal(size=3), millimetres / 1000 * base.height / PERSON

    def reach(angle):
        after = positions(base, {node: turned(pose.rotation(node), axis, angle)})
        return max(np.linalg.norm(after[k] - rest[k], axis=1)[base.seen.visible(k)].max(initial=0) for k in rest)

    angle = 0.02
    for _ in range(4):
        angle *= goal / max(reach(angle), 1e-12)
        angle = min(angle, 1.5)
    rotations = {node: turned(pose.rotation(node), axis, angle)}
    kinds = ("moved",) if base.camera else ("moved", "camera")
    return Pair(base, "joint turned", f"{millimetres} mm", kinds, rotations=rotations, joint=node_label(base.model, node))


def joint_shift(base, rng, node, millimetres):
    """Moves a joint in the file, together with its keys in the clip."""
    model = base.model.copy()
    above = next((i for i, n in enumerate(model["nodes"]) if node in n.get("children", [])), None)
    world = base.pose().world[above][:3, :3] if above is not None else np.eye(3)
    direction = rng.normal(size=3)
    offset = np.linalg.solve(world, direction / np.linalg.norm(direction) * millimetres / 1000 * base.height / PERSON)
    target = model["nodes"][node]
    target["translation"] = (np.array(target.get("translation", [0, 0, 0])) + offset).tolist()
    for clip in model["animations"]:
        for channel in clip["channels"]:
            if channel["target"].get("node") == node and channel["target"]["path"] == "translation":
                sampler = clip["samplers"][channel["sampler"]]
                keys = model.raw(sampler["output"])
                middle = slice(1, None, 3) if sampler.get("interpolation") == "CUBICSPLINE" else slice(None)
                keys[middle] += offset.astype(np.float32)
                clip["samplers"].append(sampler | {"output": model.add(keys)})
                channel["sampler"] = len(clip["samplers"]) - 1
    kinds = ("moved",) if base.camera else ("moved", "camera")
    return Pair(base, "joint shifted", f"{millimetres} mm", kinds, model=model, joint=node_label(model, node))


def weight(base, rng, amount, radius):
    """Moves a part of the weights of one vertex, or of those within a radius, to the parent of their joint."""
    keys = [key for key in visible_parts(base) if "skin" in base.model["nodes"][key[0]] and "JOINTS_0" in primitive(base, key)["attributes"]]
    if not keys:
        return None
    key, model = keys[rng.integers(min(3, len(keys)))], base.model.copy()
    attributes, skin = primitive(base, key, model)["attributes"], model["skins"][model["nodes"][key[0]]["skin"]]["joints"]
    parents = {child: i for i, n in enumerate(model["nodes"]) for child in n.get("children", [])}
    all_joints, all_weights = influences(model, attributes)
    points, seen = model.array(attributes["POSITION"]), base.seen.visible(key)
    vertex = rng.choice(np.flatnonzero(seen))
    size = np.linalg.norm(points.max(0) - points.min(0)) * radius
    near = np.flatnonzero(np.linalg.norm(points - points[vertex], axis=1) <= max(size, 1e-9))
    indices, weights = model.raw(attributes["JOINTS_0"]).astype(np.uint16), model.array(attributes["WEIGHTS_0"])
    for v in near:
        most = weights[v].argmax()
        above = parents.get(skin[indices[v, most]])
        while above is not None and above not in skin:
            above = parents.get(above)
        if above is None:
            above = skin[(indices[v, most] + 1) % len(skin)]
        other = skin.index(above)
        slots = np.flatnonzero(indices[v] == other)
        slot = slots[0] if len(slots) and slots[0] != most else weights[v].argmin()
        given = min(amount, weights[v, most])
        weights[v, most] -= given
        weights[v, slot] = given + (weights[v, slot] if indices[v, slot] == other else 0)
        indices[v, slot] = other
    attributes["JOINTS_0"] = model.add(indices)
    attributes["WEIGHTS_0"] = model.add(weights.astype(np.float32))
    where = "a region" if radius else "one vertex"
    return Pair(base, f"weights of {where}", f"{amount}", ("weights",), model=model, part=part_names(base, key[0]))


def missing(base, rng, _=None):
    """Removes a part."""
    keys = visible_parts(base)
    if len(base.seen.parts) < 2:
        return None
    key, model = keys[rng.integers(len(keys))], base.model.copy()
    mesh = model["meshes"][model["nodes"][key[0]]["mesh"]]
    if len(mesh["primitives"]) == 1:
        for name in ("mesh", "skin"):
            model["nodes"][key[0]].pop(name, None)
    else:
        del mesh["primitives"][key[1]]
    pair = Pair(base, "part missing", "", ("missing", "camera"), model=model, part=part_names(base, key[0]))
    return pair


def hole(base, rng, share):
    """Removes the triangles around a visible vertex."""
    keys = [k for k in visible_parts(base) if "indices" in primitive(base, k)]
    if not keys:
        return None
    key, model = keys[rng.integers(min(3, len(keys)))], base.model.copy()
    part = primitive(base, key, model)
    points, triangles = model.array(part["attributes"]["POSITION"]), model.raw(part["indices"]).reshape(-1, 3)
    centre = points[rng.choice(np.flatnonzero(base.seen.visible(key)))]
    distance = np.linalg.norm(points[triangles].mean(1) - centre, axis=1)
    removed = distance.argsort()[: max(1, int(share * len(triangles)))]
    part["indices"] = model.add(np.delete(triangles, removed, 0).reshape(-1, 1))
    return Pair(base, "triangles missing", f"{share:.1%}", ("mesh", "missing"), model=model, part=part_names(base, key[0]))


def added(base, rng, share):
    """Adds a cube at a visible vertex, as a node of its own."""
    model = base.model.copy()
    key = visible_parts(base)[0]
    world = base.pose().parts()[key][0][rng.choice(np.flatnonzero(base.seen.visible(key)))]
    half = base.height * share / 2
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    faces = [0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1, 2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3]
    attributes = {"POSITION": model.add((corners * half).astype(np.float32)), "NORMAL": model.add((corners / 3**0.5).astype(np.float32))}
    model["meshes"].append({"name": "added", "primitives": [{"attributes": attributes, "indices": model.add(np.array(faces, np.uint16))}]})
    model["nodes"].append({"name": "added", "mesh": len(model["meshes"]) - 1, "translation": world.tolist()})
    model["scenes"][model.json.get("scene", 0)]["nodes"].append(len(model["nodes"]) - 1)
    return Pair(base, "part added", f"{share:.0%}", ("added", "camera"), model=model, part=("added",))


def camera_shift(base, rng, pixels):
    """Moves the camera sideways by a number of pixels."""
    if not base.camera:
        return None
    right, up, _ = base.camera.axes()
    angle = rng.choice([0, 0.5, 1]) * np.pi / 2
    offset = (np.cos(angle) * right + np.sin(angle) * up) * pixels * base.camera.pixel()
    camera = Camera(base.camera.position + offset, base.camera.target + offset, base.camera.fov)
    return Pair(base, "camera shifted", f"{pixels} px", ("camera",), camera=camera)


def field_of_view(base, rng, pixels):
    """Changes the field of view so that the edge of the image moves by a number of pixels."""
    if not base.camera:
        return None
    half = np.tan(np.radians(base.camera.fov) / 2) * (1 + pixels / 128)
    camera = Camera(base.camera.position, base.camera.target, 2 * np.degrees(np.arctan(half)))
    return Pair(base, "field of view", f"{pixels} px", ("camera",), camera=camera)


def light(base, rng, key, value):
    kind = {"light-rotation": "light turned", "exposure": "exposure", "light": "other light"}[key]
    value = value if value != base.keys.get("light", "classic") else "flat"
    unit = {"light-rotation": "°", "exposure": " stops", "light": ""}[key]
    return Pair(base, kind, f"{value}{unit}", ("light", "background"), keys={key: value})


def backdrop(base, rng, levels):
    """Changes a background that the suite defines."""
    colour = base.keys.get("background", "")
    if not colour.startswith("#"):
        return None
    channels = [int(colour[i : i + 2], 16) + levels for i in (1, 3, 5)]
    return Pair(base, "background", f"{levels} levels", ("background",), keys={"background": "#" + "".join(f"{c:02x}" for c in channels)})


def both(pose, look):
    """Combines a change of the pose with one of the file."""
    if look is None:
        return None
    pose.kind, pose.size = "joint and colour", f"{pose.size}, {look.size}"
    pose.kinds, pose.model, pose.material = pose.kinds + look.kinds, look.model, look.material
    return pose


def setting(base, rng, key, value):
    kinds = {"samples": ("other",), "shadow": ("light", "background"), "ground": ("background", "shadow", "light")}[key]
    if base.keys.get(key, {"samples": 1}.get(key, "on")) == value:
        return None
    return Pair(base, "setting", f"{key} {value}", kinds, keys={key: value})
