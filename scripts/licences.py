#!/usr/bin/env python3
"""Writes the licences of all crates in a build, and a list of these crates (SBOM) in the format CycloneDX 1.5.

    scripts/licences.py FOLDER [--package sinew] [--features viewer] [--target TRIPLE] [--manifest Cargo.toml]

writes FOLDER/THIRD-PARTY.txt and FOLDER/sbom.cdx.json. Only crates that the built program contains are listed, not those
of tests, build scripts and macros. The texts are those in the sources of the crates. A crate without one is listed with
its licence. The same sources give the same bytes; SOURCE_DATE_EPOCH sets the date.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import tomllib
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The names of files with a licence. The last two belong to fonts.
TEXT = re.compile(r"(UN)?LICEN[CS]E|COPYING|COPYRIGHT|NOTICE|OFL|UFL", re.IGNORECASE)
# Licences that do not require a notice for each crate: Apache-2.0, whose text other crates contain, and the Unlicense.
FREE = re.compile("Apache-2.0|Unlicense")
# A C comment with a licence. C libraries often have no other licence text.
NOTICE = re.compile(r"/\*((?:(?!\*/).)*?Permission is hereby granted.*?)\*/", re.DOTALL)
SUFFIXES = {"", ".txt", ".md", ".mit", ".apache", ".apache2", ".apache-2.0", ".zlib", ".bsd"}


def cargo(*arguments):
    """Returns the output of cargo."""
    return subprocess.run(["cargo", *arguments], check=True, capture_output=True, text=True, cwd=ROOT).stdout


def crates(options):
    """Returns the packages in the build without proc-macros, with `cargo metadata`'s entries, and the root package."""
    graph = ["--locked", "--manifest-path", options.manifest]
    features = ["--no-default-features", "--features", options.features]
    target = ["--target", options.target] if options.target else []
    edges = ["--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"]
    tree = cargo("tree", *graph, "--package", options.package, *features, *target, *edges)
    used = {tuple(line.split()[:2]) for line in tree.splitlines() if line}
    platform = ["--filter-platform", options.target] if options.target else []
    metadata = json.loads(cargo("metadata", *graph, "--format-version", "1", *platform))
    found = {p["id"]: p for p in metadata["packages"] if (p["name"], f"v{p['version']}") in used}
    root = next(p for p in found.values() if p["name"] == options.package)
    nodes = {n["id"]: n["dependencies"] for n in metadata["resolve"]["nodes"]}
    return root, found, {p: [d for d in nodes[p] if d in found] for p in found}


def expression(package):
    """Returns the licence of a package in the notation of SPDX. Old crates write a slash for OR."""
    return (package["license"] or "see the text below").replace("/", " OR ")


def texts(package):
    """Returns the licence texts of a package, without repetitions."""
    folder = pathlib.Path(package["manifest_path"]).parent
    if package["source"] is None:
        # A member of the workspace has the licences of the repository.
        folder, files = ROOT, sorted(ROOT.glob("LICENSE-*"))
    else:
        files = sorted(f for f in folder.rglob("*") if TEXT.match(f.stem) and f.suffix.lower() in SUFFIXES)
    named = folder / package["license_file"] if package["license_file"] else None
    if named and named.is_file() and named not in files:
        files.append(named)
    contents = (f.read_text("utf-8", "replace").replace("\r\n", "\n").strip() for f in files if f.is_file())
    found = list(dict.fromkeys(text for text in contents if text))
    return found or [notice for f in sorted(folder.rglob("*.h")) for notice in NOTICE.findall(f.read_text("utf-8", "replace"))]


def notices(root, packages):
    """Returns the text of THIRD-PARTY.txt, and the names of the packages without a licence text."""
    by_text, without = {}, []
    for package in packages:
        name = f"{package['name']} {package['version']}"
        found = texts(package)
        for text in found:
            by_text.setdefault(text, []).append(name)
        if not found:
            without.append(f"{name} ({expression(package)})")
    lacking = [p["name"] for p in packages if not texts(p) and not FREE.search(expression(p))]
    if lacking:
        raise SystemExit(f"licences: no text of a licence: {', '.join(lacking)}")
    head = f"Software in {root['name']} {root['version']}, and its licences\n\n"
    rows = [f"{p['name']} {p['version']}: {expression(p)}" for p in packages]
    rows.append("The Rust standard library: MIT OR Apache-2.0")
    if without:
        rows += ["", "These contain no text of their licence. The text of Apache-2.0 is below, and the Unlicense asks for none:", *without]
    parts = [head + "\n".join(rows)]
    for text, names in sorted(by_text.items(), key=lambda item: item[1]):
        parts.append(f"{'=' * 100}\n{', '.join(names)}\n{'=' * 100}\n\n{text}")
    return "\n\n".join(parts) + "\n", without


def sbom(root, packages, edges, lock):
    """Returns the packages as a CycloneDX document."""
    purl = {p["id"]: f"pkg:cargo/{p['name']}@{p['version']}" for p in [root, *packages]}

    def component(package, kind):
        entry = {"type": kind, "bom-ref": purl[package["id"]], "name": package["name"], "version": package["version"]}
        if checksum := lock.get((package["name"], package["version"])):
            entry["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        known = {"expression": expression(package)} if package["license"] else {"license": {"name": "see THIRD-PARTY.txt"}}
        entry |= {"licenses": [known], "purl": purl[package["id"]]}
        if package["repository"]:
            entry["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
        return entry

    time = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "tools": {"components": [{"type": "application", "name": "scripts/licences.py"}]},
            "component": component(root, "application"),
        },
        "components": [component(p, "library") for p in packages],
        "dependencies": [
            {"ref": purl[p["id"]], "dependsOn": sorted(purl[d] for d in edges[p["id"]])} for p in [root, *packages]
        ],
    }
    document["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(document))}"
    return document


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--package", default="sinew")
    parser.add_argument("--features", default="viewer")
    parser.add_argument("--target")
    parser.add_argument("--manifest", default="Cargo.toml")
    options = parser.parse_args()
    root, found, edges = crates(options)
    packages = sorted((p for p in found.values() if p is not root), key=lambda p: (p["name"], p["version"]))
    lock = tomllib.loads((ROOT / options.manifest).with_name("Cargo.lock").read_text())["package"]
    checksums = {(p["name"], p["version"]): p.get("checksum") for p in lock}
    text, without = notices(root, packages)
    options.folder.mkdir(parents=True, exist_ok=True)
    (options.folder / "THIRD-PARTY.txt").write_text(text)
    document = sbom(root, packages, edges, checksums)
    (options.folder / "sbom.cdx.json").write_text(json.dumps(document, indent=1) + "\n")
    print(f"licences: {len(packages)} crates, {len(without)} without a text", *without, sep="\n  ", file=sys.stderr)


if __name__ == "__main__":
    main()
