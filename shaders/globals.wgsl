// What all passes share.

struct Globals {
    clip_from_world: mat4x4<f32>,
    shadow_from_world: mat4x4<f32>,       // the key light's clip space
    eye: vec4<f32>,                       // xyz: position
    light: vec4<f32>,                     // xyz: towards the key light; width of a cell of the grid
    ground: vec4<f32>,                    // x, height, z of its centre; radius
    viewport: vec4<f32>,                  // width, height in pixels; a shadow texel in its map, and in world metres
}

@group(0) @binding(0) var<uniform> globals: Globals;
