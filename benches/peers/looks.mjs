#!/usr/bin/env node
// Draws characters with three.js for looks.py, which writes the jobs to standard input.
//
// Needs Node.js and Chromium (or the program that CHROMIUM names), which draws with the software driver SwiftShader. three.js and
// three-vrm, for the shading of anime figures, are installed from npm into target/peers/looks. The light is
// RoomEnvironment with the tone map Neutral, as in the examples of three.js. Anime figures are lit as in the examples of
// three-vrm.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, extname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const FOLDER = join(ROOT, "target/peers/looks");
const VERSIONS = { three: "0.187.0", "@pixiv/three-vrm-materials-mtoon": "3.4.3" };
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".glb": "model/gltf-binary" };
// Maximum time without an answer from the browser.
const PATIENCE_MS = 180_000;

const PAGE = `<!doctype html><script type="importmap">{"imports": {
  "three": "/lib/three/build/three.module.js", "three/addons/": "/lib/three/examples/jsm/",
  "three/tsl": "/lib/three/build/three.tsl.js", "three/webgpu": "/lib/three/build/three.webgpu.js",
  "mtoon": "/lib/@pixiv/three-vrm-materials-mtoon/lib/three-vrm-materials-mtoon.module.js"
}}</script><script type="module" src="/page.js"></script>`;

// Runs in the browser. Sends the image of each job.
async function page(jobs) {
    const THREE = await import("three");
    const { GLTFLoader } = await import("three/addons/loaders/GLTFLoader.js");
    const { RoomEnvironment } = await import("three/addons/environments/RoomEnvironment.js");
    const send = (message) => fetch("/done", { method: "POST", body: JSON.stringify(message) });
    const draw = async (job) => {
        const [width, height] = job.size;
        const renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
        renderer.setSize(width, height, false);
        renderer.toneMapping = THREE.NeutralToneMapping;
        const [r, g, b] = job.background;
        const scene = new THREE.Scene();
        scene.background = new THREE.Color(`rgb(${r}, ${g}, ${b})`);
        const loader = new GLTFLoader();
        if (job.is_toon) {
            const { MToonMaterialLoaderPlugin } = await import("mtoon");
            loader.register((parser) => new MToonMaterialLoaderPlugin(parser));
            const light = new THREE.DirectionalLight(0xffffff, Math.PI);
            light.position.set(1, 1, 1);
            scene.add(light);
            renderer.toneMapping = THREE.NoToneMapping;
        } else {
            const filter = new THREE.PMREMGenerator(renderer);
            scene.environment = filter.fromScene(new RoomEnvironment(), 0.04).texture;
        }
        const { scene: model } = await loader.loadAsync(`/model/${job.index}.glb`);
        model.traverse((object) => { object.frustumCulled = false; });
        scene.add(model);
        const { position, target, angle, distance } = job.camera;
        const view = new THREE.PerspectiveCamera(angle, width / height, distance / 100, distance * 10);
        view.position.set(...position);
        view.lookAt(...target);
        renderer.render(scene, view);
        const image = renderer.domElement.toDataURL();
        renderer.dispose();
        renderer.forceContextLoss();
        return image;
    };
    for (const job of jobs) {
        try {
            await send({ index: job.index, image: await draw(job) });
        } catch (error) {
            await send({ index: job.index, error: String(error) });
        }
    }
    await send({});
}

function install() {
    const isThere = ([name, version]) => {
        const file = join(FOLDER, "node_modules", name, "package.json");
        return existsSync(file) && JSON.parse(readFileSync(file)).version === version;
    };
    mkdirSync(FOLDER, { recursive: true });
    if (!Object.entries(VERSIONS).every(isThere)) {
        const packages = Object.entries(VERSIONS).map(([name, version]) => `${name}@${version}`);
        execFileSync("npm", ["install", "--silent", "--no-save", "--prefix", FOLDER, ...packages]);
    }
}

// Serves the page, the libraries and the models. `done` gets what the browser sends.
function serve(jobs, done) {
    const library = join(FOLDER, "node_modules") + sep;
    const read = (url) => {
        if (url === "/") return PAGE;
        if (url === "/page.js") return `${page}\npage(${JSON.stringify(jobs)});`;
        const model = /^\/model\/(\d+)\.glb$/.exec(url);
        if (model) return readFileSync(jobs[Number(model[1])].model);
        const file = url.startsWith("/lib/") ? resolve(library, url.slice("/lib/".length)) : "";
        return file.startsWith(library) && existsSync(file) ? readFileSync(file) : null;
    };
    const server = createServer(async (request, response) => {
        if (request.url === "/done") {
            let text = "";
            for await (const piece of request) text += piece;
            response.end();
            done(JSON.parse(text));
            return;
        }
        const body = read(request.url);
        const type = TYPES[extname(request.url)] ?? "text/html";
        response.writeHead(body === null ? 404 : 200, { "content-type": type }).end(body);
    });
    return new Promise((ready) => server.listen(0, "127.0.0.1", () => ready(server)));
}

function browse(url, profile) {
    const flags = ["--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader",
        "--enable-unsafe-swiftshader", "--no-first-run", "--disable-extensions", `--user-data-dir=${profile}`];
    return spawn(process.env.CHROMIUM ?? "chromium", [...flags, url], { stdio: "ignore", detached: true });
}

async function main() {
    const jobs = JSON.parse(readFileSync(0)).map((job, index) => ({ ...job, index }));
    install();
    let finish, fail, timer;
    const finished = new Promise((resolved, rejected) => { [finish, fail] = [resolved, rejected]; });
    const wait = () => { timer = setTimeout(() => fail(new Error("the browser does not answer")), PATIENCE_MS); };
    const server = await serve(jobs, (message) => {
        clearTimeout(timer);
        if (message.index === undefined) {
            finish();
            return;
        }
        const job = jobs[message.index];
        if (message.error) console.error(`three.js: ${job.name}: ${message.error}`);
        else writeFileSync(job.image, Buffer.from(message.image.split(",")[1], "base64"));
        wait();
    });
    const folder = mkdtempSync(join(tmpdir(), "looks-"));
    wait();
    const browser = browse(`http://127.0.0.1:${server.address().port}/`, folder);
    try {
        await finished;
    } finally {
        // The browser has several processes, which form a group.
        try { process.kill(-browser.pid); } catch { /* it has ended already */ }
        clearTimeout(timer);
        server.closeAllConnections();
        server.close();
        setTimeout(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }), 1000);
    }
}

await main();
