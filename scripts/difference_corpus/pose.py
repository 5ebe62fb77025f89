"""Poses and skins a glTF character in double precision. It shares no code with the program that the corpus measures."""

import numpy as np


def quaternion_matrix(q):
    x, y, z, w = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def multiply(a, b):
    """Returns the product of two quaternions x, y, z, w."""
    va, vb = a[:3], b[:3]
    return np.append(a[3] * vb + b[3] * va + np.cross(va, vb), a[3] * b[3] - va @ vb)


def turned(q, axis, angle):
    """Returns a local rotation that is turned about a local axis, rounded to single precision."""
    axis = np.asarray(axis) / np.linalg.norm(axis)
    q = multiply(np.asarray(q, float), np.append(axis * np.sin(angle / 2), np.cos(angle / 2)))
    return (q / np.linalg.norm(q)).astype(np.float32).astype(float)


def slerp(a, b, t):
    if a @ b < 0:
        b = -b
    angle = 2 * np.arctan2(np.linalg.norm(a - b), np.linalg.norm(a + b))
    if angle < 1e-9:
        return a + (b - a) * t
    return (np.sin((1 - t) * angle) * a + np.sin(t * angle) * b) / np.sin(angle)


class Pose:
    """The transforms of all nodes at a time of a clip. `rotations` replaces the local rotations of nodes, by index."""

    def __init__(self, model, clip=None, time=0.0, rotations=None):
        self.model = model
        nodes = model["nodes"]
        self.local = [rest(node) for node in nodes]
        self.morphs = [self._weights(node) for node in nodes]
        if clip is not None:
            self._play(next(c for i, c in enumerate(model["animations"]) if c.get("name") == clip or i == clip), time)
        for node, q in (rotations or {}).items():
            self.local[node]["rotation"] = np.asarray(q, float)
        self.world = [None] * len(nodes)
        parents = {child: parent for parent, node in enumerate(nodes) for child in node.get("children", [])}
        for node in range(len(nodes)):
            self._place(node, parents)

    def _weights(self, node):
        if "mesh" not in node:
            return []
        mesh = self.model["meshes"][node["mesh"]]
        return list(node.get("weights", mesh.get("weights", [0.0] * len(mesh["primitives"][0].get("targets", [])))))

    def _play(self, clip, time):
        for channel in clip["channels"]:
            node, path = channel["target"].get("node"), channel["target"]["path"]
            if node is None or path == "pointer":
                continue
            sampler = clip["samplers"][channel["sampler"]]
            value = sample(self.model, sampler, time, path)
            if path == "weights":
                self.morphs[node] = list(value)
            else:
                self.local[node][path] = value

    def _place(self, node, parents):
        if self.world[node] is None:
            above = self._place(parents[node], parents) if node in parents else np.eye(4)
            self.world[node] = above @ matrix(self.local[node])
        return self.world[node]

    def rotation(self, node):
        """Returns the local rotation of a node, in single precision."""
        q = self.local[node]["rotation"]
        return (q / np.linalg.norm(q)).astype(np.float32).astype(float)

    def parts(self):
        """Returns the posed vertices and the triangles of all primitives, by node and number of the primitive."""
        parts = {}
        for index in shown_nodes(self.model):
            node = self.model["nodes"][index]
            if "mesh" not in node:
                continue
            for number, primitive in enumerate(self.model["meshes"][node["mesh"]]["primitives"]):
                if primitive.get("mode", 4) == 4:
                    parts[index, number] = self._part(index, node, primitive)
        return parts

    def _part(self, index, node, primitive):
        model, attributes = self.model, primitive["attributes"]
        points = model.array(attributes["POSITION"])
        for weight, target in zip(self.morphs[index], primitive.get("targets", [])):
            if weight and "POSITION" in target:
                points = points + weight * model.array(target["POSITION"])
        if "skin" in node and "JOINTS_0" in attributes:
            matrices = self.skin_matrices(node["skin"])
            joints, weights = influences(model, attributes)
            blended = np.einsum("vk,vkab->vab", weights, matrices[joints])
            world = np.einsum("vab,vb->va", blended[:, :3, :3], points) + blended[:, :3, 3]
        else:
            world = points @ self.world[index][:3, :3].T + self.world[index][:3, 3]
        if "indices" in primitive:
            indices = model.raw(primitive["indices"])[:, 0].astype(np.int64)
        else:
            indices = np.arange(len(points))
        return world, indices[: len(indices) // 3 * 3].reshape(-1, 3)

    def skin_matrices(self, skin):
        skin = self.model["skins"][skin]
        worlds = np.array([self.world[joint] for joint in skin["joints"]])
        if "inverseBindMatrices" not in skin:
            return worlds
        binds = self.model.array(skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
        return worlds @ binds[: len(worlds)]


def influences(model, attributes):
    """Returns the joints and the normalised weights of all vertices."""
    joints, weights = [], []
    for number in range(8):
        if f"JOINTS_{number}" in attributes:
            joints.append(model.raw(attributes[f"JOINTS_{number}"]).astype(int))
            weights.append(model.array(attributes[f"WEIGHTS_{number}"]))
    joints, weights = np.hstack(joints), np.hstack(weights)
    sums = weights.sum(1, keepdims=True)
    return joints, weights / np.where(sums == 0, 1, sums)


def shown_nodes(model):
    """Returns the nodes of the default scene."""
    if not model["scenes"]:
        return range(len(model["nodes"]))
    seen, todo = [], list(model["scenes"][model.json.get("scene", 0)].get("nodes", []))
    while todo:
        seen.append(todo.pop(0))
        todo += model["nodes"][seen[-1]].get("children", [])
    return seen


def rest(node):
    if "matrix" in node:
        m = np.array(node["matrix"], float).reshape(4, 4).T
        return {"matrix": m, "rotation": np.array([0.0, 0, 0, 1])}
    return {
        "translation": np.array(node.get("translation", [0, 0, 0]), float),
        "rotation": np.array(node.get("rotation", [0, 0, 0, 1]), float),
        "scale": np.array(node.get("scale", [1, 1, 1]), float),
    }


def matrix(local):
    if "matrix" in local:
        return local["matrix"]
    out = np.eye(4)
    out[:3, :3] = quaternion_matrix(local["rotation"]) * local["scale"]
    out[:3, 3] = local["translation"]
    return out


def sample(model, sampler, time, path):
    times, values = model.array(sampler["input"])[:, 0], model.array(sampler["output"])
    mode = sampler.get("interpolation", "LINEAR")
    values = values.reshape(len(times), 3 if mode == "CUBICSPLINE" else 1, -1)
    time = min(max(time, times[0]), times[-1])
    after = int(np.clip(np.searchsorted(times, time, "right"), 1, max(len(times) - 1, 1)))
    if len(times) == 1:
        return values[0, values.shape[1] // 2]
    before, step = after - 1, times[after] - times[after - 1]
    t = (time - times[before]) / step if step else 0.0
    if mode == "STEP":
        return values[after if t >= 1 else before, 0]
    if mode == "CUBICSPLINE":
        a, b = values[before], values[after]
        out = (2 * t**3 - 3 * t**2 + 1) * a[1] + step * (t**3 - 2 * t**2 + t) * a[2]
        out = out + (3 * t**2 - 2 * t**3) * b[1] + step * (t**3 - t**2) * b[0]
        return out / np.linalg.norm(out) if path == "rotation" else out
    a, b = values[before, 0], values[after, 0]
    return slerp(a / np.linalg.norm(a), b / np.linalg.norm(b), t) if path == "rotation" else a + (b - a) * t
