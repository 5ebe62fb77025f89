#!/usr/bin/env python3
"""Measures what suites of `sinew test --init` find: moves skin weights of random patches of vertices to neighbouring joints, and counts
the breaks that the suite reports.

    scripts/weight-breaks.py FILE-OR-FOLDER… [--program PATH] [--breaks N] [--seed N] [--part 0.2,0.1,0.05] [--keep FOLDER] [-v]

PATH is the program to use [default: target/debug/sinew]. A break moves a part of the weights of one joint to its parent or to a child of
it, at the vertices within a sphere. Its effect is the largest distance by which it moves a vertex in a pose of the suite or in one of nine
frames of each clip, relative to the height of the figure. The program fails if a break of more than 2 % is missed. Files without skins,
and files that need extensions for their meshes, are skipped with a message. --keep leaves the suites in a folder.
"""

import argparse
import base64
import json
import math
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import tomllib

SUFFIXES = {".gltf", ".glb", ".vrm"}
FORMATS = {5120: "b", 5121: "B", 5122: "h", 5123: "H", 5125: "I", 5126: "f"}
SCALES = {5120: 127, 5121: 255, 5122: 32767, 5123: 65535}
COUNTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
VISIBLE = 0.02
FRAMES = 9


class Skip(Exception):
    """Why a file cannot be broken."""


class Model:
    """A glTF file whose accessors can be read and written."""

    def __init__(self, path):
        self.path, data = path, path.read_bytes()
        self.is_binary = data[:4] == b"glTF"
        if self.is_binary:
            length = struct.unpack_from("<I", data, 12)[0]
            self.json = json.loads(data[20 : 20 + length])
            start = 20 + length
            size = struct.unpack_from("<I", data, start)[0] if start < len(data) else 0
            first = bytearray(data[start + 8 : start + 8 + size])
        else:
            self.json, first = json.loads(data), None
        used = set(self.json.get("extensionsRequired", []))
        if used & {"KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_mesh_quantization"}:
            raise Skip("its meshes are compressed")
        self.buffers = []
        for buffer in self.json.get("buffers", []):
            uri = buffer.get("uri")
            if uri is None:
                self.buffers.append(first)
            elif uri.startswith("data:"):
                try:
                    self.buffers.append(bytearray(base64.b64decode(uri.split(",", 1)[1])))
                except (ValueError, IndexError):
                    raise Skip("a buffer cannot be decoded") from None
            else:
                self.buffers.append(bytearray((path.parent / uri).read_bytes()))

    def layout(self, index):
        accessor = self.json["accessors"][index]
        if "bufferView" not in accessor or "sparse" in accessor:
            raise Skip("an accessor is sparse or has no data")
        view = self.json["bufferViews"][accessor["bufferView"]]
        form = "<" + FORMATS[accessor["componentType"]] * COUNTS[accessor["type"]]
        stride = view.get("byteStride") or struct.calcsize(form)
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        scale = SCALES.get(accessor["componentType"], 1) if accessor.get("normalized") else 1
        return self.buffers[view["buffer"]], form, start, stride, accessor["count"], scale

    def read(self, index):
        data, form, start, stride, count, scale = self.layout(index)
        rows = (struct.unpack_from(form, data, start + i * stride) for i in range(count))
        return [[x / scale for x in row] if scale != 1 else list(row) for row in rows]

    def write(self, index, row, values):
        data, form, start, stride, _, scale = self.layout(index)
        whole = form[1] != "f"
        values = [round(x * scale) if whole else x for x in values]
        struct.pack_into(form, data, start + row * stride, *values)

    def save(self, path):
        if self.is_binary and all("uri" not in b for b in self.json["buffers"]):
            text = json.dumps(self.json).encode()
            text += b" " * (-len(text) % 4)
            data = bytes(self.buffers[0]) + b"\0" * (-len(self.buffers[0]) % 4)
            head = struct.pack("<4sIIII", b"glTF", 2, 28 + len(text) + len(data), len(text), 0x4E4F534A)
            path.write_bytes(head + text + struct.pack("<II", len(data), 0x004E4942) + data)
            return
        copy = json.loads(json.dumps(self.json))
        for buffer, data in zip(copy["buffers"], self.buffers):
            buffer["uri"] = "data:application/octet-stream;base64," + base64.b64encode(bytes(data)).decode()
        path.write_text(json.dumps(copy))


def multiply(a, b):
    return [sum(a[k * 4 + r] * b[c * 4 + k] for k in range(4)) for c in range(4) for r in range(4)]


def transform(m, p):
    return [m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r] for r in range(3)]


def run(program, *arguments):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=600)


def poses(program, model, suite):
    """Returns the world matrices of all nodes in the poses of the suite, and in more frames of the clips."""
    cases = tomllib.loads(suite.read_text())["case"]
    options = [tuple(f"--turn={turn}" for turn in case.get("turn", [])) for case in cases]
    clips = json.loads(run(program, "inspect", model, "--json").stdout)["animations"]
    for index, clip in enumerate(clips):
        times = [clip["seconds"] * i / (FRAMES - 1) for i in range(FRAMES)]
        options += [(f"--animation={index}", f"--animation-time={time}") for time in times]
    all_poses = []
    for arguments in dict.fromkeys(options):
        result = run(program, "pose", model, "-q", *arguments)
        if result.returncode == 0:
            all_poses.append([node["world"] for node in json.loads(result.stdout)["nodes"]])
    return all_poses


class Part:
    """A skinned primitive with its weights, and the skin matrices in all poses."""

    def __init__(self, model, node, primitive, all_poses):
        attributes = primitive["attributes"]
        if "WEIGHTS_1" in attributes:
            raise Skip("its vertices have more than four influences")
        self.weights_at, self.joints_at = attributes["WEIGHTS_0"], attributes["JOINTS_0"]
        self.positions = model.read(attributes["POSITION"])
        self.weights, self.joints = model.read(self.weights_at), model.read(self.joints_at)
        skin = model.json["skins"][node["skin"]]
        self.nodes = skin["joints"]
        identity = [float(r == c) for c in range(4) for r in range(4)]
        inverse = skin.get("inverseBindMatrices")
        binds = model.read(inverse) if inverse is not None else [identity] * len(self.nodes)
        self.poses = [[multiply(world[n], b) for n, b in zip(self.nodes, binds)] for world in all_poses]
        self.rest = [self.place(v) for v in range(len(self.positions))]

    def place(self, vertex):
        total = [0.0, 0.0, 0.0]
        for joint, weight in zip(self.joints[vertex], self.weights[vertex]):
            if weight:
                p = transform(self.poses[0][joint], self.positions[vertex])
                total = [t + weight * x for t, x in zip(total, p)]
        return total


def neighbours(model, part, joint):
    """Returns the joints of the skin that are the parent or children of a joint."""
    nodes, node = model.json["nodes"], part.nodes[joint]
    children = set(nodes[node].get("children", []))
    parent = next((i for i, n in enumerate(nodes) if node in n.get("children", [])), None)
    return [j for j, n in enumerate(part.nodes) if n in children or n == parent]


def broken(model, part, random_, height, share):
    """Breaks a patch in memory. Returns the vertices with the weights that they had, and the effect; None if nothing changed."""
    centre = random_.randrange(len(part.positions))
    radius = height * random_.uniform(0.02, 0.08)
    joint = max(zip(part.weights[centre], part.joints[centre]))[1]
    others = neighbours(model, part, joint)
    if not others:
        return None
    other = random_.choice(others)
    changes, effect = [], 0.0
    for v in range(len(part.positions)):
        if math.dist(part.rest[v], part.rest[centre]) > radius:
            continue
        weights, joints = part.weights[v], part.joints[v]
        moved = sum(w for w, j in zip(weights, joints) if j == joint) * share
        if moved < 0.004:
            continue
        new_weights, new_joints = [w * (1 - share) if j == joint else w for w, j in zip(weights, joints)], joints[:]
        slot = next((i for i, j in enumerate(joints) if j == other and weights[i]), None)
        if slot is None:
            slot = min(range(4), key=lambda i: new_weights[i])
            # A vertex whose influences are all used cannot get another one.
            if new_weights[slot] > 0.01 or joints[slot] == joint and weights[slot]:
                continue
            new_weights[slot], new_joints[slot] = 0.0, other
        new_weights[slot] += moved
        changes.append((v, new_weights, new_joints))
        for pose in part.poses:
            a, b = transform(pose[joint], part.positions[v]), transform(pose[other], part.positions[v])
            effect = max(effect, moved * math.dist(a, b))
    return (changes, effect / height, joint, other) if changes else None


def apply(model, part, changes):
    for v, weights, joints in changes:
        total = sum(weights) or 1.0
        model.write(part.weights_at, v, [w / total for w in weights])
        model.write(part.joints_at, v, joints)


def restore(model, part, changes):
    apply(model, part, [(v, part.weights[v], part.joints[v]) for v, _, _ in changes])


def measure(program, path, options, folder):
    """Breaks a file several times. Returns the columns of its row, and the breaks that were missed."""
    for name in path.parent.iterdir():
        if name.is_file() and name.stat().st_size < 200e6:
            shutil.copy(name, folder)
    copy, suite = folder / path.name, folder / "suite.toml"
    written = run(program, "test", "--init", copy, "-o", suite, "--force")
    if written.returncode:
        raise Skip(written.stderr.strip())
    counts = written.stdout.split(": ", 1)[1].split()
    cases, moved, joints = int(counts[0]), int(counts[3]), int(counts[5])
    drawn = run(program, "test", suite, "--update")
    if drawn.returncode:
        raise Skip(drawn.stdout.strip().splitlines()[-1])
    start = time.monotonic()
    again = run(program, "test", suite)
    seconds = time.monotonic() - start
    if again.returncode:
        raise Skip("the suite fails on the unbroken file: " + again.stdout)
    model = Model(copy)
    if not joints:
        raise Skip("it has no skin")
    all_poses = poses(program, copy, suite)
    nodes = model.json["nodes"]
    skinned = [n for n in nodes if "skin" in n and "mesh" in n]
    parts = []
    for node in skinned:
        for primitive in model.json["meshes"][node["mesh"]]["primitives"]:
            if "WEIGHTS_0" in primitive["attributes"] and primitive.get("mode", 4) == 4:
                parts.append(Part(model, node, primitive, all_poses))
    ys = [p[1] for part in parts for p in part.rest]
    # The height of the figure in its rest pose.
    height = max(max(p[i] for part in parts for p in part.rest) - min(p[i] for part in parts for p in part.rest) for i in (1,))
    height = max(height, 1e-9)
    random_ = random.Random(options.seed)
    columns, missed = [f"{moved} / {joints}", str(cases), f"{seconds / cases * 1e3:.1f}"], []
    for share in options.part:
        found = visible = visible_found = total = 0
        for _ in range(options.breaks * 20):
            if total == options.breaks:
                break
            part = random_.choices(parts, [len(p.positions) for p in parts])[0]
            change = broken(model, part, random_, height, share)
            if change is None:
                continue
            changes, effect, joint, other = change
            total += 1
            apply(model, part, changes)
            model.save(copy)
            restore(model, part, changes)
            is_found = run(program, "test", suite, "-q").returncode == 1
            found += is_found
            visible += effect > VISIBLE
            visible_found += is_found and effect > VISIBLE
            names = [nodes[part.nodes[j]].get("name", f"#{part.nodes[j]}") for j in (joint, other)]
            line = f"{path.name}: {share:.0%} of {len(changes)} vertices from {names[0]} to {names[1]}: {effect:.1%}"
            if options.verbose:
                print(f"{line} {'found' if is_found else 'missed'}", file=sys.stderr, flush=True)
            if effect > VISIBLE and not is_found:
                missed.append(line)
        columns.append(f"{found} / {total}")
        columns.append(f"{visible_found} / {visible}")
    return columns, missed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    parser.add_argument("--program", default="target/debug/sinew")
    parser.add_argument("--breaks", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", type=lambda text: [float(x) for x in text.split(",")], default=[0.2, 0.1, 0.05])
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    files = []
    for path in options.paths:
        below = sorted(p for p in path.rglob("*") if p.suffix.lower() in SUFFIXES) if path.is_dir() else [path]
        files += below
    parts = " | ".join(f"{p:.0%} found | of more than 2 %" for p in options.part)
    print(f"| character | joints moved | cases | ms per case | {parts} |")
    print("|---|---|---|---|" + "---|---|" * len(options.part), flush=True)
    all_missed = []
    for number, path in enumerate(files):
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            if options.keep:
                folder = options.keep / f"{number:02} {path.stem}"
                folder.mkdir(parents=True, exist_ok=True)
            try:
                columns, missed = measure(options.program, path, options, folder)
            except Skip as why:
                print(f"{path}: skipped: {why}", file=sys.stderr, flush=True)
                continue
        print(f"| {path.stem} | {' | '.join(columns)} |", flush=True)
        all_missed += missed
    for line in all_missed:
        print(f"missed: {line}", file=sys.stderr)
    sys.exit(1 if all_missed else 0)


if __name__ == "__main__":
    main()
