// The floor. It consists only of a shadow and a faint grid that fade out, so that any background continues under the
// character.
// Requires globals.wgsl and shadow_map.wgsl.

override SHADOWS: bool = false;

struct FloorFragment {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
}

@vertex
fn floor_vertex(@builtin(vertex_index) index: u32) -> FloorFragment {
    // Two triangles, counter-clockwise from above.
    let corner = vec2<f32>(f32((0x1Au >> index) & 1u), f32((0x34u >> index) & 1u)) * 2.0 - 1.0;
    let radius = globals.floor.w;
    let world = vec3<f32>(globals.floor.x + corner.x * radius, globals.floor.y, globals.floor.z + corner.y * radius);
    var out: FloorFragment;
    out.world = world;
    out.clip = globals.clip_from_world * vec4<f32>(world, 1.0);
    return out;
}

// Coverage of a pixel by grid lines that are one unit apart and about a pixel wide.
fn grid(at: vec2<f32>) -> f32 {
    let width = fwidth(at);
    let distance = abs(fract(at - 0.5) - 0.5) / max(width, vec2<f32>(1e-6));
    let line = 1.0 - min(min(distance.x, distance.y), 1.0);
    // Lines that are too dense fade to an even grey, and then disappear.
    return line * clamp(1.0 - max(width.x, width.y) * 2.0, 0.0, 1.0);
}

@fragment
fn floor_fragment(in: FloorFragment) -> @location(0) vec4<f32> {
    let radius = globals.floor.w;
    let away = length(in.world.xz - globals.floor.xz) / radius;
    let fade = 1.0 - smoothstep(0.25, 1.0, away);
    // The renderer chooses a round number as the width of a cell.
    var dark = 0.07 * grid(in.world.xz / globals.light.w);
    if SHADOWS {
        dark = 1.0 - (1.0 - dark) * (1.0 - 0.42 * (1.0 - key_light_at(in.world, vec3<f32>(0.0, 1.0, 0.0), 5.0, 16u)));
    }
    return vec4<f32>(vec3<f32>(0.01, 0.012, 0.02) * (dark * fade), dark * fade);
}
