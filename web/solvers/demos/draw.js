// Parts that the demos share: a drawing with a target to drag, a stepper, sliders, and a status line.

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** Creates an element in a parent, with properties. */
export function add(parent, tag, properties = {}) {
    const element = Object.assign(document.createElement(tag), properties);
    parent.append(element);
    return element;
}

/** Adds a slider. `show` returns the text of a value. Returns a function that reads the value. */
export function slider(parent, { label, min, max, step = 1, value, show = String }, changed) {
    const row = add(parent, 'label');
    add(row, 'span', { textContent: label });
    const text = add(row, 'output');
    const input = add(row, 'input', { type: 'range', min, max, step });
    input.value = value;
    const read = () => Number(input.value);
    const print = () => { text.textContent = show(read()); };
    input.addEventListener('input', () => {
        print();
        changed();
    });
    print();
    return read;
}

/** Adds a list of choices, each as a value and its label. Returns a function that reads the value. */
export function choice(parent, { label, options }, changed) {
    const row = add(parent, 'label');
    add(row, 'span', { textContent: label });
    const select = add(row, 'select');
    for (const [value, textContent] of options) add(select, 'option', { value, textContent });
    select.addEventListener('change', () => changed(select.value));
    return () => select.value;
}

/** Draws on a canvas in metres: `pixel` maps a point of the demo to pixels. */
class Pen {
    constructor(context, pixel) {
        Object.assign(this, { context, pixel });
    }

    path(points, name, { width = 2, dash = [], closed = false, alpha = 1 } = {}) {
        const { context } = this;
        context.beginPath();
        for (const point of points) context.lineTo(...this.pixel(point));
        if (closed) context.closePath();
        Object.assign(context, { strokeStyle: colour(name), lineWidth: width, globalAlpha: alpha, lineJoin: 'round', lineCap: 'round' });
        context.setLineDash(dash);
        context.stroke();
        context.setLineDash([]);
        context.globalAlpha = 1;
    }

    dot(point, name, radius = 5, alpha = 1) {
        const { context } = this;
        context.beginPath();
        context.arc(...this.pixel(point), radius, 0, 2 * Math.PI);
        Object.assign(context, { fillStyle: colour(name), globalAlpha: alpha });
        context.fill();
        context.globalAlpha = 1;
    }

    arrow(from, to, name, options) {
        this.path([from, to], name, options);
        const [[x0, y0], [x, y]] = [this.pixel(from), this.pixel(to)];
        if (Math.hypot(x - x0, y - y0) < 12) return;
        const at = Math.atan2(y - y0, x - x0);
        const { context } = this;
        context.beginPath();
        context.moveTo(x, y);
        for (const side of [-0.4, 0.4]) context.lineTo(x - 10 * Math.cos(at + side), y - 10 * Math.sin(at + side));
        context.closePath();
        context.fillStyle = colour(name);
        context.fill();
    }

    /** Draws a chain of links with a dot at each joint. */
    chain(points, { name = 'chain', alpha = 1, width = 5 } = {}) {
        this.path(points, name, { width, alpha });
        for (const point of points) this.dot(point, name, width, alpha);
    }

    text(point, text, name = 'ink', [right, down] = [10, -10]) {
        const { context } = this;
        const [x, y] = this.pixel(point);
        Object.assign(context, { font: '14px system-ui, sans-serif', fillStyle: colour(name), lineWidth: 4, strokeStyle: colour('panel') });
        context.strokeText(text, x + right, y + down);
        context.fillText(text, x + right, y + down);
    }
}

const flat = { project: ([x, y]) => [x, y], unproject: ([x, y]) => [x, y, 0] };

/**
 * A demo in the section of the page with an id. Its hooks are:
 * `frames(target)`: solves, and returns a frame for each step, the first one before any step. `frame.error` is in metres,
 * and so is `frame.plotted`, which the curve shows instead if there is one.
 * `draw(pen, frame, index, frames)`: draws a frame, and returns the text of the status line, or that text and a note.
 * `project(point)`, `unproject(point, target)`: from space to the plane of the drawing, and back. `turn(right, down)`: turns the view by pixels.
 */
export class Demo {
    constructor(id, { target, centre = [0, 0], half, ...hooks }) {
        Object.assign(this, { target, centre, half, hooks: { ...flat, ...hooks }, index: 0, all: [] });
        const section = document.getElementById(id);
        const body = add(section, 'div', { className: 'demo' });
        const stage = add(body, 'div', { className: 'stage' });
        this.canvas = add(stage, 'canvas');
        this.handle = add(stage, 'button', { className: 'handle', type: 'button' });
        this.handle.setAttribute('aria-label', 'Target: drag it, or move it with the arrow keys');
        this.controls = add(body, 'div', { className: 'controls' });
        this.status = add(this.controls, 'p', { className: 'status' });
        this.status.setAttribute('role', 'status');
        const buttons = add(this.controls, 'div', { className: 'buttons' });
        const button = (textContent, action) => {
            const made = add(buttons, 'button', { textContent, type: 'button', className: 'plain' });
            made.addEventListener('click', action);
            return made;
        };
        this.first = button('First', () => this.go(0));
        this.back = button('Back', () => this.go(this.index - 1));
        this.next = button('Next', () => this.go(this.index + 1));
        this.playing = button('Play', () => this.timer ? this.stop() : this.play());
        this.values = {};
        this.listen(stage);
    }

    listen(stage) {
        const { handle, canvas } = this;
        const follow = (event) => {
            const box = canvas.getBoundingClientRect();
            this.move(this.point([event.clientX - box.left, event.clientY - box.top]));
        };
        handle.addEventListener('pointerdown', (event) => {
            handle.setPointerCapture(event.pointerId);
            handle.onpointermove = follow;
        });
        const end = () => { handle.onpointermove = null; };
        handle.addEventListener('pointerup', end);
        handle.addEventListener('pointercancel', end);
        const keys = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
        handle.addEventListener('keydown', (event) => {
            const by = keys[event.key];
            if (!by) return;
            event.preventDefault();
            const at = this.hooks.project(this.target);
            this.move(at.map((value, axis) => value + by[axis] * this.half * 0.03));
        });
        if (this.hooks.turn) {
            canvas.addEventListener('pointerdown', (event) => {
                canvas.setPointerCapture(event.pointerId);
                let [x, y] = [event.clientX, event.clientY];
                canvas.onpointermove = ({ clientX, clientY }) => {
                    this.hooks.turn(clientX - x, clientY - y);
                    [x, y] = [clientX, clientY];
                    this.paint();
                };
            });
            const stop = () => { canvas.onpointermove = null; };
            canvas.addEventListener('pointerup', stop);
            canvas.addEventListener('pointercancel', stop);
        }
        new ResizeObserver(() => this.paint()).observe(stage);
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.paint());
    }

    slider(name, options) {
        this.values[name] = slider(this.controls, options, () => this.solve());
    }

    choice(name, options, changed) {
        this.values[name] = choice(this.controls, options, (value) => {
            changed?.(value);
            this.solve();
        });
    }

    /** Adds the elements below the controls, and solves for the first time. */
    start() {
        this.note = add(this.controls, 'pre', { className: 'note' });
        this.curve = add(this.controls, 'canvas', { className: 'curve' });
        this.curve.setAttribute('aria-label', 'The error after each step, on a logarithmic scale');
        this.solve();
    }

    /** Moves the target to a point of the drawing, or to its border, and shows the result of the new solve. */
    move([x, y]) {
        const wide = this.half * this.canvas.clientWidth / Math.max(this.canvas.clientHeight, 1);
        const inside = (value, middle, most) => Math.min(Math.max(value, middle - most), middle + most);
        const at = [inside(x, this.centre[0], wide * 0.95), inside(y, this.centre[1], this.half * 0.95)];
        this.target = this.hooks.unproject(at, this.target);
        this.solve(true);
    }

    /** Solves again. The stepper keeps its step, or goes to the last one. */
    solve(isLast = this.index > 0 && this.index === this.all.length - 1) {
        try {
            this.all = this.hooks.frames(this.target);
            this.go(isLast ? this.all.length - 1 : Math.min(this.index, this.all.length - 1));
        } catch (error) {
            this.status.textContent = error.message;
        }
    }

    go(index) {
        this.index = Math.min(Math.max(index, 0), this.all.length - 1);
        if (this.index === this.all.length - 1) this.stop();
        this.first.disabled = this.back.disabled = this.index === 0;
        this.next.disabled = this.index === this.all.length - 1;
        this.paint();
    }

    play() {
        if (this.index === this.all.length - 1) this.go(0);
        this.timer = setInterval(() => this.go(this.index + 1), Math.min(Math.max(8000 / this.all.length, 40), 700));
        this.playing.textContent = 'Pause';
    }

    stop() {
        clearInterval(this.timer);
        this.timer = undefined;
        this.playing.textContent = 'Play';
    }

    pixel(point) {
        const { clientWidth: width, clientHeight: height } = this.canvas;
        const scale = height / 2 / this.half;
        const [x, y] = this.hooks.project(point);
        return [width / 2 + (x - this.centre[0]) * scale, height / 2 - (y - this.centre[1]) * scale];
    }

    point([x, y]) {
        const { clientWidth: width, clientHeight: height } = this.canvas;
        const scale = height / 2 / this.half;
        return [this.centre[0] + (x - width / 2) / scale, this.centre[1] - (y - height / 2) / scale];
    }

    paint() {
        const frame = this.all[this.index];
        if (!frame) return;
        const pen = new Pen(cleared(this.canvas), (point) => this.pixel(point));
        const [status, note = ''] = [this.hooks.draw(pen, frame, this.index, this.all)].flat();
        this.status.textContent = `Step ${this.index} of ${this.all.length - 1}. ${status}`;
        this.note.textContent = note;
        [this.handle.style.left, this.handle.style.top] = this.pixel(this.target).map((value) => `${value}px`);
        plot(this.curve, this.all.map(({ error, plotted = error }) => plotted), this.index);
    }
}

/** Makes a canvas as large as it is shown, and returns its context, empty. */
function cleared(canvas) {
    const { clientWidth, clientHeight } = canvas;
    canvas.width = Math.round(clientWidth * devicePixelRatio);
    canvas.height = Math.round(clientHeight * devicePixelRatio);
    const context = canvas.getContext('2d');
    context.scale(devicePixelRatio, devicePixelRatio);
    return context;
}

/** Draws errors on a logarithmic scale, with a mark at one of them. */
function plot(canvas, errors, index) {
    const context = cleared(canvas);
    const [width, height] = [canvas.clientWidth - 12, canvas.clientHeight - 34];
    const logs = errors.map((error) => Math.log10(Math.max(error, 1e-9)));
    const [low, high] = [Math.floor(Math.min(...logs)), Math.ceil(Math.max(...logs) + 1e-9)];
    const at = (place) => [
        6 + width * place / Math.max(errors.length - 1, 1),
        20 + height * (high - logs[place]) / Math.max(high - low, 1),
    ];
    Object.assign(context, { font: '12px system-ui, sans-serif', fillStyle: colour('soft'), strokeStyle: colour('faint') });
    context.fillText(`error: 10${raised(high)} m`, 6, 12);
    context.fillText(`10${raised(low)} m`, 6, height + 32);
    for (const y of [20, 20 + height]) {
        context.beginPath();
        context.moveTo(6, y);
        context.lineTo(6 + width, y);
        context.stroke();
    }
    context.beginPath();
    logs.forEach((_, place) => context.lineTo(...at(place)));
    Object.assign(context, { strokeStyle: colour('end'), lineWidth: 2, lineJoin: 'round' });
    context.stroke();
    context.beginPath();
    context.arc(...at(index), 4, 0, 2 * Math.PI);
    context.fillStyle = colour('target');
    context.fill();
}

const raised = (exponent) => [...String(exponent)].map((digit) => digit === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[digit]).join('');

/** Returns the text of an angle in radians. */
export const degrees = (angle) => {
    const all = angle * 180 / Math.PI;
    return `${(all !== 0 && Math.abs(all) < 0.1 ? all.toPrecision(1) : all.toFixed(1)).replaceAll('-', '−')}°`;
};

/** Returns the text of a length in metres. */
export const metres = (length) => `${length !== 0 && length < 1e-4 ? length.toExponential(1).replace('-', '−') : length.toFixed(4)} m`;
