"""Draws the same characters with sinew, f3d, three.js and Blender's Eevee, and puts the images side by side.

    python3 -m venv venv && venv/bin/pip install f3d bpy pillow numpy
    venv/bin/python benches/peers/looks.py target/release/sinew MODELS -o OUT [--only NAME,...] [--fresh PROGRAM,...]

MODELS is the folder of the test models. Writes OUT/characters.jpg and OUT/materials.jpg, and OUT/rows/NAME.png with full-sized
images. Images of the other programs are kept in OUT, so a second run only draws sinew's; --fresh redraws them. A program that
fails leaves its column empty. three.js needs Node.js and Chromium (see looks.mjs), f3d and Eevee need EGL.

All programs open the same file, a copy without clips, and have the same camera and background. Each program uses its own
light for this purpose: sinew's studio, three.js's RoomEnvironment, f3d's built-in panorama, and the forest of Blender's
material preview. The tone map is Khronos PBR Neutral, except in f3d, which has only its own.
"""

import argparse
import hashlib
import json
import multiprocessing
import os
import pathlib
import subprocess
import sys

import looks_models as models
import numpy
from PIL import Image, ImageChops, ImageDraw, ImageFont

HERE = pathlib.Path(__file__).resolve().parent
SIZE = (400, 560)
ANGLE = 30.0
# Direction of the camera, and the fraction of the image that the figure fills.
DIRECTION = (0.45, 0.22, 1.0)
FILL = 0.88
BACKGROUND = (0x83, 0x86, 0x8B)
# Pixels above and below figures in sheets.
MARGIN = 24
RESAMPLING = Image.Resampling.LANCZOS
# Maximum duration of a run of a program.
PATIENCE_SECONDS = 3600


def camera(positions):
    """Returns the camera that looks at the centre of the bounding box and is as near as all vertices allow."""
    low, high = positions.min(0), positions.max(0)
    target = (low + high) / 2
    back = numpy.array(DIRECTION) / numpy.linalg.norm(DIRECTION)
    right = numpy.cross((0, 1, 0), back)
    right /= numpy.linalg.norm(right)
    up = numpy.cross(back, right)
    x, y, z = ((positions - target) @ axis for axis in (right, up, back))
    tangent = FILL * numpy.tan(numpy.radians(ANGLE / 2))
    aspect = SIZE[0] / SIZE[1]
    distance = max((abs(y) / tangent + z).max(), (abs(x) / (tangent * aspect) + z).max())
    return {
        "position": (target + back * distance).tolist(),
        "target": target.tolist(),
        "angle": ANGLE,
        "distance": float(distance),
        "radius": float(numpy.linalg.norm(high - low) / 2),
    }


def prepare(program, folder, out):
    """Writes the files that all programs open, and returns a job for each of them."""
    (out / "models").mkdir(parents=True, exist_ok=True)
    jobs = []
    for entry in models.all_of(folder):
        file = out / "models" / f"{entry.name}.glb"
        data = entry.read()
        if not file.exists() or file.read_bytes() != data:
            file.write_bytes(data)
            file.with_suffix(".json").unlink(missing_ok=True)
        cached = file.with_suffix(".json")
        if not cached.exists():
            pose = subprocess.run([program, "pose", file, "--vertices"], capture_output=True, check=True)
            parts = [numpy.reshape(p["positions"], (-1, 3)) for p in json.loads(pose.stdout)["primitives"]]
            cached.write_text(json.dumps(camera(numpy.concatenate(parts))))
        view = json.loads(cached.read_text())
        digest = hashlib.sha256(data + json.dumps([view, SIZE, BACKGROUND]).encode()).hexdigest()[:12]
        job = {"name": entry.name, "sheet": entry.sheet, "model": str(file), "camera": view, "digest": digest}
        jobs.append({**job, "size": SIZE, "background": BACKGROUND, "is_toon": entry.is_toon})
    return jobs


def draw_sinew(program, jobs):
    for job in jobs:
        view = job["camera"]
        vector = lambda key: ",".join(f"{value:.7g}" for value in view[key])
        options = {
            "resolution": "{},{}".format(*SIZE),
            "camera-position": vector("position"),
            "camera-focal-point": vector("target"),
            "camera-view-angle": ANGLE,
            "output": job["image"],
        }
        command = [program, "render", job["model"], *[f"--{key}={value}" for key, value in options.items()]]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode:
            print(f"sinew: {job['name']}: {result.stderr.strip()}", file=sys.stderr)


def draw_f3d(jobs):
    import f3d

    f3d.Log.set_verbose_level(f3d.Log.QUIET)
    for job in jobs:
        engine = f3d.Engine.create_egl()
        engine.options.update({
            "render.hdri.ambient": True,
            "render.effect.antialiasing.mode": "ssaa",
            "render.effect.ambient_occlusion": True,
            "render.effect.tone_mapping": True,
            "render.effect.blending.mode": "ddp",
            # f3d uses colours as they are stored, without conversion.
            "render.background.color": [value / 255 for value in BACKGROUND],
        })
        engine.window.size = SIZE
        engine.scene.add(job["model"])
        view = engine.window.camera
        view.position, view.focal_point = job["camera"]["position"], job["camera"]["target"]
        view.view_up, view.view_angle = (0.0, 1.0, 0.0), ANGLE
        engine.window.render_to_image().save(job["image"])


def draw_three(jobs):
    subprocess.run(["node", HERE / "looks.mjs"], input=json.dumps(jobs), text=True, check=True)


def draw_eevee(jobs):
    import bpy
    from mathutils import Vector

    # In Blender, Z is up.
    upright = lambda v: Vector((v[0], -v[2], v[1]))
    for job in jobs:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        bpy.ops.import_scene.gltf(filepath=job["model"])
        # The importer adds a display shape for bones.
        for shape in [o for o in bpy.data.objects if o.name.startswith("Icosphere")]:
            bpy.data.objects.remove(shape)
        scene = bpy.context.scene
        scene.world = bpy.data.worlds.new("world")
        scene.world.use_nodes = True
        nodes, links = scene.world.node_tree.nodes, scene.world.node_tree.links
        panorama = nodes.new("ShaderNodeTexEnvironment")
        light = pathlib.Path(bpy.utils.resource_path("LOCAL")) / "datafiles/studiolights/world/forest.exr"
        panorama.image = bpy.data.images.load(str(light))
        links.new(panorama.outputs["Color"], nodes["Background"].inputs["Color"])
        view = job["camera"]
        lens = bpy.data.cameras.new("camera")
        lens.sensor_fit, lens.angle = "VERTICAL", numpy.radians(ANGLE)
        lens.clip_start, lens.clip_end = view["distance"] / 100, view["distance"] * 10
        holder = bpy.data.objects.new("camera", lens)
        scene.collection.objects.link(holder)
        scene.camera = holder
        holder.location = upright(view["position"])
        holder.rotation_euler = (upright(view["target"]) - holder.location).to_track_quat("-Z", "Y").to_euler()
        scene.render.engine = "BLENDER_EEVEE"
        scene.eevee.taa_render_samples = 16
        scene.eevee.use_raytracing = True
        for material in bpy.data.materials:
            material.use_raytrace_refraction = True
        scene.view_settings.view_transform = "Khronos PBR Neutral"
        scene.render.film_transparent = True
        scene.render.resolution_x, scene.render.resolution_y = SIZE
        scene.render.filepath = job["image"]
        bpy.ops.render.render(write_still=True)
        image = Image.open(job["image"]).convert("RGBA")
        Image.alpha_composite(Image.new("RGBA", SIZE, BACKGROUND), image).convert("RGB").save(job["image"])


PEERS = {"f3d": draw_f3d, "three.js": draw_three, "Eevee": draw_eevee}


def draw_quietly(name, jobs, log):
    """Draws images of another program, whose output is appended to a file."""
    with open(log, "a") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    PEERS[name](jobs)


def draw(name, jobs, fresh, log):
    """Draws the images of another program that are missing, in a process of its own, because drivers may crash."""
    jobs = [job for job in jobs if fresh or not pathlib.Path(job["image"]).exists()]
    # Each image has its own process, so a crash loses only one image. The browser of three.js starts once for all images.
    for batch in [jobs] if name == "three.js" else [[job] for job in jobs]:
        if not batch:
            continue
        process = multiprocessing.get_context("spawn").Process(target=draw_quietly, args=(name, batch, log))
        process.start()
        process.join(PATIENCE_SECONDS)
        process.kill()
        if process.exitcode:
            print(f"{name}: failed at {batch[0]['name']}; see {log}", file=sys.stderr)


def opened(folder, job):
    """Returns the image of a job, which is empty if it was not drawn."""
    file = pathlib.Path(folder) / f"{job['name']}-{job['digest']}.png"
    return Image.open(file).convert("RGB") if file.exists() else Image.new("RGB", SIZE, BACKGROUND)


def rows_of_pixels(images):
    """Returns the first and the last row that figures cover in images without a floor, with a margin."""
    empty = Image.new("RGB", SIZE, BACKGROUND)
    boxes = [ImageChops.difference(image, empty).point(lambda v: 255 * (v > 8)).getbbox() for image in images]
    boxes = [box for box in boxes if box] or [(0, 0, *SIZE)]
    return max(0, min(box[1] for box in boxes) - MARGIN), min(SIZE[1], max(box[3] for box in boxes) + MARGIN)


def side_by_side(columns, jobs, scale):
    """Returns a sheet: a row for each job, and a column for each program."""
    rows = []
    for job in jobs:
        images = [opened(folder, job) for folder in columns.values()]
        top, bottom = rows_of_pixels(images[1:])
        size = round(SIZE[0] * scale), round((bottom - top) * scale)
        rows.append([image.crop((0, top, SIZE[0], bottom)).resize(size, RESAMPLING) for image in images])
    width, head = rows[0][0].width, 22
    sheet = Image.new("RGB", (width * len(columns), sum(row[0].height + 1 for row in rows) + head), "white")
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(14)
    y = head
    for job, row in zip(jobs, rows):
        for column, image in enumerate(row):
            sheet.paste(image, (column * width, y))
        pen.text((6, y + 4), job["name"], "white", font)
        y += row[0].height + 1
    for column, name in enumerate(columns):
        pen.text((column * width + 6, 2), name, "black", font)
    return sheet


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="", help="names of characters")
    parser.add_argument("--fresh", default="", help="programs whose images are drawn again")
    parser.add_argument("--scale", type=float, default=0.5, help="size of images in sheets")
    args = parser.parse_args()
    program, out = args.program.resolve(), args.output.resolve()
    only = [name for name in args.only.split(",") if name]
    jobs = [job for job in prepare(program, args.models, out) if not only or job["name"] in only]
    columns = {name: out / name for name in ["sinew", *PEERS]}
    for name, folder in columns.items():
        folder.mkdir(exist_ok=True)
        own = [{**job, "image": str(folder / f"{job['name']}-{job['digest']}.png")} for job in jobs]
        if name == "sinew":
            draw_sinew(program, own)
        else:
            draw(name, own, name in args.fresh.split(","), out / f"{name}.log")
    (out / "rows").mkdir(exist_ok=True)
    for job in jobs:
        side_by_side(columns, [job], 1.0).save(out / "rows" / f"{job['name']}.png")
    for sheet in sorted({job["sheet"] for job in jobs}):
        rows = [job for job in jobs if job["sheet"] == sheet]
        side_by_side(columns, rows, args.scale).save(out / f"{sheet}.jpg", quality=88)
        print(out / f"{sheet}.jpg")


if __name__ == "__main__":
    main()
