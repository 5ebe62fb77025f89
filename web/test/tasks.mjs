// Performs the twelve everyday tasks of scripts/twelve-tasks.sh in the page, with real input at the same places as in the window.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { difference, open, picture, settled } from './browser.mjs';

/** Returns a table of a project. */
const section = (text, title) => text.slice(text.indexOf(`[${title}]`)).split('\n\n')[0];

/** Performs the tasks. `tools` are functions of the other tests. */
export async function twelveTasks(browser, server, { shoot, drop, download }) {
    const { page, context, errors } = await open(browser, server.url);
    const drag = async (from, to) => {
        await page.mouse.move(...from);
        await page.mouse.down();
        await page.mouse.move(...to, { steps: 4 });
        await page.mouse.up();
        await settled(page);
    };
    const click = async (...at) => {
        await page.mouse.move(...at);
        await page.waitForTimeout(300);
        await page.mouse.click(...at);
        await settled(page);
    };
    const press = async (key) => {
        await page.mouse.move(60, 560);
        await page.keyboard.press(key);
        await settled(page);
    };
    let before = await picture(page);
    const done = async (name) => {
        await shoot(page, `task-${name}`);
        assert.deepEqual(errors, [], name);
        console.log(`  done: ${name}`);
        before = await picture(page);
    };
    const changed = async (least, what) => assert(difference(before, await picture(page)) > least, `${what}: nothing changed`);
    const save = async (key, name) => (await download(page, () => press(key), name)).path;
    const project = async (name) => readFile(await save('Control+s', name), 'utf8');

    await drop(page, [['man.glb', await readFile(new URL('../../assets/mannequin.glb', import.meta.url))]]);
    await page.waitForTimeout(1000);
    await settled(page);
    await done('open');
    await drag([487, 300], [487, 395]);
    await changed(0.02, 'sit');
    await done('sit');
    await drag([606, 424], [505, 446]);
    await changed(0.002, 'hand on knee');
    await done('hand');
    await press('m');
    await changed(0.002, 'mirror');
    await done('mirror');
    await press('k');
    await click(870, 683);
    await drag([487, 395], [487, 330]);
    await press('k');
    await changed(0.01, 'key');
    await done('key');
    await click(929, 656);
    await click(927, 373);
    await changed(0.001, 'blend');
    await done('blend');
    await press('Control+e');
    await page.keyboard.type('/sit.glb');
    const exported = await save('Enter', 'sit.glb');
    await done('export');

    const text = await project('man.sinew');
    assert.match(text, /^clips = "walk"/m);
    assert.equal(text.match(/^\[\[motion\.key\]\]/gm).length, 2, 'there are not two keys');
    const joints = section(text, 'motion.key.joints');
    assert.match(joints, /^hips = .*translation = \[[^,]*, 0\.[4-7]/m, 'he does not sit');
    assert.match(joints, /^rightLowerArm = .*rotation/m, 'the arm is not mirrored');
    await drop(page, [['sit.glb', await readFile(exported)]]);
    await page.waitForTimeout(1000);
    await settled(page);
    await changed(0.002, 'reopen');
    await done('reopen');
    await click(574, 243);
    await drag([530, 209], [560, 205]);
    await changed(0.001, 'limit');
    await done('limit');
    await press('Control+r');
    await drag([370, 280], [330, 180]);
    const recorded = await save('Control+r', 'drag.session');
    assert.match(await readFile(recorded, 'utf8'), /"drag":/, 'the drag was not recorded');
    await done('record');
    await press('Control+Tab');
    await click(946, 409);
    await click(946, 447);
    await drag([590, 318], [660, 240]);
    await done('compare');
    await press('F1');
    await changed(0.02, 'shortcuts');
    await done('shortcuts');
    await page.keyboard.press('Escape');
    const last = await project('sit.sinew');
    assert.match(last, /^leftLowerArm = \{ kind = "hinge"/m, 'the limit has not changed');
    assert.match(last, /^compare = \["ccd", "fabrik"\]/m, 'nothing is compared');
    await context.close();
    if (process.env.SINEW) {
        const run = spawnSync(process.env.SINEW, ['inspect', exported], { encoding: 'utf8' });
        assert.match(run.stdout, /^animation .* 2\.9/m, `the exported clip is missing: ${run.stdout}${run.stderr}`);
    }
}
