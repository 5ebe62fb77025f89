// The floor. It consists only of a shadow and a faint grid that fade out, so that any background continues under the character.
// #import ambient_occlusion, globals, shadow_map, soft_shadow

override SHADOWS: bool = false;
override SOFT_SHADOWS: bool = false;
override CLEAR_GRID: bool = false;

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

// Coverage of a pixel by lines that are one unit apart. `pixel` is the size of a pixel in units, and `width` the width of the lines in
// pixels. Where lines are only a few pixels apart, they fade before they flicker. Lines across the line of sight fade sooner than lines
// along it.
fn clear_grid(at: vec2<f32>, pixel: vec2<f32>, width: f32) -> f32 {
    let distance = abs(fract(at - 0.5) - 0.5) / pixel;
    let line = clamp(0.5 * width + 0.5 - distance, vec2<f32>(0.0), vec2<f32>(1.0));
    let faded = line * (1.0 - smoothstep(vec2<f32>(0.04), vec2<f32>(0.2), pixel));
    return max(faded.x, faded.y);
}

// The part of the floor's light, apart from the key light, that the character hides. It fades out far away, where few directions would meet
// the character.
fn hidden_from_floor(world: vec3<f32>) -> f32 {
    let up = vec3<f32>(0.0, 1.0, 0.0);
    let fade = 1.0 - smoothstep(0.5, 1.75, length(world.xz - globals.floor.xz) * globals.occlusion.w);
    if fade <= 0.0 {
        return 0.0;
    }
    return 0.5 * fade * (1.0 - ambient_visibility(world, up, up));
}

@fragment
fn floor_fragment(in: FloorFragment) -> @location(0) vec4<f32> {
    let radius = globals.floor.w;
    let away = length(in.world.xz - globals.floor.xz) / radius;
    let fade = 1.0 - smoothstep(0.25, 1.0, away);
    // The renderer chooses a round number as the width of a cell.
    var dark = 0.0;
    let pixel = max(fwidth(in.world.xz), vec2<f32>(1e-9));
    if CLEAR_GRID {
        let cell = globals.grid.x;
        let width = globals.grid.y;
        let thin = clear_grid(in.world.xz / cell, pixel / cell, width);
        let thick = clear_grid(in.world.xz / (cell * 10.0), pixel / (cell * 10.0), width * 1.6);
        dark = max(0.2 * thin, 0.42 * thick);
    } else {
        dark = 0.07 * grid(in.world.xz / globals.light.w);
    }
    // The part of the light that is hidden.
    var hidden = 0.0;
    if SHADOWS {
        if SOFT_SHADOWS {
            hidden = 0.42 * (1.0 - soft_light_on_floor(in.world));
        } else {
            hidden = 0.42 * (1.0 - key_light_on_floor(in.world));
        }
    }
    if AMBIENT_OCCLUSION {
        hidden += hidden_from_floor(in.world);
    }
    if SHADOWS || AMBIENT_OCCLUSION {
        dark = 1.0 - (1.0 - dark) * (1.0 - hidden);
    }
    let color = vec4<f32>(vec3<f32>(0.01, 0.012, 0.02) * (dark * fade), dark * fade);
    if CLEAR_GRID {
        // The X axis is the line on which z is zero, and vice versa.
        let axes = clamp(0.8 * globals.grid.y + 0.5 - abs(in.world.zx) / pixel.yx, vec2<f32>(0.0), vec2<f32>(1.0)) * (0.8 * fade);
        let red = vec4<f32>(0.75, 0.06, 0.07, 1.0) * axes.x;
        let blue = vec4<f32>(0.06, 0.2, 0.85, 1.0) * (axes.y * (1.0 - axes.x));
        let axis = red + blue;
        return stored(axis + color * (1.0 - axis.a));
    }
    return stored(color);
}
