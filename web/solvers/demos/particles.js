// Particles and springs as TMPS lists them. Each spring is a step.

import { Demo, degrees, metres } from './draw.js';
import { distance, planar, solve, triples } from './chain.js';

const LENGTH = 3;

/** Returns the largest error of a spring. */
const stretch = (particles) => Math.max(...particles.slice(1).map((particle, place) => Math.abs(distance(particle, particles[place]) - LENGTH / (particles.length - 1))));

const demo = new Demo('particles', {
    target: [0.4, 2, 0],
    centre: [0, 0.6],
    half: 2.5,

    frames(target) {
        const links = demo.values.links();
        const body = planar(Array(links).fill(LENGTH / links), Array.from({ length: links }, (_, link) => link ? 0.9 / links : 0.1));
        const start = triples(body.positions());
        const steps = solve(body, links, target, ['method=particle', 'textbook=true', `iterations=${demo.values.iterations()}`]);
        body.free();
        const frames = [{ positions: start, particles: start, error: distance(start[links], target) }];
        for (const step of steps) {
            // A spring moves two particles: the one at the link's child, and the one at the link.
            const particles = [...frames.at(-1).particles];
            [particles[step.link + 1], particles[step.link]] = step.particles.length ? step.particles : [particles[step.link + 1], particles[step.link]];
            frames.push({ ...step, particles, before: frames.at(-1).particles });
        }
        // Plots the larger of the remaining errors of the target and of the springs, because
        // reducing one error increases the other.
        for (const frame of frames) frame.plotted = frame.kind === 'fit' ? frame.error : Math.max(frame.error, stretch(frame.particles));
        return frames;
    },

    draw(pen, { positions, particles, before, kind, link, iteration, error, angle }) {
        const isMove = kind === 'pull' || kind === 'spring';
        pen.chain(positions, { alpha: isMove ? 0.35 : 1 });
        pen.path(particles, 'end', { width: 2, dash: [3, 5] });
        if (isMove) {
            pen.path([before[link], before[link + 1]], 'turn', { width: 2, dash: [3, 5], alpha: 0.6 });
            if (kind === 'spring') pen.path([particles[link], particles[link + 1]], 'turn', { width: 4 });
            for (const moved of [link, link + 1]) pen.arrow(before[moved], particles[moved], 'target', { width: 2 });
        }
        particles.forEach((particle, place) => pen.dot(particle, isMove && (place === link || place === link + 1) ? 'turn' : 'end', 6));
        const left = ` The end’s particle is ${metres(error)} from the target.`;
        const springs = `largest error of a spring: ${metres(stretch(particles))}`;
        if (!kind) return [`The particles at the joints, before the first iteration. Error ${metres(error)}.`, springs];
        if (kind === 'pull') return [`Iteration ${iteration}: the end’s particle jumps to the target.${left}`, springs];
        if (kind === 'spring') return [`Iteration ${iteration}: the spring between particles ${link + 1} and ${link + 2} gets its length.${left}`, springs];
        return [`Fit: joint ${link + 1} turns by ${degrees(angle)}, so that its link points to its particle. Error ${metres(error)}.`, springs];
    },
});

demo.slider('links', { label: 'Links', min: 2, max: 8, value: 4 });
demo.slider('iterations', { label: 'Iterations', min: 1, max: 40, value: 8 });
demo.start();
