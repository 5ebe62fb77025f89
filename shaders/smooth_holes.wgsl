// The multisampled fragment shader for surfaces with holes.
// #import base_color, surface, varyings

// The colour of a pixel, and which of its samples are not in holes.
struct Samples {
    @location(0) color: vec4<f32>,
    @builtin(sample_mask) covered: u32,
}

// Smooths the edges of holes. Alpha is extrapolated from the centre of a pixel to each of its four samples, whose positions WebGPU fixes.
@fragment
fn smooth_holes(varyings: Varyings, @builtin(front_facing) front: bool) -> Samples {
    let in = surface_of(varyings);
    let alpha = base_color(in.color, in.texcoord).a - material.surface.w;
    let across = dpdx(alpha);
    let down = dpdy(alpha);
    let at_samples = alpha + vec4<f32>(-0.125, 0.375, -0.375, 0.125) * across + vec4<f32>(-0.375, -0.125, 0.125, 0.375) * down;
    let covered = select(vec4<u32>(0u), vec4<u32>(1u, 2u, 4u, 8u), at_samples >= vec4<f32>(0.0));
    if all(covered == vec4<u32>(0u)) {
        discard;
    }
    return Samples(painted(in, front), covered.x | covered.y | covered.z | covered.w);
}
