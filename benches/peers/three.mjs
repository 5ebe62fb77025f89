#!/usr/bin/env node
// Measures three.js on the software driver SwiftShader, alternating with sinew on this machine's software adapter, and prints
// both times and their ratio.
//
//     SINEW_TEST_DATA=FOLDER node benches/peers/three.mjs [--turns N] [--program FILE] [--image OUT.png]
//
// Needs Node.js and Chromium (or the program that CHROMIUM names). three.js is installed from npm into target/peers/three.
// sinew is measured by `cargo bench -p sinew-benches --bench draw`, or by a copy of that program (--program). Both draw the same animated character with the same camera at 1280x720, with one sample per pixel, and without a floor or shadows.
// three.js has MeshStandardMaterial, a directional light and a hemisphere light. Each frame is finished before the next one
// begins: by reading back one pixel in three.js, by waiting for the device in sinew.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, extname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const FOLDER = join(ROOT, "target/peers/three");
const VERSION = "0.187.0";
const CHARACTER = "models/vulkan-assets/CesiumMan/glTF-Binary/CesiumMan.glb";
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".glb": "model/gltf-binary" };
// Rounds per turn, for sinew and for the browser. A round has four frames.
const ROUNDS = 6;
// Maximum time without an answer from the browser.
const PATIENCE_MS = 180_000;

const PAGE = `<!doctype html><script type="importmap">{"imports": {
  "three": "/three/build/three.module.js", "three/addons/": "/three/examples/jsm/"
}}</script><script type="module" src="/page.js"></script>`;

// Runs in the browser. Each answer of /next is the number of rounds to draw, or 0 to stop.
async function page(camera) {
    const THREE = await import("three");
    const { GLTFLoader } = await import("three/addons/loaders/GLTFLoader.js");
    const canvas = document.createElement("canvas");
    const renderer = new THREE.WebGLRenderer({ canvas, antialias: false, preserveDrawingBuffer: true });
    renderer.setSize(1280, 720, false);
    const scene = new THREE.Scene();
    scene.background = new THREE.Color(0xe4e5e8);
    const { scene: model, animations } = await new GLTFLoader().loadAsync("/model.glb");
    model.traverse((object) => { object.frustumCulled = false; });
    const key = new THREE.DirectionalLight(0xfff7eb, 2.6);
    key.position.set(0.38, 0.82, 0.43);
    scene.add(model, key, new THREE.HemisphereLight(0xffffff, 0x8d8d8d, 1.5));
    const view = new THREE.PerspectiveCamera(camera.fov, 1280 / 720, camera.near, camera.far);
    view.position.set(...camera.position);
    view.lookAt(...camera.target);
    const mixer = new THREE.AnimationMixer(model);
    mixer.clipAction(animations[0]).play();
    const gl = renderer.getContext();
    const pixel = new Uint8Array(4);
    const draw = () => {
        mixer.update(1 / 30);
        renderer.render(scene, view);
        gl.readPixels(640, 360, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    };
    for (let i = 0; i < 20; i++) draw();
    const info = gl.getExtension("WEBGL_debug_renderer_info");
    const driver = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "unknown driver";
    let last = { driver, image: canvas.toDataURL() };
    for (;;) {
        const answer = await fetch("/next", { method: "POST", body: JSON.stringify(last) });
        const rounds = await answer.json();
        if (rounds === 0) return;
        last = { times: [] };
        for (let round = 0; round < rounds; round++) {
            const began = performance.now();
            for (let i = 0; i < 4; i++) draw();
            last.times.push((performance.now() - began) / 4);
        }
    }
}

function options() {
    const found = { turns: 8, program: null, image: null };
    const list = process.argv.slice(2);
    while (list.length > 0) {
        const name = list.shift().replace(/^--/, "");
        if (!(name in found) || list.length === 0) throw new Error(`unknown option or missing value: --${name}`);
        found[name] = name === "turns" ? Number(list.shift()) : list.shift();
    }
    return found;
}

function install() {
    const file = join(FOLDER, "node_modules/three/package.json");
    if (!existsSync(file) || JSON.parse(readFileSync(file)).version !== VERSION) {
        mkdirSync(FOLDER, { recursive: true });
        execFileSync("npm", ["install", "--silent", "--no-save", "--prefix", FOLDER, `three@${VERSION}`]);
    }
}

// Returns the camera and the times of some rounds of sinew.
function sinew(program, rounds) {
    const cargo = ["cargo", "bench", "-q", "-p", "sinew-benches", "--bench", "draw", "--"];
    const [name, ...start] = program ? [resolve(program)] : cargo;
    const looks = ["--looks", "bare,default", "--rounds", String(rounds), "--json"];
    const stdio = ["ignore", "pipe", "ignore"];
    return JSON.parse(execFileSync(name, [...start, ...looks], { cwd: ROOT, stdio, encoding: "utf8" }));
}

// Serves the page, three.js and the character. `next` gets what the browser reports, and returns its next number of rounds.
function serve(character, camera, next) {
    const library = join(FOLDER, "node_modules/three") + sep;
    const read = (url) => {
        if (url === "/") return PAGE;
        if (url === "/page.js") return `${page}\npage(${JSON.stringify(camera)});`;
        if (url === "/model.glb") return readFileSync(character);
        const file = url.startsWith("/three/") ? resolve(library, url.slice("/three/".length)) : "";
        return file.startsWith(library) && existsSync(file) ? readFileSync(file) : null;
    };
    const server = createServer(async (request, response) => {
        if (request.url === "/next") {
            let text = "";
            for await (const piece of request) text += piece;
            response.end(JSON.stringify(next(JSON.parse(text))));
            return;
        }
        const body = read(request.url);
        const type = TYPES[extname(request.url)] ?? "text/html";
        response.writeHead(body === null ? 404 : 200, { "content-type": type }).end(body);
    });
    return new Promise((done) => server.listen(0, "127.0.0.1", () => done(server)));
}

function browse(url, profile) {
    const flags = ["--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader",
        "--enable-unsafe-swiftshader", "--no-first-run", "--disable-extensions", `--user-data-dir=${profile}`];
    return spawn(process.env.CHROMIUM ?? "chromium", [...flags, url], { stdio: "ignore", detached: true });
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const row = (name, values) => {
    const [middle, least] = [median(values), Math.min(...values)];
    console.log(`${name.padEnd(18)} ${middle.toFixed(2).padStart(10)} ${least.toFixed(2).padStart(10)}`);
};

async function main() {
    const { turns: wanted, program, image } = options();
    const character = join(process.env.SINEW_TEST_DATA ?? "", CHARACTER);
    if (!existsSync(character)) throw new Error("SINEW_TEST_DATA must name the folder of the test data");
    install();
    const { camera } = sinew(program, 1);
    const three = [], bare = [], looks = [];
    let driver = "", waiting = null, turns = 0;
    let done, failed;
    const finished = new Promise((resolved, rejected) => { [done, failed] = [resolved, rejected]; });
    const wait = () => { waiting = setTimeout(() => failed(new Error("the browser does not answer")), PATIENCE_MS); };
    const next = (report) => {
        clearTimeout(waiting);
        if (report.image) {
            driver = report.driver;
            if (image) writeFileSync(image, Buffer.from(report.image.split(",")[1], "base64"));
        } else {
            three.push(...report.times);
            turns += 1;
        }
        if (turns >= wanted) {
            done();
            return 0;
        }
        const times = sinew(program, ROUNDS).looks;
        bare.push(...times.bare);
        looks.push(...times.default);
        wait();
        return ROUNDS;
    };
    wait();
    const server = await serve(character, camera, next);
    const folder = mkdtempSync(join(tmpdir(), "three-"));
    const browser = browse(`http://127.0.0.1:${server.address().port}/`, folder);
    try {
        await finished;
    } finally {
        // The browser has several processes, which form a group.
        try { process.kill(-browser.pid); } catch { /* it has ended already */ }
        server.closeAllConnections();
        server.close();
        setTimeout(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }), 1000);
    }
    console.log(`three.js ${VERSION}: ${driver}`);
    console.log(`${"".padEnd(18)} ${"median ms".padStart(10)} ${"minimum ms".padStart(10)}`);
    row("three.js", three);
    row("sinew, bare", bare);
    row("sinew, default", looks);
    const ratio = (of) => (of(bare) / of(three)).toFixed(2);
    console.log(`bare / three.js: ${ratio(median)} (median), ${ratio((values) => Math.min(...values))} (minimum)`);
}

await main();
