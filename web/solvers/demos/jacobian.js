// An arm of three links in a plane, its Jacobian, and the steps of three methods.

import { Demo, degrees, metres } from './draw.js';
import { distance, planar, solve, triples } from './chain.js';

const LENGTHS = [1, 0.8, 0.6];
const END = LENGTHS.length;
/** Creates the arm, which is straight if the bend is 0. */
const arm = (bend) => planar(LENGTHS, [0.3, 0.7 * bend, 0.6 * bend]);
/** Scale of the arrows and of the velocity ellipse, in metres per m/s. */
const SHOWN = 0.3;
const TARGETS = { middle: [0.3, 1.5, 0], near: [1.6, 1.77, 0], far: [1.9, 2, 0] };

/** A second arm that is only posed. */
const probe = arm(1);

function frame(positions, rotations, rest) {
    probe.setRotations(rotations);
    const found = probe.ellipsoid(END);
    const jacobian = probe.jacobian(END);
    const values = [...found.values];
    const axes = triples(found.axes);
    found.free();
    return { positions, values, axes, jacobian: [0, 1].map((row) => [...jacobian.subarray(row * END, row * END + END)]), ...rest };
}

const demo = new Demo('jacobian', {
    target: TARGETS.middle,
    centre: [0.6, 0.85],
    half: 1.75,

    frames(target) {
        const body = arm(demo.values.bend());
        const start = triples(body.positions());
        const frames = [frame(start, body.rotations(), { error: distance(start[END], target) })];
        const steps = solve(body, END, target, ['textbook=true', `method=${demo.values.method()}`, `iterations=${demo.values.iterations()}`, `jacobian.damping=${10 ** demo.values.damping()}`, `jacobian.step=${demo.values.step()}`]);
        frames.outcome = body.outcome();
        body.free();
        // The turns of one iteration form one step.
        for (const [at, step] of steps.entries()) {
            const turns = [...(step.iteration === steps[at - 1]?.iteration ? frames.turns : []), step];
            frames.turns = turns;
            if (step.iteration === steps[at + 1]?.iteration) continue;
            frames.push(frame(step.positions, step.rotations, { error: step.error, most: Math.max(...turns.map(({ angle }) => angle)), before: frames.at(-1).positions }));
        }
        return frames;
    },

    draw(pen, { positions, before, values, axes, jacobian, error, most }, index, frames) {
        if (before) pen.chain(before, { name: 'soft', alpha: 0.35, width: 3 });
        pen.chain(positions);
        const end = positions[END];
        const at = (along) => end.map((value, axis) => value + SHOWN * along[axis]);
        const ring = Array.from({ length: 64 }, (_, place) => {
            const [a, b] = [Math.cos(place * Math.PI / 32) * values[0], Math.sin(place * Math.PI / 32) * values[1]];
            return at(axes[0].map((value, axis) => a * value + b * axes[1][axis]));
        });
        pen.path(ring, 'turn', { closed: true });
        [0, 1].forEach((axis) => pen.path([end, at(axes[axis].map((value) => value * values[axis]))], 'turn', { width: 3 }));
        jacobian[0].forEach((x, column) => pen.arrow(end, at([x, jacobian[1][column], 0]), 'end', { width: 2 }));
        jacobian[0].forEach((x, column) => {
            const [y, long] = [jacobian[1][column], Math.hypot(x, jacobian[1][column]) || 1];
            pen.text(at([x, y, 0]), `J${'₁₂₃'[column]}`, 'end', [14 * x / long - 7, 5 - 14 * y / long]);
        });
        const number = (value) => value.toFixed(3).padStart(8).replace('-', '−');
        const rows = jacobian.map((row, axis) => `${axis ? '    ' : 'J = '}[${row.map(number).join('')} ]`);
        const [large, small] = values;
        const note = `${rows.join('\n')}\nσ₁ = ${large.toFixed(3)}   σ₂ = ${small.toFixed(3)} m/rad\nσ₁/σ₂ = ${small > 1e-6 ? (large / small).toFixed(1) : '∞'}   σ₁σ₂ = ${(large * small).toFixed(3)}`;
        if (!before) {
            const why = frames.length === 1 && frames.outcome !== 'reached' ? ' JJᵀ is singular, so that there is no step.' : '';
            return [`The arm before the first step. Error ${metres(error)}.${why}`, note];
        }
        const ends = index === frames.length - 1 ? ` Outcome: ${frames.outcome}.` : '';
        return [`All joints turn at once; the largest turn is ${degrees(most)}. Error ${metres(error)}.${ends}`, note];
    },
});

demo.choice('method', {
    label: 'Method',
    options: [['pseudo-inverse', 'pseudo-inverse'], ['dls', 'damped least squares'], ['jacobian-transpose', 'transpose']],
});
demo.choice('place', {
    label: 'Target',
    options: [['middle', 'well within reach'], ['near', 'near the stretched pose'], ['far', 'out of reach']],
}, (place) => { demo.target = TARGETS[place]; });
demo.slider('bend', { label: 'Bend of the arm at the start', min: 0, max: 1.5, step: 0.01, value: 1, show: (value) => value.toFixed(2) });
demo.slider('damping', { label: 'Damping λ, fraction of the length', min: -3, max: 0, step: 0.1, value: -1, show: (value) => (10 ** value).toPrecision(2) });
demo.slider('step', { label: 'Step δ of the transpose', min: 0.05, max: 2, step: 0.05, value: 0.5, show: (value) => value.toFixed(2) });
demo.slider('iterations', { label: 'Most iterations', min: 1, max: 100, value: 40 });
demo.start();
