// The page of the viewer: passes files that a person drops or chooses to the viewer, downloads the files that the viewer writes, and keeps
// unsaved work.

import { load } from './sinew.js';
import { Store } from './store.js';

const canvas = document.getElementById('canvas');
const message = document.getElementById('message');
const chooser = document.getElementById('files');

const AUTOSAVE = '.autosave.sinew';
/** The folder of the settings, which are never downloaded. */
const SETTINGS = '/settings/';

const say = (text) => { message.textContent = text; };

/** Returns whether a file is kept for the next visit, and not downloaded. */
const isKept = (path) => path.startsWith(SETTINGS) || path.endsWith(AUTOSAVE) || path.includes('.poses/');

function download(path, bytes) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([bytes]));
    link.download = path.split('/').pop();
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Returns the character whose unsaved work was kept, if its file was kept too. */
function unfinished(files) {
    const names = new Set(files.map(([path]) => path));
    for (const name of names) {
        const match = /^\/\.([^/]+)\.autosave\.sinew$/.exec(name);
        if (match && names.has(`/${match[1]}`)) return `/${match[1]}`;
    }
    return undefined;
}

/** Returns the file to open from several files. The other files belong to it. */
function main(names) {
    const kinds = ['.sinew', '.session', '.gltf', '.glb', '.vrm', '.bvh', '.json'];
    const rank = (name) => {
        const at = kinds.findIndex((kind) => name.toLowerCase().endsWith(kind));
        return at < 0 ? kinds.length : at;
    };
    return [...names].sort((a, b) => rank(a) - rank(b))[0];
}

async function start() {
    const store = await Store.open();
    const [kept, { openViewer, put }] = await Promise.all([store.all(), load()]);
    kept.forEach(([path, bytes]) => put(path, bytes));
    let adds = false;

    const hooks = {
        choose(addsClips) {
            adds = addsClips;
            chooser.value = '';
            chooser.click();
        },
        changed(path, bytes) {
            if (isKept(path)) store.set(path, bytes);
            else if (bytes) download(path, bytes);
        },
        link(text) {
            history.replaceState(null, '', `#pose=${text}`);
            navigator.clipboard?.writeText(location.href).catch(() => {});
        },
        drawn() {
            performance.mark('first picture');
            say('');
        },
        ended(reason) {
            say(`sinew has ended: ${reason || 'it was closed'}. Load the page again to continue.`);
        },
    };
    const viewer = await openViewer(canvas, hooks, unfinished(kept));
    canvas.viewer = viewer;

    let others = kept.map(([path]) => path).filter((path) => !isKept(path));

    /** Opens files, and keeps them for the next visit in place of those that were opened before. */
    async function openFiles(files, addsClips) {
        const read = await Promise.all([...files].map(async (file) => [`/${file.name}`, new Uint8Array(await file.arrayBuffer())]));
        if (read.length === 0) return;
        const paths = read.map(([path]) => path);
        const isAddition = addsClips || paths.every((path) => /\.(bvh|json|sinew|session)$/i.test(path));
        if (!isAddition) {
            others.forEach((path) => store.set(path, undefined));
            others = [];
        }
        read.forEach(([path, bytes]) => {
            put(path, bytes);
            store.set(path, bytes);
        });
        others.push(...paths);
        viewer.openFile(main(paths), addsClips);
    }

    chooser.addEventListener('change', () => openFiles(chooser.files, adds));
    addEventListener('dragover', (event) => event.preventDefault());
    addEventListener('drop', (event) => {
        event.preventDefault();
        openFiles(event.dataTransfer.files, false);
    });
    document.addEventListener('visibilitychange', () => {
        if (document.visibilityState === 'hidden') viewer.hide();
    });
    const showLink = () => {
        const match = /^#pose=([\w-]+)$/.exec(location.hash);
        if (match) viewer.showLink(match[1]);
    };
    addEventListener('hashchange', showLink);
    showLink();
    canvas.focus();
}

start().catch((cause) => {
    console.error(cause);
    const isUnfit = /neither WebGPU nor WebGL2|graphics adapter/.test(cause?.message);
    say(isUnfit
        ? 'sinew needs a browser with WebGPU or WebGL2, for example a current Chrome, Edge, Safari or Firefox on a device with a graphics driver.'
        : `sinew cannot start: ${cause?.message ?? cause}`);
});
