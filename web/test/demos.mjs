// Tests the page of the five demos with real input.

import assert from 'node:assert/strict';

const STEPPED = ['ccd', 'particles', 'jacobian', 'limb'];

/** Returns the error that a status line names, in metres. */
function error(status) {
    const found = /(?:Error|particle is) ([\d.e+−]+) m/.exec(status);
    assert(found, `no error in: ${status}`);
    return Number(found[1].replace('−', '-'));
}

/** Opens the page of the demos, and collects its errors. */
async function open(browser, url, options) {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const errors = [];
    page.on('pageerror', (cause) => errors.push(String(cause)));
    page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
    });
    await page.goto(`${url}demos/`);
    await page.waitForFunction(() => /times as long/.test(document.querySelector('#table .status')?.textContent), null, { timeout: 60_000 });
    return { context, page, errors };
}

/** Steps through a demo, moves a slider, and drags the target. */
async function react(page, id) {
    const section = page.locator(`#${id}`);
    await section.scrollIntoViewIfNeeded();
    const status = () => section.locator('.status').textContent();
    const press = (name) => section.getByRole('button', { name, exact: true }).click();
    const last = async () => {
        const count = Number(/of (\d+)\./.exec(await status())[1]);
        for (let at = 0; at < count && await section.getByRole('button', { name: 'Next', exact: true }).isEnabled(); at++) await press('Next');
    };

    const before = await status();
    await press('Next');
    const stepped = await status();
    assert.notEqual(stepped, before, `${id}: Next does nothing`);
    await last();
    const solved = await status();
    assert(error(solved) < error(before) * 0.5, `${id}: the error does not fall: ${before} ${solved}`);
    await press('Back');
    assert.notEqual(await status(), solved, `${id}: Back does nothing`);
    await press('First');
    assert.equal(await status(), before, `${id}: First is not the first step`);

    await press('Next');
    const text = async () => `${await status()} ${await section.locator('.note').textContent()}`;
    const unmoved = await text();
    await section.locator('input[type=range]').first().focus();
    for (let key = 0; key < 3; key++) await page.keyboard.press(key ? 'ArrowRight' : 'PageUp');
    // A slider may change only the later steps.
    await last();
    const moved = await text();
    assert.notEqual(moved, unmoved, `${id}: the slider does nothing`);

    const handle = section.locator('.handle');
    await handle.scrollIntoViewIfNeeded();
    const box = await handle.boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 25, y + 40, { steps: 5 });
    await page.mouse.up();
    assert.notEqual(await text(), moved, `${id}: dragging the target does nothing`);
    const after = await handle.boundingBox();
    assert(Math.hypot(after.x - box.x - 25, after.y - box.y - 40) < 3, `${id}: the target is not at the pointer`);
    const end = await status();
    await press('First');
    assert(error(end) < error(await status()) * 0.5, `${id}: the error does not fall after the drag: ${end}`);

    await press('Play');
    await page.waitForTimeout(900);
    if (await section.getByRole('button', { name: 'Pause', exact: true }).count()) await press('Pause');
    assert(!(await status()).startsWith('Step 0'), `${id}: Play does nothing`);
    console.log(`  ${id}: ${before} → ${solved}`);
}

/** Drags the target of a demo with one finger, and then turns the view of the limb. */
async function touch(page, context) {
    const client = await context.newCDPSession(page);
    const swipe = async ([x, y], [right, down]) => {
        const send = (type, ...touchPoints) => client.send('Input.dispatchTouchEvent', { type, touchPoints });
        await send('touchStart', { x, y });
        for (let part = 1; part <= 6; part++) await send('touchMove', { x: x + right * part / 6, y: y + down * part / 6 });
        await send('touchEnd');
    };
    const handle = page.locator('#ccd .handle');
    await handle.scrollIntoViewIfNeeded();
    const scrolled = await page.evaluate(() => scrollY);
    const box = await handle.boundingBox();
    await swipe([box.x + 22, box.y + 22], [-40, 30]);
    const after = await handle.boundingBox();
    assert(Math.hypot(after.x - box.x + 40, after.y - box.y - 30) < 3, 'a finger does not drag the target');
    assert.equal(await page.evaluate(() => scrollY), scrolled, 'dragging the target scrolls the page');
    const stage = page.locator('#limb canvas').first();
    await stage.scrollIntoViewIfNeeded();
    const seen = await stage.screenshot();
    const { x, y } = await stage.boundingBox();
    await swipe([x + 40, y + 30], [120, 0]);
    assert(!seen.equals(await stage.screenshot()), 'a finger does not turn the view');
}

/** Runs table 1 again with another number of targets, without limits and as sinew solves. */
async function measure(page) {
    const section = page.locator('#table');
    const status = section.locator('.status');
    const done = async () => {
        await section.getByRole('button', { name: 'Run again' }).click();
        await page.waitForFunction(() => /times as long/.test(document.querySelector('#table .status').textContent), null, { timeout: 60_000 });
        const row = (title) => section.locator('tr').filter({ hasText: title }).locator('td').allTextContents();
        const errors = (await row('Mean error')).map((text) => Number(text.replace('−', '-')));
        console.log(`  table: ${await status.textContent()} Times ${await row('Mean time')}, errors ${errors}, iterations ${await row('Iterations')}`);
        return errors;
    };
    const before = await status.textContent();
    await section.locator('input[type=range]').focus();
    await page.keyboard.press('ArrowLeft');
    assert.notEqual(await status.textContent(), before, 'table: the slider does nothing');
    const printed = await done();
    assert.equal(printed.length, 3);
    await section.locator('select').nth(1).selectOption('false');
    const [ccd, , improved] = await done();
    assert(improved < 1e-8 && improved < ccd, `table: the errors are ${ccd} and ${improved}`);
    await section.locator('select').first().selectOption('off');
    assert((await done()).at(-1) < 1e-8);
}

/** Checks the singular values against the determinant, and that the measured swivel is the requested one. */
async function compute(page) {
    const { product, determinant, swivel, kept, message, turned, orders } = await page.evaluate(async () => {
        const { planar } = await import('./chain.js');
        const { Body } = await import('../solvers/sinew_solvers.js');
        const arm = planar([1, 0.8, 0.6], [0.3, 0.7, 0.6]);
        const [x, y] = [0, 1].map((row) => [...arm.jacobian(3).subarray(row * 3, row * 3 + 3)]);
        const dot = (a, b) => a.reduce((sum, value, at) => sum + value * b[at], 0);
        const [large, small] = arm.ellipsoid(3).values;
        const limb = new Body(Int32Array.of(-1, 0, 1), Float64Array.of(0, 0, 0, 0, -0.3, 0, 0, -0.3, 0));
        for (const option of ['method=two-bone', 'textbook=true', 'limb.swivel=angle:0.7']) limb.setOption(option);
        limb.solve(Uint32Array.of(2), Float64Array.of(0.1, -0.2, 0.3));
        const swivel = limb.swivel(2);
        const at = limb.position(2);
        const rotations = limb.rotations();
        limb.setRotations(Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1));
        limb.setRotations(rotations);
        const kept = Math.hypot(...limb.position(2).map((value, axis) => value - at[axis]));
        const refused = (action) => {
            try {
                action();
                return '';
            } catch (cause) {
                return cause.message;
            }
        };
        const message = refused(() => limb.setOption('textbok=true'));
        // The link may turn about y only, by at most half a radian.
        const ball = new Body(Int32Array.of(-1, 0), Float64Array.of(0, 0, 0, 1, 0, 0));
        ball.euler(0, 'yxz', Float64Array.of(0, 0, 0), Float64Array.of(0.5, 0, 0));
        ball.solve(Uint32Array.of(1), Float64Array.of(0, 0, -1));
        const turned = [...ball.rotations()].slice(0, 3);
        const orders = [
            refused(() => ball.euler(0, 'yxy', Float64Array.of(0, 0, 0), Float64Array.of(1, 1, 1))),
            refused(() => ball.euler(0, 'xyz', Float64Array.of(0, 0), Float64Array.of(1, 1, 1))),
            refused(() => ball.euler(0, 'xyz', Float64Array.of(1, 0, 0), Float64Array.of(0, 0, 0))),
        ];
        return { product: large * small, determinant: Math.sqrt(dot(x, x) * dot(y, y) - dot(x, y) ** 2), swivel, kept, message, turned, orders };
    });
    assert(Math.abs(product - determinant) < 1e-12, `singular values ${product}, determinant ${determinant}`);
    assert(Math.abs(swivel - 0.7) < 1e-9, `swivel ${swivel}`);
    assert(kept < 1e-12, `the pose is not restored: ${kept}`);
    assert.match(message, /textbook/);
    assert(!message.includes('\n'));
    assert(Math.abs(turned[0]) < 1e-9 && Math.abs(turned[2]) < 1e-9, `turned by ${turned}`);
    assert(turned[1] > 0.2 && turned[1] < Math.sin(0.25) + 1e-9, `turned by ${turned}`);
    [/unknown order/, /three angles/, /limit range/].forEach((cause, index) => assert.match(orders[index], cause));
}

export async function demosReact(browser, server, shoot) {
    for (const [name, options] of [
        ['desktop', { viewport: { width: 1280, height: 800 } }],
        ['phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2, colorScheme: 'dark' }],
    ]) {
        const { context, page, errors } = await open(browser, server.url, options);
        await compute(page);
        for (const id of STEPPED) await react(page, id);
        if (options.hasTouch) await touch(page, context);
        await measure(page);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert(wide <= 0, `${name}: the page is ${wide} pixels too wide`);
        for (const id of [...STEPPED, 'table']) {
            await page.locator(`#${id}`).evaluate((section) => section.scrollIntoView());
            await shoot(page, `demos-${name}-${id}`);
        }
        await page.evaluate(() => scrollTo(0, 0));
        await shoot(page, `demos-${name}`);
        assert.deepEqual(errors, []);
        await context.close();
    }
}
