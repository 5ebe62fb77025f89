// Data that all passes share.

struct Globals {
    clip_from_world: mat4x4<f32>,
    shadow_from_world: mat4x4<f32>,       // clip space of the key light
    eye: vec4<f32>,                       // xyz: position of the camera
    light: vec4<f32>,                     // xyz: direction towards the key light; w: width of a grid cell
    floor: vec4<f32>,                     // xyz: centre; w: radius
    viewport: vec4<f32>,                  // xy: size in pixels; z: width of a shadow texel in the map; w: twice that width in world metres
    grid: vec4<f32>,                      // x: distance of thin lines in metres; y: their width in pixels
}

@group(0) @binding(0) var<uniform> globals: Globals;
