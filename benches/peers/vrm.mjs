#!/usr/bin/env node
// Compares sinew's spring bones and node constraints with three-vrm, the reference implementation.
//
//     SINEW_TEST_DATA=FOLDER node benches/peers/vrm.mjs [--program FILE] [--frames N] [--plain]
//
// Needs Node.js, and `sinew` in target/debug or at the path given by --program. three.js and three-vrm are installed from npm
// into target/peers/vrm. A copy of each file gets a clip that moves its first node along a random path with a fixed seed. `sinew
// bake` writes that motion and everything that follows from it as a clip with 60 poses per second. three-vrm gets the same path,
// one step of 1/60 s for each pose. The result is the largest distance between joints as a fraction of the figure's height, and
// the largest angle between constrained nodes. The exit code is 1 if one of them is above its limit. Joints of three-vrm have
// constant lengths, as in the specification, unless --plain is given.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const FOLDER = join(ROOT, "target/peers/vrm");
const VERSIONS = { three: "0.180.0", "@pixiv/three-vrm": "3.4.3" };
const RATE = 60;
// Largest accepted distance of a joint, as a fraction of the height, and largest accepted angle in radians.
const LIMITS = { distance: 1e-4, angle: 1e-6 };
// A file, and how far its first node moves, in metres. Some cases change the settings of springs.
const CASES = [
    { file: "springbone/sphere-collider.gltf", reach: 0.6 },
    { file: "springbone/plane-collider.gltf", reach: 0.6 },
    { file: "springbone/inside-collider.gltf", reach: 0.6 },
    { file: "springbone/sphere-collider.gltf", reach: 0.6, gravity: true },
    { file: "springbone/sphere-collider.gltf", reach: 2, center: true },
    { file: "springbone/sphere-collider.gltf", reach: 0.6, capsule: true },
    { file: "node-constraint/cubes.gltf", reach: 0.6 },
    { file: "node-constraint/cubes.gltf", reach: 0.6, aim: true },
];

function options() {
    const found = { program: join(ROOT, "target/debug/sinew"), frames: 600, plain: false };
    const list = process.argv.slice(2);
    while (list.length > 0) {
        const name = list.shift().replace(/^--/, "");
        if (name === "plain") {
            found.plain = true;
            continue;
        }
        if (!(name in found) || list.length === 0) throw new Error(`unknown option or missing value: --${name}`);
        found[name] = name === "frames" ? Number(list.shift()) : list.shift();
    }
    return found;
}

// The loader reports its progress with a browser event.
globalThis.ProgressEvent ??= class ProgressEvent extends Event {};

async function install() {
    const module = (name, file) => join(FOLDER, "node_modules", name, file);
    const isThere = ([name, version]) => {
        const file = module(name, "package.json");
        return existsSync(file) && JSON.parse(readFileSync(file)).version === version;
    };
    mkdirSync(FOLDER, { recursive: true });
    if (!Object.entries(VERSIONS).every(isThere)) {
        const packages = Object.entries(VERSIONS).map(([name, version]) => `${name}@${version}`);
        execFileSync("npm", ["install", "--silent", "--no-save", "--prefix", FOLDER, ...packages]);
    }
    const load = (name, file) => import(pathToFileURL(module(name, file)).href);
    const THREE = await load("three", "build/three.module.js");
    const { GLTFLoader } = await load("three", "examples/jsm/loaders/GLTFLoader.js");
    const springs = await load("@pixiv/three-vrm-springbone", "lib/three-vrm-springbone.module.js");
    const constraints = await load("@pixiv/three-vrm-node-constraint", "lib/three-vrm-node-constraint.module.js");
    return { THREE, GLTFLoader, springs, constraints };
}

// Random numbers from 0 to 1 (mulberry32).
function random(seed) {
    let state = seed >>> 0;
    return () => {
        state = (state + 0x6d2b79f5) >>> 0;
        let x = Math.imul(state ^ (state >>> 15), state | 1);
        x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
        return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
    };
}

// A smooth path: sums of three sine waves with random frequencies and phases, in single precision.
function path(frames, reach, start) {
    const next = random(20250101);
    const wave = () => {
        const parts = [0, 1, 2].map(() => [0.3 + 2.2 * next(), 2 * Math.PI * next()]);
        return (t) => parts.reduce((sum, [f, p]) => sum + Math.sin(2 * Math.PI * f * t + p) - Math.sin(p), 0) / 3;
    };
    const [move, turn] = [[wave(), wave(), wave()], [wave(), wave(), wave()]];
    return Array.from({ length: frames + 1 }, (_, i) => {
        const t = i / RATE;
        const [x, y, z] = turn.map((w) => w(t));
        const length = Math.hypot(x, y, z, 1.2);
        return {
            position: move.map((w, axis) => Math.fround(start[axis] + 0.5 * reach * w(t))),
            rotation: [x, y, z, 1.2].map((c) => Math.fround(c / length)),
        };
    });
}

// Returns the JSON of a file with the variations of a case, with embedded buffers, and with a new root above its first node if it
// has springs. A spring joint itself must not move within its parent: the specification turns it as if it did not.
function document(folder, entry) {
    const json = JSON.parse(readFileSync(join(folder, entry.file)));
    for (const buffer of json.buffers) {
        const bytes = readFileSync(join(folder, dirname(entry.file), buffer.uri));
        buffer.uri = `data:application/octet-stream;base64,${bytes.toString("base64")}`;
    }
    const springs = json.extensions?.VRMC_springBone;
    if (springs) {
        const first = json.scenes[0].nodes;
        first[first.indexOf(0)] = json.nodes.length;
        json.nodes.push({ name: "Path", children: [0], translation: [0, 0, 0] });
    }
    if (entry.gravity) {
        for (const joint of springs.springs[0].joints) Object.assign(joint, { gravityPower: 1.5, stiffness: 0.3 });
    }
    if (entry.center) {
        springs.springs[0].center = movedNode(json);
    }
    if (entry.capsule) {
        springs.colliders[0].shape = { capsule: { offset: [0, -1, 0], tail: [0.2, 0.5, 0.3], radius: 0.4 } };
    }
    if (entry.aim) {
        const aim = { source: 0, aimAxis: "PositiveX", weight: 0.8 };
        json.nodes[1].extensions.VRMC_node_constraint.constraint = { aim };
    }
    return json;
}

// The node that moves along the path.
const movedNode = (json) => Math.max(0, json.nodes.findIndex((node) => node.name === "Path"));

// Adds a clip that moves a node along a path.
function animate(json, keys) {
    const floats = [...keys.keys()].map((i) => i / RATE);
    const add = (values, type, bounds) => {
        const bytes = Buffer.from(new Float32Array(values.flat()).buffer);
        const uri = `data:application/octet-stream;base64,${bytes.toString("base64")}`;
        json.buffers.push({ uri, byteLength: bytes.length });
        json.bufferViews.push({ buffer: json.buffers.length - 1, byteOffset: 0, byteLength: bytes.length });
        const view = json.bufferViews.length - 1;
        json.accessors.push({ bufferView: view, componentType: 5126, count: keys.length, type, ...bounds });
        return json.accessors.length - 1;
    };
    const input = add(floats, "SCALAR", { min: [0], max: [Math.fround(floats.at(-1))] });
    const samplers = [{ input, output: add(keys.map((k) => k.position), "VEC3") }];
    const channels = [{ sampler: 0, target: { node: movedNode(json), path: "translation" } }];
    samplers.push({ input, output: add(keys.map((k) => k.rotation), "VEC4") });
    channels.push({ sampler: 1, target: { node: movedNode(json), path: "rotation" } });
    json.animations = [{ name: "path", samplers, channels }];
}

function parse({ GLTFLoader, springs, constraints }, data) {
    const loader = new GLTFLoader();
    loader.register((parser) => new springs.VRMSpringBoneLoaderPlugin(parser));
    loader.register((parser) => new constraints.VRMNodeConstraintLoaderPlugin(parser));
    return new Promise((done, failed) => loader.parse(data, "", done, failed));
}

const bytes = (buffer) => buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength);

// Poses all frames. `set` prepares a frame. Returns world positions and local rotations of all nodes.
async function trace(peers, gltf, frames, set) {
    const nodes = await gltf.parser.getDependencies("node");
    const { Vector3 } = peers.THREE;
    return Array.from({ length: frames + 1 }, (_, frame) => {
        set(nodes, frame);
        gltf.scene.updateMatrixWorld(true);
        return nodes.map((node) => ({
            position: new Vector3().setFromMatrixPosition(node.matrixWorld),
            rotation: node.quaternion.clone(),
        }));
    });
}

// three-vrm measures the length of a joint from its own position to its child's position before its ancestors turned in this
// step, so the length differs in each step. The specification has a constant length. This updates the child first.
function keepLength(joint) {
    const update = joint.update;
    joint.update = (delta) => {
        joint.bone.updateWorldMatrix(false, true);
        update.call(joint, delta);
    };
}

async function reference(peers, json, keys, plain) {
    const gltf = await parse(peers, bytes(Buffer.from(JSON.stringify(json))));
    const { vrmSpringBoneManager: springs, vrmNodeConstraintManager: constraints } = gltf.userData;
    if (!plain) for (const joint of springs?.joints ?? []) keepLength(joint);
    return trace(peers, gltf, keys.length - 1, (nodes, frame) => {
        const moved = nodes[movedNode(json)];
        moved.position.fromArray(keys[frame].position);
        moved.quaternion.fromArray(keys[frame].rotation).normalize();
        // The manager expects world matrices of this frame. The joints do not update themselves.
        for (const node of nodes) node.updateMatrix();
        gltf.scene.updateMatrixWorld(true);
        constraints?.update();
        if (frame > 0) springs?.update(1 / RATE);
    });
}

// Reads the last clip of a baked file and sets its keys without interpolation.
async function baked(peers, file, frames) {
    const gltf = await parse({ ...peers }, bytes(readFileSync(file)));
    const clip = gltf.animations.at(-1);
    return trace(peers, gltf, frames, (nodes, frame) => {
        for (const track of clip.tracks) {
            const at = track.name.lastIndexOf(".");
            const node = nodes.find((n) => n.uuid === track.name.slice(0, at) || n.name === track.name.slice(0, at));
            const property = track.name.slice(at + 1);
            const size = track.getValueSize();
            // A property that never changes has a single key.
            const key = Math.min(frame, track.times.length - 1);
            node[property].fromArray(track.values, key * size);
            if (property === "quaternion") node.quaternion.normalize();
        }
        for (const node of nodes) node.updateMatrix();
    });
}

function compare(peers, ours, theirs, height) {
    let [distance, angle] = [0, 0];
    const moved = [0, 0];
    ours.forEach((nodes, frame) => nodes.forEach((own, node) => {
        const other = theirs[frame][node];
        distance = Math.max(distance, own.position.distanceTo(other.position) / height);
        // The angle is computed from the vector part, which is exact for small angles.
        const turn = own.rotation.clone().invert().multiply(other.rotation);
        angle = Math.max(angle, 2 * Math.asin(Math.min(1, Math.hypot(turn.x, turn.y, turn.z))));
        const rest = theirs[0][node];
        moved[0] = Math.max(moved[0], other.position.distanceTo(rest.position));
        moved[1] = Math.max(moved[1], other.rotation.angleTo(rest.rotation));
    }));
    return { distance, angle, moved };
}

async function main() {
    const { program, frames, plain } = options();
    const folder = join(process.env.SINEW_TEST_DATA ?? "", "models/vrm");
    if (!existsSync(folder)) throw new Error("SINEW_TEST_DATA must name the folder of the test data");
    const peers = await install();
    let failed = false;
    console.log(`three-vrm ${VERSIONS["@pixiv/three-vrm"]}, ${frames} frames at ${RATE} Hz`);
    for (const [index, entry] of CASES.entries()) {
        const json = document(folder, entry);
        const keys = path(frames, entry.reach, json.nodes[movedNode(json)].translation);
        const theirs = await reference(peers, json, keys, plain);
        const animated = structuredClone(json);
        animate(animated, keys);
        const [input, output] = [join(FOLDER, `case-${index}.gltf`), join(FOLDER, `case-${index}.glb`)];
        writeFileSync(input, JSON.stringify(animated));
        const bake = ["bake", input, "--animation", "path", "--fps", String(RATE), "--key-error", "0", "-o", output];
        execFileSync(program, bake, { stdio: ["ignore", "ignore", "inherit"] });
        const heights = theirs[0].map((node) => node.position.y);
        const height = Math.max(...heights) - Math.min(...heights) || 1;
        const result = compare(peers, await baked(peers, output, frames), theirs, height);
        const isConstraint = !json.extensions?.VRMC_springBone;
        const isWithin = isConstraint ? result.angle <= LIMITS.angle : result.distance <= LIMITS.distance;
        failed ||= !isWithin;
        const variant = ["gravity", "center", "capsule", "aim"].filter((key) => entry[key]).join(" ");
        const name = `${entry.file} ${variant}`.trim();
        const value = isConstraint ? `angle ${result.angle.toExponential(2)}` : `distance ${result.distance.toExponential(2)}`;
        const moved = `moved ${result.moved[0].toFixed(2)} m, ${result.moved[1].toFixed(2)} rad`;
        console.log(`${name.padEnd(42)} ${value}  ${isWithin ? "within" : "ABOVE"} the limit (${moved})`);
    }
    process.exitCode = failed ? 1 : 0;
}

await main();
