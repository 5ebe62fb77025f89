// Starts Chromium with software WebGPU, and reads what a page shows.

import { chromium } from 'playwright-core';
import { PNG } from 'pngjs';

const FLAGS = [
    '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
    '--ignore-gpu-blocklist', '--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader', '--enable-gpu', '--enable-features=Vulkan', '--use-vulkan=swiftshader',
];

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, args: FLAGS });

/** Scripts that remove features from a browser: WebGPU, or all graphics. */
export const WITHOUT = {
    webgpu: () => Object.defineProperty(Navigator.prototype, 'gpu', { value: undefined }),
    graphics: () => {
        Object.defineProperty(Navigator.prototype, 'gpu', { value: undefined });
        HTMLCanvasElement.prototype.getContext = () => null;
    },
};

/** Opens a page in a context of its own, and collects its errors. */
export async function open(browser, url, options = {}) {
    const context = options.context ?? await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const page = await context.newPage();
    if (options.without) await page.addInitScript(WITHOUT[options.without]);
    const errors = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
    });
    const began = Date.now();
    await page.goto(url);
    await page.waitForFunction(() => document.getElementById('message').textContent === '', null, { timeout: 120_000 });
    await settled(page);
    return { context, page, errors, opened: Date.now() - began };
}

export const picture = async (page) => PNG.sync.read(await page.screenshot());

/** Waits until the page shows something that stays the same for a while. */
export async function settled(page, limit = 60_000) {
    const until = Date.now() + limit;
    let last;
    while (Date.now() < until) {
        const now = await page.screenshot();
        if (last && now.equals(last) && colours(PNG.sync.read(now)) > 50) return;
        last = now;
        await page.waitForTimeout(300);
    }
    throw new Error('the page does not come to rest');
}

/** Returns the number of different colours of a picture. */
export function colours(image) {
    const seen = new Set();
    for (let at = 0; at < image.data.length; at += 16) seen.add(image.data.readUInt32LE(at));
    return seen.size;
}

/** Returns the fraction of the pixels in a rectangle that differ between two pictures. */
export function difference(a, b, [left, top, right, bottom] = [0, 0, a.width, a.height], threshold = 24) {
    let count = 0;
    for (let y = top; y < bottom; y++) {
        for (let x = left; x < right; x++) {
            const at = (y * a.width + x) * 4;
            const by = Math.max(...[0, 1, 2].map((channel) => Math.abs(a.data[at + channel] - b.data[at + channel])));
            if (by > threshold) count++;
        }
    }
    return count / ((right - left) * (bottom - top));
}

/** Returns the text of a file that the page keeps. */
export const kept = (page, path) => page.evaluate((key) => new Promise((resolve) => {
    const request = indexedDB.open('sinew', 1);
    request.onsuccess = () => {
        const get = request.result.transaction('files').objectStore('files').get(key);
        get.onsuccess = () => {
            request.result.close();
            resolve(get.result && new TextDecoder().decode(get.result));
        };
    };
}), path);
