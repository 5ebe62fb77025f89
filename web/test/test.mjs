// Tests the page in a real browser: node test.mjs PAGE_FOLDER OUT_FOLDER [NAME...]

import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile, cp } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { serve } from './server.mjs';
import { demosReact } from './demos.mjs';
import { twelveTasks } from './tasks.mjs';
import { WITHOUT, difference, kept, launch, open, picture, settled } from './browser.mjs';

const [folder, out, ...names] = process.argv.slice(2);
/** Positions of the mannequin's hand at rest and at the end of the drag, in pixels of a page of 1280×800. */
const HAND = [362, 298];
const TO = [330, 190];
/** Whether the page is a release, which is compared with a native release. */
const release = process.env.WEB_PROFILE === 'release';
const AUTOSAVE = '/settings/.mannequin.autosave.sinew';

await mkdir(out, { recursive: true });
const server = await serve(folder);
const browser = await launch();
const shoot = async (page, name) => page.screenshot({ path: join(out, `${name}.png`) });

async function drag(page, from, to, steps = 8) {
    await page.mouse.move(...from);
    await page.mouse.down();
    await page.mouse.move(...to, { steps });
    await page.mouse.up();
    await settled(page);
}

/** Returns the unsaved work. */
async function work(page) {
    await page.evaluate(() => document.getElementById('canvas').viewer.hide());
    for (let tries = 0; tries < 40; tries++) {
        await page.waitForTimeout(250);
        const text = await kept(page, AUTOSAVE);
        if (text) return text;
    }
    return undefined;
}

/** Waits for a file that the page downloads while an action runs. */
async function download(page, action, name) {
    const [file] = await Promise.all([page.waitForEvent('download', { timeout: 60_000 }), action()]);
    const path = join(out, name ?? file.suggestedFilename());
    await file.saveAs(path);
    return { path, name: file.suggestedFilename() };
}

const drop = (page, files) => page.evaluate((given) => {
    const transfer = new DataTransfer();
    given.forEach(([name, text]) => transfer.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name)));
    dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, cancelable: true }));
}, files.map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]));

const tests = {
    async 'opens, and a drag by the mouse moves the hand'() {
        const { page, context, errors, opened } = await open(browser, server.url);
        const first = await page.evaluate(() => performance.getEntriesByName('first picture')[0].startTime);
        console.log(`  first picture after ${Math.round(first)} ms, at rest after ${opened} ms`);
        await shoot(page, 'desktop');
        const asked = server.requests.length;
        const before = await picture(page);
        await drag(page, HAND, TO);
        await shoot(page, 'dragged');
        assert(difference(before, await picture(page)) > 0.005, 'the picture has not changed');
        const text = await work(page);
        assert.match(text ?? '', /joints/, 'the hand has not moved');
        await page.keyboard.press('Control+z');
        await settled(page);
        assert(difference(before, await picture(page), [150, 50, 860, 550]) < 0.003, 'undo has not restored the pose');
        assert.equal(server.requests.length, asked, `requests after loading: ${server.requests.slice(asked)}`);
        assert.deepEqual(errors, []);
        await context.close();
    },

    async 'the first visit loads one module'() {
        for (const without of [undefined, 'webgpu']) {
            const from = server.requests.length;
            const { context } = await open(browser, server.url, { without });
            await context.close();
            const files = [...new Set(server.requests.slice(from))].map((path) => path.endsWith('/') ? `${path}index.html` : path);
            const modules = files.filter((path) => path.endsWith('.wasm'));
            assert.deepEqual(modules, [without ? '/webgl2/sinew_web_bg.wasm' : '/sinew_web_bg.wasm']);
            const sizes = files.map((path) => spawnSync('gzip', ['-9c', join(folder, path)], { maxBuffer: 1e8 }).stdout.length);
            const total = sizes.reduce((sum, size) => sum + size, 0);
            console.log(`  ${without ? 'WebGL2' : 'WebGPU'}: ${total} bytes with gzip in ${files.length} files`);
            if (release) assert(total <= (without ? 4_200_000 : 3_540_000), 'the page has become larger');
        }
    },

    async 'the picture is that of the native program'() {
        if (!process.env.SINEW) return console.log('  skipped: SINEW does not name the program');
        const { page, context } = await open(browser, server.url);
        await drag(page, HAND, TO);
        const image = await download(page, () => page.keyboard.press('F12'), 'web.png');
        const project = await download(page, () => page.keyboard.press('Control+s'), 'web.sinew');
        await context.close();
        const web = PNG.sync.read(await readFile(image.path));
        // The rule of suites: the mean FLIP error is at most 0.007. The page also draws the selected arm.
        const run = spawnSync(process.env.SINEW, ['render', project.path, '--adapter', 'cpu', '--resolution', `${web.width},${web.height}`, '--ambient-occlusion', 'on', '-o', join(out, 'native.png'), '--reference', image.path, '--threshold', '0.007'], { encoding: 'utf8' });
        assert.equal(run.status, 0, run.stderr);
        const differs = difference(web, PNG.sync.read(await readFile(join(out, 'native.png'))), undefined, 8);
        console.log(`  ${(differs * 100).toFixed(3)} % of the pixels differ by more than 8 levels`);
        assert(differs < 0.002);
    },

    async 'saves a project, and opens it again'() {
        const { page, context } = await open(browser, server.url);
        await drag(page, HAND, TO);
        const before = await picture(page);
        const project = await download(page, () => page.keyboard.press('Control+s'), 'saved.sinew');
        assert.match(project.name, /^mannequin.*\.sinew$/);
        await context.close();
        const again = await open(browser, server.url);
        await drop(again.page, [['saved.sinew', await readFile(project.path)]]);
        await again.page.waitForTimeout(2000);
        await settled(again.page);
        await shoot(again.page, 'reopened');
        assert(difference(before, await picture(again.page), [150, 50, 860, 550]) < 0.02);
        await again.context.close();
    },

    async 'a broken file leaves one line, and the page works'() {
        const { page, context, errors } = await open(browser, server.url);
        const before = await picture(page);
        await drop(page, [['broken.glb', Buffer.from('glTF is not here')]]);
        await page.waitForTimeout(1500);
        await shoot(page, 'broken');
        assert(difference(before, await picture(page)) > 0.001, 'no message is shown');
        await drag(page, HAND, TO);
        assert.match(await work(page) ?? '', /joints/);
        assert.deepEqual(errors, []);
        await context.close();
    },

    async 'unsaved work is recovered after the page was loaded again'() {
        const { page, context } = await open(browser, server.url);
        await drag(page, HAND, TO);
        const before = await picture(page);
        assert(await work(page));
        await page.reload();
        await page.waitForFunction(() => document.getElementById('message').textContent === '', null, { timeout: 120_000 });
        await settled(page);
        await shoot(page, 'recover');
        assert(difference(before, await picture(page)) > 0.02, 'nothing is asked');
        // The default button continues the work.
        await page.keyboard.press('Enter');
        await page.waitForTimeout(1500);
        await settled(page);
        await shoot(page, 'recovered');
        assert(difference(before, await picture(page), [150, 50, 860, 550]) < 0.02);
        await context.close();
    },

    async 'fingers drag, orbit and zoom on a phone'() {
        const { page, context, errors } = await open(browser, server.url, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
        await shoot(page, 'phone');
        const client = await context.newCDPSession(page);
        const touch = (type, ...points) => client.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y, id]) => ({ x, y, id })) });
        const start = await picture(page);
        // Two fingers that part zoom in.
        await touch('touchStart', [160, 400, 0]);
        await touch('touchStart', [160, 400, 0], [230, 400, 1]);
        for (let by = 10; by <= 60; by += 10) await touch('touchMove', [160 - by, 400, 0], [230 + by, 400, 1]);
        await touch('touchEnd');
        await settled(page);
        await shoot(page, 'phone-zoomed');
        const zoomed = await picture(page);
        assert(difference(start, zoomed) > 0.05, 'pinching does not zoom');
        assert.equal(await kept(page, AUTOSAVE), undefined, 'pinching has changed the pose');
        // One finger drags the body.
        await touch('touchStart', [195, 250, 0]);
        for (let by = 10; by <= 60; by += 10) await touch('touchMove', [195 + by / 2, 250 + by, 0]);
        await touch('touchEnd');
        await settled(page);
        await shoot(page, 'phone-dragged');
        assert.match(await work(page) ?? '', /joints/, 'one finger does not drag');
        assert.deepEqual(errors, []);
        await context.close();
    },

    async 'a link carries a pose'() {
        const { page, context } = await open(browser, server.url);
        await drag(page, HAND, TO);
        const before = await picture(page);
        await page.evaluate(() => document.getElementById('canvas').viewer.link());
        await page.waitForFunction(() => location.hash.startsWith('#pose='), null, { timeout: 10_000 });
        const url = page.url();
        console.log(`  the link has ${url.length} characters`);
        await context.close();
        const again = await open(browser, url);
        await again.page.waitForTimeout(1000);
        await settled(again.page);
        assert(difference(before, await picture(again.page), [150, 50, 860, 550]) < 0.02);
        await again.context.close();
    },

    async 'a browser without WebGPU uses WebGL2'() {
        const { page, context, errors, opened } = await open(browser, server.url, { without: 'webgpu' });
        const first = await page.evaluate(() => performance.getEntriesByName('first picture')[0].startTime);
        console.log(`  first picture after ${Math.round(first)} ms, at rest after ${opened} ms`);
        await drag(page, HAND, TO);
        await shoot(page, 'webgl2');
        const found = await picture(page);
        assert.match(await work(page) ?? '', /joints/, 'the hand has not moved');
        assert.deepEqual(errors, []);
        await context.close();
        const other = await open(browser, server.url);
        await drag(other.page, HAND, TO);
        const differs = difference(found, await picture(other.page), undefined, 8);
        console.log(`  ${(differs * 100).toFixed(3)} % of the pixels differ from WebGPU by more than 8 levels`);
        assert(differs < 0.001);
        await other.context.close();
    },

    async 'a browser without graphics is told so in one sentence'() {
        const context = await browser.newContext();
        const page = await context.newPage();
        await page.addInitScript(WITHOUT.graphics);
        await page.goto(server.url);
        await page.waitForFunction(() => document.getElementById('message').textContent.includes('needs a browser'));
        await shoot(page, 'no-graphics');
        await context.close();
    },

    async 'random input for 30 seconds does no harm'() {
        const { page, context, errors } = await open(browser, server.url);
        let seed = 7;
        const random = (below) => {
            seed = (seed * 1103515245 + 12345) % 2147483648;
            return Math.floor(seed / 2147483648 * below);
        };
        const keys = ['Escape', 'Control+z', 'Control+Shift+z', 'p', 'm', 'k', ' ', 'f', 'Tab', 'r', 'g', '1', '3', '7', 'Home'];
        const until = Date.now() + 30_000;
        let count = 0;
        for (; Date.now() < until; count++) {
            const at = [random(1280), 40 + random(760)];
            switch (random(6)) {
                case 0: await page.keyboard.press(keys[random(keys.length)]); break;
                case 1: await page.mouse.wheel(0, random(400) - 200); break;
                case 2: await page.mouse.down({ button: ['left', 'middle', 'right'][random(3)] }); break;
                case 3: await page.mouse.up({ button: ['left', 'middle', 'right'][random(3)] }); break;
                default: await page.mouse.move(...at, { steps: 3 });
            }
        }
        for (const button of ['left', 'middle', 'right']) await page.mouse.up({ button });
        await page.keyboard.press('Escape');
        await shoot(page, 'random');
        console.log(`  ${count} events`);
        assert.equal(await page.locator('#message').textContent(), '');
        assert.deepEqual(errors, []);
        await context.close();
    },

    async 'another page drives a figure'() {
        await writeFile(join(folder, 'figure.html'), '<!doctype html><link rel="icon" href="data:,"><style>sinew-viewer{display:block;width:500px;height:500px}</style><script type="module" src="element.js"></script><p id="message"></p><sinew-viewer></sinew-viewer>');
        const { page, context, errors } = await open(browser, `${server.url}figure.html`);
        const { left, joints, pose } = await page.evaluate(() => {
            const { figure } = document.querySelector('sinew-viewer');
            const left = figure.reach('leftHand', 0.35, 1.4, 0.3);
            figure.draw();
            return { left, joints: figure.joints().length, pose: figure.pose() };
        });
        await settled(page);
        await shoot(page, 'figure');
        console.log(`  ${joints} joints, ${(left * 1000).toFixed(3)} mm are left`);
        assert(left < 0.001);
        assert(JSON.parse(pose));
        assert.deepEqual(errors, []);
        await context.close();
    },

    async 'a drag moves the body as in the native program, and is not much slower'() {
        const run = spawnSync('cargo', ['run', '--quiet', ...(release ? ['--release'] : []), '-p', 'sinew-tools', '--bin', 'drag_session', '--', 'time'], { encoding: 'utf8' });
        assert.equal(run.status, 0, run.stderr);
        const native = JSON.parse(run.stdout);
        await writeFile(join(folder, 'drag.html'), `<!doctype html><link rel="icon" href="data:,"><canvas width="${native.size[0]}" height="${native.size[1]}"></canvas>`);
        const page = await (await browser.newContext()).newPage();
        await page.goto(`${server.url}drag.html`);
        const { end, milliseconds } = await page.evaluate(async ({ from, path }) => {
            const { open } = await import('./sinew.js');
            const figure = await open(document.querySelector('canvas'));
            figure.grab(...from);
            const began = performance.now();
            path.forEach((to, step) => figure.pull(...(path[step - 1] ?? from), ...to));
            const milliseconds = (performance.now() - began) / path.length;
            figure.release();
            return { end: [...figure.position('leftHand')], milliseconds };
        }, native);
        await page.context().close();
        const away = Math.hypot(...end.map((value, axis) => value - native.end[axis]));
        console.log(`  ${milliseconds.toFixed(2)} ms per step, ${native.milliseconds.toFixed(2)} ms natively; the hands are ${(away * 1000).toFixed(4)} mm apart`);
        assert(away < 1e-4);
        // A development build is optimised less than the native one, so its time says nothing.
        if (release) assert(milliseconds < 2 * native.milliseconds, 'a drag takes more than twice the native time');
    },

    async 'the solvers drive a mesh of three.js'() {
        const example = join(folder, 'solvers', 'example');
        await cp(new URL('../solvers/example', import.meta.url), example, { recursive: true });
        for (const file of ['three.module.js', 'three.core.js']) {
            await cp(new URL(`node_modules/three/build/${file}`, import.meta.url), join(example, file));
        }
        const context = await browser.newContext({ viewport: { width: 640, height: 480 } });
        const page = await context.newPage();
        await page.goto(`${server.url}solvers/example/`);
        await page.waitForFunction(() => document.title === 'ready', null, { timeout: 60_000 });
        const worst = await page.evaluate(() => {
            let worst = 0;
            for (let step = 0; step < 60; step++) {
                const to = [Math.sin(step / 5), 1.2 + 0.4 * Math.cos(step / 7), 0];
                window.sinew.reach(...to);
                const tip = window.sinew.tip();
                worst = Math.max(worst, Math.hypot(...tip.map((value, axis) => value - to[axis])));
            }
            return worst;
        });
        await shoot(page, 'three');
        console.log(`  worst distance of the tip: ${(worst * 1000).toFixed(3)} mm`);
        assert(worst < 0.002);
        await context.close();
    },
};

tests['the twelve tasks can be done'] = () => twelveTasks(browser, server, { shoot, drop, download });

tests['the five demos step and react'] = () => demosReact(browser, server, shoot);

tests['the poses are those of the native solvers'] = async () => {
    const manifest = new URL('../solvers/Cargo.toml', import.meta.url).pathname;
    const run = spawnSync('cargo', ['run', '--quiet', '--manifest-path', manifest, '--example', 'poses'], { encoding: 'utf8', env: { ...process.env, CARGO_TARGET_DIR: join(folder, '..') } });
    assert.equal(run.status, 0, run.stderr);
    const cases = run.stdout.trim().split('\n').map((line) => JSON.parse(line));
    await writeFile(join(folder, 'poses.html'), '<!doctype html>');
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${server.url}poses.html`);
    const found = await page.evaluate(async (all) => {
        const { default: init, Body } = await import('./solvers/sinew_solvers.js');
        await init();
        return all.map(({ method, parents, offsets, limited, target }) => {
            const body = new Body(Int32Array.from(parents), Float64Array.from(offsets));
            if (limited) body.hinge(2, 1, 0, 0, 0, 2.4);
            body.setMethod(method);
            body.solve(Uint32Array.of(parents.length - 1), Float64Array.from(target));
            return [...body.rotations()];
        });
    }, cases);
    const worst = {};
    cases.forEach(({ method, rotations }, index) => {
        const by = Math.max(...rotations.map((value, at) => Math.abs(value - found[index][at])));
        worst[method] = Math.max(worst[method] ?? 0, by);
    });
    console.log(`  largest difference of a quaternion: ${Object.entries(worst).map(([method, by]) => `${method} ${by.toExponential(1)}`).join(', ')}`);
    for (const [method, by] of Object.entries(worst)) assert(by <= (method === 'two-bone' ? 1e-12 : 1e-5), method);
};

let failed = 0;
let passed = 0;
for (const [name, test] of Object.entries(tests)) {
    if (names.length && !names.some((wanted) => name.includes(wanted))) continue;
    const began = Date.now();
    try {
        await test();
        passed++;
        console.log(`ok ${name} (${Date.now() - began} ms)`);
    } catch (error) {
        failed++;
        console.log(`FAILED ${name}: ${error.message}`);
    }
}
await browser.close();
server.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
