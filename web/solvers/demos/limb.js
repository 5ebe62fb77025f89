// A limb of two bones in space: the parts of its closed form, and its swivel.

import { Body } from '../solvers/sinew_solvers.js';
import { Demo, degrees, metres } from './draw.js';
import { distance, solve, triples } from './chain.js';

const [UPPER, LOWER] = [0.3, 0.27];
const END = 2;
const view = { yaw: 0.7, pitch: 0.25 };
const dot = (a, b) => a.reduce((sum, value, axis) => sum + value * b[axis], 0);

/** Returns the directions of the drawing in space: to the right, and up. */
function directions() {
    const [sy, cy, sp, cp] = [Math.sin(view.yaw), Math.cos(view.yaw), Math.sin(view.pitch), Math.cos(view.pitch)];
    return [[cy, 0, -sy], [-sp * sy, cp, -sp * cy]];
}

/** Creates an arm that hangs down in its rest pose. Its elbow bends to the front, along z, and is slightly bent at the start. */
function arm() {
    const body = new Body(Int32Array.of(-1, 0, 1), Float64Array.of(0, 0, 0, 0, -UPPER, 0, 0, -LOWER, 0));
    body.hinge(1, 1, 0, 0, -2.8, 0);
    body.setAngle(1, -0.9);
    return body;
}

/** Returns the purpose of a turn of the closed form. */
function purpose({ kind, link, axis }, target) {
    if (kind === 'start') return 'The arm hangs straight down';
    if (link === 1) return 'The elbow bends by the law of cosines';
    const along = Math.abs(dot(axis, target)) / Math.hypot(...target);
    return along > 1 - 1e-6 ? 'The arm swivels about the line to the target' : 'The shoulder swings the hand to the target';
}

const demo = new Demo('limb', {
    target: [0.1, -0.1, 0.36],
    centre: [0.05, -0.1],
    half: 0.62,

    project: (point) => directions().map((direction) => dot(direction, point)),
    unproject(point, target) {
        const [right, up] = directions();
        const [x, y] = [right, up].map((direction, axis) => point[axis] - dot(direction, target));
        return target.map((value, axis) => value + right[axis] * x + up[axis] * y);
    },
    turn(right, down) {
        view.yaw -= right * 0.01;
        view.pitch = Math.min(Math.max(view.pitch + down * 0.01, -1.5), 1.5);
    },

    frames(target) {
        const body = arm();
        const start = triples(body.positions());
        const swivel = demo.values.swivel() * Math.PI / 180;
        const steps = solve(body, END, target, ['method=two-bone', 'textbook=true', `limb.swivel=angle:${swivel}`]);
        const frames = [{ positions: start, error: distance(start[END], target) }];
        for (const step of steps) frames.push({ ...step, before: frames.at(-1).positions });
        frames.swivel = body.swivel(END);
        frames.outcome = body.outcome();
        body.free();
        return frames;
    },

    draw(pen, frame, index, frames) {
        const { target } = demo;
        const { positions, before, error } = frame;
        // The floor of the view, half a metre below the shoulder, and the shadows on it.
        const floor = ([x, , z]) => [x, -0.5, z];
        for (let at = -3; at <= 3; at++) {
            pen.path([[at / 10, -0.5, -0.3], [at / 10, -0.5, 0.3]], 'faint', { width: 1 });
            pen.path([[-0.3, -0.5, at / 10], [0.3, -0.5, at / 10]], 'faint', { width: 1 });
        }
        pen.path(positions.map(floor), 'faint', { width: 4 });
        pen.path([target, floor(target)], 'target', { width: 1, dash: [2, 4] });
        pen.path([positions[0], target], 'target', { dash: [6, 5] });
        // The circle on which the elbow can lie.
        const reach = Math.min(Math.max(Math.hypot(...target), UPPER - LOWER), UPPER + LOWER);
        const axis = target.map((value) => value / Math.hypot(...target));
        const along = (UPPER ** 2 - LOWER ** 2 + reach ** 2) / (2 * reach);
        const radius = Math.sqrt(Math.max(UPPER ** 2 - along ** 2, 0));
        const side = Math.abs(axis[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0];
        const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
        const first = cross(axis, side);
        const u = first.map((value) => value / Math.hypot(...first));
        const v = cross(axis, u);
        const ring = Array.from({ length: 64 }, (_, place) => {
            const [c, s] = [Math.cos(place * Math.PI / 32) * radius, Math.sin(place * Math.PI / 32) * radius];
            return axis.map((value, at) => value * along + u[at] * c + v[at] * s);
        });
        pen.path(ring, 'turn', { closed: true, width: 2, alpha: 0.7 });
        if (before) pen.chain(before, { name: 'soft', alpha: 0.35, width: 3 });
        pen.chain(positions);
        pen.dot(positions[END], 'end', 7);
        pen.text(positions[0], 'shoulder', 'soft');
        pen.text(positions[1], 'elbow', 'turn');
        const inner = Math.acos(Math.min(Math.max((UPPER ** 2 + LOWER ** 2 - reach ** 2) / (2 * UPPER * LOWER), -1), 1));
        const note = `cos θ = (l₁² + l₂² − L²) / (2 l₁ l₂)\nl₁ = ${UPPER}, l₂ = ${LOWER}, L = ${reach.toFixed(3)} m\nθ = ${degrees(inner)}, bend ${degrees(Math.PI - inner)}\nswivel found: ${degrees(frames.swivel)}`;
        if (!before) return [`The arm before the solve. Error ${metres(error)}.`, note];
        const ends = index === frames.length - 1 ? ` Outcome: ${frames.outcome}.` : '';
        return [`${purpose(frame, target)}: ${degrees(frame.angle)}. Error ${metres(error)}.${ends}`, note];
    },
});

demo.slider('swivel', { label: 'Swivel', min: -180, max: 180, step: 5, value: 40, show: (value) => `${value}°`.replace('-', '−') });
demo.start();
