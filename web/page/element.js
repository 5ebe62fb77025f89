// `<sinew-viewer src="character.glb">`: a character that can be dragged. Without `src`, the built-in character is shown.

import { load, open } from './sinew.js';

load().catch(() => {}); // `open` reports the error.

export class SinewViewer extends HTMLElement {
    /** The figure, when it is open. */
    figure;

    async connectedCallback() {
        if (this.canvas) return;
        this.canvas = document.createElement('canvas');
        Object.assign(this.canvas.style, { width: '100%', height: '100%', display: 'block', touchAction: 'none' });
        this.append(this.canvas);
        this.fit();
        try {
            const source = this.getAttribute('src');
            const bytes = source ? new Uint8Array(await (await fetch(source)).arrayBuffer()) : undefined;
            const figure = await open(this.canvas, bytes);
            if (!this.isConnected) {
                figure.free();
                this.close();
                return;
            }
            this.figure = figure;
        } catch (cause) {
            this.dispatchEvent(new CustomEvent('error', { detail: cause }));
            return;
        }
        this.observer = new ResizeObserver(() => this.fit());
        this.observer.observe(this);
        let last;
        const at = (event) => {
            const box = this.canvas.getBoundingClientRect();
            const scale = this.canvas.width / box.width;
            return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
        };
        this.canvas.addEventListener('pointerdown', (event) => {
            last = at(event);
            this.canvas.setPointerCapture(event.pointerId);
            this.figure.grab(...last);
        });
        this.canvas.addEventListener('pointermove', (event) => {
            if (!last) return;
            const now = at(event);
            this.figure.pull(last[0], last[1], now[0], now[1]);
            last = now;
            this.redraw();
        });
        const end = () => {
            last = undefined;
            this.figure.release();
        };
        this.canvas.addEventListener('pointerup', end);
        this.canvas.addEventListener('pointercancel', end);
        this.redraw();
        this.dispatchEvent(new Event('ready'));
    }

    disconnectedCallback() {
        // An element that only moves in the document is connected again at once.
        queueMicrotask(() => {
            if (!this.isConnected && this.figure) this.close();
        });
    }

    /** Frees the character and the graphics device. */
    close() {
        cancelAnimationFrame(this.pending);
        this.observer?.disconnect();
        this.figure?.free();
        this.canvas.remove();
        this.canvas = this.figure = this.pending = undefined;
    }

    /** Gives the canvas as many pixels as it covers on the screen. */
    fit() {
        const width = Math.max(1, Math.round(this.clientWidth * devicePixelRatio));
        const height = Math.max(1, Math.round(this.clientHeight * devicePixelRatio));
        if (this.canvas.width === width && this.canvas.height === height) return;
        [this.canvas.width, this.canvas.height] = [width, height];
        this.figure?.resize(width, height);
        this.redraw();
    }

    /** Draws in the next frame. */
    redraw() {
        if (this.pending || !this.figure) return;
        this.pending = requestAnimationFrame(() => {
            this.pending = undefined;
            this.figure.draw();
        });
    }
}

customElements.define('sinew-viewer', SinewViewer);
