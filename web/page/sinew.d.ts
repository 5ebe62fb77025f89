import type * as Module from './sinew_web.js';

export type { Figure, Hooks, Viewer } from './sinew_web.js';

/** Loads the module for WebGPU, or where it is absent for WebGL2, and returns its functions. */
export function load(): Promise<typeof Module>;

/**
 * Opens a character in a canvas: the bytes of a `.glb` or `.vrm` file without other files, or else the built-in one.
 *
 * Fails if the browser has neither WebGPU nor WebGL2 for the canvas, or if the file is not a character.
 */
export const open: typeof Module.open;
