"""Compares how sinew reads the same character from glTF and from FBX, both written by Blender.

    python3 -m venv venv && venv/bin/pip install bpy numpy scipy
    venv/bin/python benches/peers/blender.py target/release/sinew FILE.glb...

For each file, prints the largest distance of a vertex from the nearest vertex of the other file, divided by the size: at rest,
and at frames of its first clips. Materials and normals are not compared.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import bpy
import numpy
from scipy.spatial import cKDTree

FRAMES_PER_SECOND = 24
MAX_FRAMES = 24
MAX_CLIPS = 5


def read(source):
    """Imports a glTF file into an empty scene, and returns what each object can play: actions with their slots."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = FRAMES_PER_SECOND
    bpy.ops.import_scene.gltf(filepath=source)
    # The importer adds a display shape for bones.
    for shape in [o for o in bpy.data.objects if o.name.startswith("Icosphere")]:
        bpy.data.objects.remove(shape)
    animated = []
    for holder in [*bpy.data.objects, *bpy.data.shape_keys]:
        if holder.animation_data:
            for track in holder.animation_data.nla_tracks:
                track.mute = True
                animated += [(track.name, holder, strip.action, strip.action_slot) for strip in track.strips]
            holder.animation_data.action = None
    return animated


def show_rest():
    for armature in bpy.data.armatures:
        armature.pose_position = "REST"
    for keys in bpy.data.shape_keys:
        for key in keys.key_blocks[1:]:
            key.value = 0.0


def play(animated, name):
    """Plays one clip on all objects that it moves."""
    end = 1
    for armature in bpy.data.armatures:
        armature.pose_position = "POSE"
    for track, holder, action, slot in animated:
        is_own = track == name
        if is_own:
            holder.animation_data.action = action
            holder.animation_data.action_slot = slot
            end = max(end, int(action.frame_range[1]))
        elif all(t != name or h != holder for t, h, _, _ in animated):
            holder.animation_data.action = None
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 0, end


def export(target, has_clip):
    """Writes the scene as TARGET.glb and TARGET.fbx."""
    bpy.ops.export_scene.gltf(
        filepath=f"{target}.glb",
        export_animations=has_clip,
        export_animation_mode="SCENE",
        export_anim_scene_split_object=False,
        export_optimize_animation_size=False,
        export_all_influences=True,
    )
    bpy.ops.export_scene.fbx(
        filepath=f"{target}.fbx",
        add_leaf_bones=False,
        bake_anim=has_clip,
        bake_anim_use_all_actions=False,
        bake_anim_use_nla_strips=False,
        bake_anim_simplify_factor=0.0,
        embed_textures=True,
        path_mode="COPY",
    )


def sinew(program, *arguments):
    result = subprocess.run([program, *arguments], capture_output=True, text=True)
    if result.returncode:
        sys.exit(result.stderr)
    return json.loads(result.stdout)


def vertices(program, file, *arguments):
    pose = sinew(program, "pose", file, "--vertices", *arguments)
    parts = [numpy.reshape(p["positions"], (-1, 3)) for p in pose["primitives"]]
    return numpy.concatenate(parts)


def distance(a, b):
    """Returns the largest distance of a vertex to the nearest of the other set, divided by the size."""
    size = numpy.linalg.norm(b.max(0) - b.min(0))
    return max(cKDTree(b).query(a)[0].max(), cKDTree(a).query(b)[0].max()) / size


def seconds(program, file):
    clips = sinew(program, "inspect", file, "--json")["animations"]
    return clips[0]["seconds"] if clips else None


def compare_clip(program, files):
    """Returns the largest distance at frames of the only clip of two files, or why there is none."""
    lengths = [seconds(program, file) for file in files]
    if None in lengths:
        return "not written"
    frames = round(min(lengths) * FRAMES_PER_SECOND)
    worst = 0.0
    for frame in range(0, frames + 1, max(1, frames // MAX_FRAMES)):
        time = ["--animation", "0", "--animation-time", str(frame / FRAMES_PER_SECOND)]
        worst = max(worst, distance(*[vertices(program, file, *time) for file in files]))
    return f"{worst:.1e}"


def compare(program, source):
    """Returns a line with the distances of a character."""
    animated = read(source)
    with tempfile.TemporaryDirectory() as folder:
        target = str(pathlib.Path(folder) / "copy")
        files = [f"{target}.fbx", f"{target}.glb"]
        show_rest()
        export(target, False)
        rest = distance(*[vertices(program, file) for file in files])
        line = f"{pathlib.Path(source).name:28} rest {rest:.1e}"
        for name in sorted({name for name, *_ in animated})[:MAX_CLIPS]:
            play(animated, name)
            export(target, True)
            line += f", {name} {compare_clip(program, files)}"
    return line


if __name__ == "__main__":
    # Blender prints messages while it works, so the results are printed at the end.
    lines = [compare(sys.argv[1], source) for source in sys.argv[2:]]
    print("\n".join(["", *lines]))
