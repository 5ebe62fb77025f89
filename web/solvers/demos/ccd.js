// Planar CCD, one joint at a time.

import { Demo, degrees, metres } from './draw.js';
import { distance, planar, solve, triples } from './chain.js';

const LENGTH = 3;
/** The purpose of turns that belong to no pass. */
const PURPOSES = {
    'closed-form': 'The target is out of reach, so that the chain is stretched',
    bend: 'A straight chain is bent first',
    result: 'Back to the best pose',
};

const demo = new Demo('ccd', {
    target: [-0.6, 1.7, 0],
    centre: [0, 0.6],
    half: 2.5,

    frames(target) {
        const { links, order, relaxation } = Object.fromEntries(Object.entries(demo.values).map(([name, read]) => [name, read()]));
        const body = planar(Array(links).fill(LENGTH / links), Array.from({ length: links }, (_, link) => link ? 0.9 / links : 0.1));
        const start = triples(body.positions());
        const steps = solve(body, links, target, ['method=ccd', 'restarts=0', `ccd.relaxation=${relaxation}`, ...order.split(' ')]);
        const outcome = body.outcome();
        body.free();
        const frames = [{ positions: start, error: distance(start[links], target) }];
        for (const step of steps) frames.push({ ...step, before: frames.at(-1).positions });
        frames.outcome = outcome;
        return frames;
    },

    draw(pen, frame, index, { length, outcome }) {
        const { positions, before, link, error } = frame;
        const target = demo.target;
        if (!before) {
            pen.chain(positions);
            return `The chain before the first turn. Error ${metres(error)}.`;
        }
        const [joint, end] = [positions[link], before.at(-1)];
        pen.chain(before, { name: 'soft', alpha: 0.35, width: 3 });
        pen.chain(positions);
        pen.arrow(joint, end, 'end', { dash: [6, 5] });
        pen.arrow(joint, target, 'target', { dash: [6, 5] });
        const turn = frame.angle * Math.sign(frame.axis[2] || 1);
        const from = Math.atan2(end[1] - joint[1], end[0] - joint[0]);
        const arc = Array.from({ length: 33 }, (_, at) => {
            const angle = from + turn * at / 32;
            return [joint[0] + 0.5 * Math.cos(angle), joint[1] + 0.5 * Math.sin(angle)];
        });
        pen.path(arc, 'turn', { width: 3 });
        pen.dot(joint, 'turn', 7);
        pen.dot(positions.at(-1), 'end', 6);
        // The label of the angle is beyond the middle of the arc.
        const middle = from + turn / 2;
        pen.text([joint[0] + 0.75 * Math.cos(middle), joint[1] + 0.75 * Math.sin(middle)], degrees(turn), 'turn', [Math.cos(middle) < 0 ? -44 : 0, 5]);
        const why = PURPOSES[frame.kind] ?? `Pass ${frame.iteration}`;
        const ends = index === length - 1 ? ` Outcome: ${outcome}.` : '';
        return `${why}: joint ${link + 1} turns by ${degrees(turn)}. Error ${metres(error)}.${ends}`;
    },
});

demo.slider('links', { label: 'Links', min: 2, max: 12, value: 4 });
demo.choice('order', {
    label: 'Order of the joints',
    options: [
        ['textbook=true ccd.base_first=false', 'from the end to the base (textbook)'],
        ['textbook=false ccd.base_first=true', 'from the base to the end (sinew’s form)'],
    ],
});
demo.slider('relaxation', { label: 'Relaxation: fraction of each turn', min: 0.1, max: 1.9, step: 0.05, value: 1, show: (value) => value.toFixed(2) });
demo.start();
