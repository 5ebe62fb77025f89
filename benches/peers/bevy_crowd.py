"""Draws the same crowds with sinew and with Bevy in turn, and prints the times per frame and their ratios.

    cargo build --release
    cargo build --release --manifest-path benches/peers/bevy-crowd/Cargo.toml --target-dir target/peers/bevy
    python3 benches/peers/bevy_crowd.py [--adapter NAME] [--counts 100,1000,10000] [--frames 8] [--rounds 3] [--images OUT]
                                        [--sinew FILE] [--bevy FILE]

NAME is part of the name of a Vulkan adapter [default: WGPU_ADAPTER_NAME, otherwise llvmpipe]. In each round, each program runs once and
draws the crowd several times. The table shows the median of all rounds and, in brackets, the shortest time. OUT is a folder for the last
images of both programs.

Both programs draw mannequins on level ground at 1280x720 with four samples per pixel, in the same places and with the same clips, camera,
lights and shadow map. Both pose every figure in every frame, and finish every frame before the next one is drawn. Only sinew puts feet
on the ground, turns heads to the camera, and (without `--lod 0`) draws small figures with fewer triangles. Bevy poses the figures of the
next frame while the last one is drawn, and reads back every image. The times of sinew are the sums of the times in its table.
"""

import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIMES = re.compile(r"^frames +median ([\d.]+) ms, least ([\d.]+) ms, of (\d+) frames$", re.MULTILINE)
# A frame of `sinew crowd --measure`: the times of the step, of culling, of drawing and of the CPU.
FRAME = re.compile(r"^ +\d+ +([\d.]+) +([\d.]+|-) +([\d.]+) +([\d.]+) ", re.MULTILINE)
ADAPTER = re.compile(r"^adapter:? +(.+)$", re.MULTILINE)
PROGRAMS = ("sinew", "sinew --lod 0", "Bevy")
# Maximum duration of a run of a program.
PATIENCE_SECONDS = 3600


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--adapter", default=os.environ.get("WGPU_ADAPTER_NAME", "llvmpipe"))
    parser.add_argument("--counts", default="100,1000,10000")
    parser.add_argument("--frames", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--images", type=pathlib.Path)
    parser.add_argument("--sinew", type=pathlib.Path, default=ROOT / "target/release/sinew")
    parser.add_argument("--bevy", type=pathlib.Path, default=ROOT / "target/peers/bevy/release/bevy-crowd")
    options = parser.parse_args()
    for program in (options.sinew, options.bevy):
        if not program.exists():
            sys.exit(f"{program} does not exist; build it first")
    options.sinew, options.bevy = options.sinew.resolve(), options.bevy.resolve()
    options.counts = [int(count) for count in options.counts.split(",")]
    return options


def command(program, count, options, image):
    """Returns the command of a program. sinew draws the last image if a file is given, and measures frames otherwise."""
    if program == "Bevy":
        return [options.bevy, "--count", count, "--frames", options.frames, "-o", image]
    level = ["--lod", 0] if program.endswith("--lod 0") else []
    scene = ["--count", count, "--terrain", "flat", "--light", "classic"]
    adapter = ["--adapter", f"vulkan:{options.adapter}"]
    drawn = ["-o", image] if image else ["--measure", options.frames]
    return [options.sinew, "crowd", *scene, *level, *adapter, *drawn]


def output_of(words, options):
    """Runs a command, and returns what it prints."""
    environment = {**os.environ, "WGPU_ADAPTER_NAME": options.adapter, "WGPU_BACKEND": "vulkan"}
    words = [str(word) for word in words]
    result = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    output = result.stdout + result.stderr
    if result.returncode != 0:
        sys.exit(f"{' '.join(words)} failed:\n{output}")
    return output


def run(program, count, options):
    """Runs a program once, and returns the median and the least milliseconds per frame, and the adapter."""
    with tempfile.TemporaryDirectory() as folder:
        image = pathlib.Path(folder) / "image.png"
        output = output_of(command(program, count, options, image if program == "Bevy" else None), options)
        if program == "Bevy":
            found = TIMES.search(output)
            times = [float(found[1]), float(found[2])] if found and int(found[3]) == options.frames else []
        else:
            frames = [sum(float(time) for time in frame if time != "-") for frame in FRAME.findall(output)]
            times = [statistics.median(frames), min(frames)] if len(frames) == options.frames else []
        adapter = ADAPTER.search(output)
        if not times or not adapter:
            sys.exit(f"{program} printed no times:\n{output}")
        if options.adapter.lower() not in adapter[1].lower():
            sys.exit(f"{program} used the adapter {adapter[1]}")
        if options.images:
            if program != "Bevy":
                output_of(command(program, count, options, image), options)
            options.images.mkdir(parents=True, exist_ok=True)
            shutil.copy(image, options.images / f"{program.replace(' ', '')}-{count}.png")
    return *times, adapter[1]


def main():
    options = arguments()
    adapters = {}
    rows = []
    for count in options.counts:
        measured = {program: [] for program in PROGRAMS}
        for _ in range(options.rounds):
            for program in PROGRAMS:
                median, least, adapters[program] = run(program, count, options)
                measured[program].append((median, least))
        median = {program: statistics.median(times for times, _ in measured[program]) for program in PROGRAMS}
        least = {program: min(times for _, times in measured[program]) for program in PROGRAMS}
        cells = [f"{median[program]:.1f} ({least[program]:.1f}) ms" for program in PROGRAMS]
        cells += [f"{median[program] / median['Bevy']:.2f}" for program in PROGRAMS[:2]]
        rows.append(f"| {count:,} | {' | '.join(cells)} |")
        print(rows[-1], file=sys.stderr)
    for program in ("sinew", "Bevy"):
        print(f"{program}: {adapters[program]}")
    print(f"| figures | {' | '.join(PROGRAMS)} | sinew / Bevy | sinew --lod 0 / Bevy |")
    print("|" + "---|" * 6)
    print("\n".join(rows))


main()
