// Table 1 of Li & Peng 2013, measured in this browser.

import { add, choice, slider } from './draw.js';
import { planar } from './chain.js';
import { Body } from '../solvers/sinew_solvers.js';

const LINK = 1 / 3;
const RANGES = [[-90, 90], [0, 110], [-20, 20]].map((range) => range.map((angle) => angle * Math.PI / 180));
const END = RANGES.length;
/** The methods, and what the paper reports without and with limits. Times are in seconds, errors in the unit of the paper. */
const METHODS = [
    { name: 'CCD', options: ['method=ccd'], seconds: [0.5, 0.77], ratio: [20833, 3347], error: 5.6e-8, wrong: 1.02 },
    { name: 'Eq. 14', options: ['method=fused', 'fused.correction=mid-angle'], seconds: [0.007, 0.009], ratio: [292, 39], error: 3.3e-8, wrong: 0.5 },
    { name: 'Improved', options: ['method=fused', 'fused.correction=midpoint'], seconds: [0.000024, 0.00023], ratio: [1, 1], error: 2.5e-9, wrong: 0 },
];
const TOLERANCE = 1e-9;
/** Number of measurements, of which the fastest counts. */
const ROUNDS = 3;
/** Each measurement takes at least this long, in milliseconds, because clocks of browsers are coarse. */
const LONG_ENOUGH = 20;

const section = document.getElementById('table');
const demo = add(section, 'div', { className: 'demo' });
const results = add(demo, 'div', { className: 'results' });
const controls = add(demo, 'div', { className: 'controls' });
const status = add(controls, 'p', { className: 'status' });
status.setAttribute('role', 'status');
const buttons = add(controls, 'div', { className: 'buttons' });
const again = add(buttons, 'button', { textContent: 'Run', type: 'button', className: 'plain wide' });
const stale = () => { status.textContent = `Press “${again.textContent}” to measure ${count()} targets.`; };
const count = slider(controls, { label: 'Targets', min: 20, max: 1000, step: 20, value: 200 }, stale);
const limits = choice(controls, { label: 'Joint limits', options: [['on', 'on: hinges with the paper’s ranges'], ['off', 'off: ball joints without limits']] }, stale);
const form = choice(controls, { label: 'Form of the methods', options: [['true', 'as the documents print them'], ['false', 'as sinew solves']] }, stale);

/** Returns the ends of random poses within the limits, the same ones each time (Park & Miller 1988). */
function targets(number) {
    let seed = 1;
    const random = () => (seed = seed * 48271 % 2147483647) / 2147483647;
    const arm = planar([LINK, LINK, LINK], [], RANGES);
    const ends = Float64Array.from(Array.from({ length: number }, () => {
        RANGES.forEach(([from, to], link) => arm.setAngle(link, from + random() * (to - from)));
        return [...arm.position(END)];
    }).flat());
    arm.free();
    return ends;
}

function body() {
    if (limits() === 'on') return planar([LINK, LINK, LINK], [], RANGES);
    return new Body(Int32Array.of(-1, 0, 1, 2), Float64Array.of(0, 0, 0, LINK, 0, 0, LINK, 0, 0, LINK, 0, 0));
}

const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/** Measures a method. Returns the mean time of a solve in seconds, the mean number of iterations, the mean error, and the percentage of wrong targets. */
function measure(options, ends) {
    const arm = body();
    for (const option of [...options, `textbook=${form()}`, `tolerance=${TOLERANCE}`, 'iterations=500']) arm.setOption(option);
    const all = arm.solveMany(END, ends);
    const found = { iterations: mean(all.iterations), error: mean(all.errors), wrong: mean(all.errors.map((error) => error > 1.1 * TOLERANCE ? 100 : 0)) };
    all.free();
    let best = Infinity;
    for (let round = 0, repeats = 1; round < ROUNDS;) {
        const began = performance.now();
        for (let repeat = 0; repeat < repeats; repeat++) arm.solveMany(END, ends).free();
        const took = performance.now() - began;
        if (took < LONG_ENOUGH) {
            repeats *= 2;
            continue;
        }
        best = Math.min(best, took / repeats);
        round++;
    }
    arm.free();
    return { seconds: best / 1000 / (ends.length / 3), ...found };
}

const paused = () => new Promise((resume) => setTimeout(resume, 20));

async function run() {
    again.disabled = true;
    try {
        const ends = targets(count());
        const rows = [];
        for (const { name, options } of METHODS) {
            status.textContent = `Measuring ${name}…`;
            await paused();
            rows.push(measure(options, ends));
        }
        show(rows);
        status.textContent = `${ends.length / 3} targets: CCD takes ${(rows[0].seconds / rows[2].seconds).toFixed(0)} times as long as the improved form, and eq. 14 takes ${(rows[1].seconds / rows[2].seconds).toFixed(1)} times as long.`;
    } catch (error) {
        status.textContent = error.message;
    }
    again.textContent = 'Run again';
    again.disabled = false;
}

const time = (seconds) => {
    const [factor, unit] = seconds >= 0.1 ? [1, 's'] : seconds >= 1e-3 ? [1e3, 'ms'] : [1e6, 'µs'];
    return `${Number((seconds * factor).toPrecision(3))} ${unit}`;
};
const power = (value) => value.toExponential(1).replace('-', '−');

function show(rows) {
    const which = limits() === 'on' ? 1 : 0;
    const fastest = rows.at(-1).seconds;
    results.replaceChildren();
    const table = add(results, 'table');
    const line = (title, texts, className = '') => {
        const row = add(table, 'tr', { className });
        add(row, 'th', { textContent: title, scope: 'row' });
        // There are no results before the first run.
        for (const text of texts) add(row, className === 'head' ? 'th' : 'td', { textContent: text.startsWith('NaN') ? '–' : text });
    };
    line('', METHODS.map(({ name }) => name), 'head');
    line('Mean time', rows.map(({ seconds }) => time(seconds)));
    line('paper', METHODS.map(({ seconds }) => time(seconds[which])), 'paper');
    line('Time, × improved', rows.map(({ seconds }) => (seconds / fastest).toFixed(2)));
    line('paper', METHODS.map(({ ratio }) => String(ratio[which])), 'paper');
    line('Mean error, m', rows.map(({ error }) => power(error)));
    line('paper', METHODS.map(({ error }) => power(error)), 'paper');
    line('Wrong, %', rows.map(({ wrong }) => wrong.toFixed(2)));
    line('paper', METHODS.map(({ wrong }) => wrong.toFixed(2)), 'paper');
    line('Iterations', rows.map(({ iterations }) => iterations.toFixed(1)));
}

again.addEventListener('click', run);
show(METHODS.map(() => ({ seconds: NaN, iterations: NaN, error: NaN, wrong: NaN })));
run();
