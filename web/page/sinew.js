// Chooses the module for this browser: the one for WebGPU, or the larger one for WebGL2, which translates the shaders itself.

let loading;

/** Loads the module, and returns its functions. */
export function load() {
    loading ??= (async () => {
        const adapter = await navigator.gpu?.requestAdapter().catch(() => null);
        const module = await import(adapter ? './sinew_web.js' : './webgl2/sinew_web.js');
        await module.default();
        return module;
    })();
    return loading;
}

/** Opens a character in a canvas: the bytes of a `.glb` or `.vrm` file, or else the built-in one. */
export const open = async (canvas, bytes) => (await load()).open(canvas, bytes);
