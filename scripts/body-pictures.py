#!/usr/bin/env python3
"""Draws the moving images of docs/solvers/full-body.md: parts of a body are pulled, and the rest follows.

    scripts/body-pictures.py SINEW OUT.png [MODEL HIPS]

Without a MODEL, the hips of the built-in mannequin are pulled down, and then its left hand to the floor. With one, its node
HIPS is pulled down. SINEW is the program to use. `cargo run --example animate` combines the frames.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RATE = 20
SIZE = [320.0, 320.0]
# Durations in seconds: moving to the target, resting there, moving back, and waiting for the next drag.
TIMES = [1.1, 0.4, 0.9, 0.3]
CAMERA = {"target": [0.0, 0.85, 0.05], "distance": 2.75, "yaw": 0.75, "pitch": 0.12, "radius": 1.1}


def position(sinew, model, node):
    """Returns the index and the world position of a node at rest."""
    arguments = [sinew, "pose", *model, "--output", "/dev/stdout", "--quiet"]
    output = subprocess.run(arguments, check=True, capture_output=True)
    found = next(n for n in json.loads(output.stdout)["nodes"] if n["name"] == node)
    return found["index"], found["world"][12:15]


def drag(commands, start, node, origin, offset):
    """Appends the commands of a drag to a point and back. Returns its end in seconds."""
    commands.append((start, {"grab-node": {"node": node}}))
    there, stay, back, rest = TIMES
    for step in range(round((there + stay + back) * 60) + 1):
        at = step / 60
        part = min(at / there, 1.0, max(0.0, (there + stay + back - at) / back))
        part = part * part * (3.0 - 2.0 * part)
        target = [round(o + part * d, 5) for o, d in zip(origin, offset)]
        commands.append((start + at, {"drag-to": target}))
    commands.append((start + there + stay + back, "release"))
    return start + sum(TIMES)


def session(sinew, model, pulls):
    """Returns the text of a session with drags, and its length in seconds."""
    header = {"format": "sinew-session-1", "sinew": "0.1.0", "character": None, "fingerprint": "crc32:00000000"}
    commands, end = [(0.0, {"camera": CAMERA}), (0.0, {"hover": [-1.0, -1.0]})], 0.1
    for name, offset in pulls:
        node, origin = position(sinew, model, name)
        end = drag(commands, end, node, origin, offset)
    lines = [header | {"size": SIZE, "scale": 1.0}, *({"at": round(at, 5), "do": do} for at, do in commands), {"at": end}]
    return "".join(json.dumps(line) + "\n" for line in lines), end


def main():
    sinew, out, *rest = sys.argv[1:]
    model = rest[:1]
    pulls = [(rest[1], [0.0, -0.42, 0.0])] if model else [
        ("hips", [0.0, -0.3, 0.0]),
        ("leftHand", [-0.42, -0.93, 0.5]),
    ]
    text, length = session(sinew, model, pulls)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "body.session"
        path.write_text(text)
        frames = f"0..{round(length * RATE)}"
        arguments = ["render", "--quiet", "--replay", path, *model, "--frames", frames, "--fps", str(RATE)]
        subprocess.run([sinew, *arguments, "--output", f"{folder}/body-{{frame:04}}.png"], check=True)
        images = sorted(pathlib.Path(folder).glob("body-*.png"))
        animate = ["cargo", "run", "--quiet", "--example", "animate", "--", str(RATE), pathlib.Path(out).resolve(), *images]
        subprocess.run(animate, check=True, cwd=ROOT)


main()
