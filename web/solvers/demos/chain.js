// Bodies of the demos, and the steps of their last solve, as plain objects.

import init, { Body } from '../solvers/sinew_solvers.js';

await init();

/** Lets a hinge turn freely. */
const FULL = 2 * Math.PI;

/** Creates a chain of links with hinges about z, rotated by angles in radians. Its last link is the end, and it does not turn. */
export function planar(lengths, angles, limits = []) {
    const offsets = [0, ...lengths].flatMap((length) => [length, 0, 0]);
    const body = new Body(Int32Array.from([...lengths.keys(), lengths.length], (link) => link - 1), Float64Array.from(offsets));
    lengths.forEach((_, link) => {
        const [from, to] = limits[link] ?? [-FULL, FULL];
        body.hinge(link, 0, 0, 1, from, to);
    });
    body.lock(lengths.length);
    angles.forEach((angle, link) => body.setAngle(link, angle));
    return body;
}

/** Solves for one target, and returns the steps. */
export function solve(body, end, target, options) {
    for (const option of ['trace=true', ...options]) body.setOption(option);
    body.solve(Uint32Array.of(end), Float64Array.from(target));
    return body.steps().map((step) => {
        const { kind, link, iteration, axis, angle, error } = step;
        const plain = { kind, link, iteration, axis: [...axis], angle, error, positions: triples(step.positions), particles: triples(step.particles), rotations: step.rotations };
        step.free();
        return plain;
    });
}

export const triples = (numbers) => Array.from({ length: numbers.length / 3 }, (_, at) => [...numbers.subarray(3 * at, 3 * at + 3)]);

export const distance = (a, b) => Math.hypot(...a.map((value, axis) => value - b[axis]));
