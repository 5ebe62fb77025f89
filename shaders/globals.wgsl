// Data that all passes share.
// #import srgb

// A light of a file.
struct PunctualLightRecord {
    place: vec4<f32>,                     // xyz: position and w = 1, or the direction towards the light and w = 0
    color: vec4<f32>,                     // rgb: illuminance at one metre; w: one divided by the square of the range, or zero
    direction: vec4<f32>,                 // xyz: where it shines; w: factor of the cosine
    cone: vec4<f32>,                      // x: offset of the cosine
}

struct Globals {
    clip_from_world: mat4x4<f32>,
    shadow_from_world: mat4x4<f32>,       // clip space of the key light
    eye: vec4<f32>,                       // xyz: position of the camera
    light: vec4<f32>,                     // xyz: direction towards the key light; w: width of a grid cell
    floor: vec4<f32>,                     // xyz: centre; w: radius
    viewport: vec4<f32>,                  // xy: size in pixels; z: width of a shadow texel in the map; w: twice that width in world metres
    grid: vec4<f32>,                      // x: distance of thin lines in metres; y: their width in pixels; z: number of lights of the file
    key: vec4<f32>,                       // xyz: brightness of a white surface that faces the key light of an environment; w: tangent of half its angle
    environment: vec4<f32>,               // xy: cosine and sine of the light's rotation about +Y; z: exposure as a factor; w: factor of the light for toon shading
    background: vec4<f32>,                // rgb: linear colour of the background; w: 1, or 0 if it is transparent or unknown
    irradiance: array<vec4<f32>, 9>,      // xyz: spherical harmonics of an environment
    occlusion: vec4<f32>,                 // xyz: centre of the maps of ambient occlusion; w: one divided by their radius
    lights: array<PunctualLightRecord, 8>,
}

// Whether colours are converted to sRGB here, because the target's format does not convert them.
override ENCODE_SRGB: bool = false;

@group(0) @binding(0) var<uniform> globals: Globals;

// Converts a linear colour with premultiplied alpha to the values that the target stores.
fn stored(color: vec4<f32>) -> vec4<f32> {
    if !ENCODE_SRGB {
        return color;
    }
    return vec4<f32>(srgb_from_linear(color.rgb / max(color.a, 1e-6)) * color.a, color.a);
}
