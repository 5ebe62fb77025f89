// Translucent copies of the character, each in its own colour. They are almost clear where they face the viewer and dense at their
// outline, so that several of them remain distinguishable.
//
// In a ghost's `Instance`, the tint's RGB is the colour of the ghost, and the tint's alpha is its depth offset.
// #import base_color, fetch_storage | fetch_texture, globals, skinning

struct Ghost {
    @builtin(position) @invariant clip: vec4<f32>,
    @location(0) normal: vec3<f32>,
    @location(1) texcoord: vec4<f32>,     // both sets of texture coordinates
    @location(2) eye_direction: vec3<f32>,
    @location(3) color: vec4<f32>,
    @location(4) @interpolate(flat) tint: vec3<f32>,
}

@vertex
fn ghost_vertex(
    v: Vertex,
    look: VertexSurface,
    @builtin(vertex_index) index: u32,
    @builtin(instance_index) instance: u32,
) -> Ghost {
    let s = skin(v, look.normal, look.tangent.xyz, index, instance);
    let tint = instance_tint(instance);
    let eye_direction = globals.eye.xyz - s.position;
    // Each ghost is drawn at a slightly greater depth. Where surfaces coincide, the character then hides all ghosts
    // without flicker, and the first ghost hides the others. The offset is in grid cells, so it scales with the scene.
    let back = normalize_or_zero(eye_direction) * (globals.light.w * tint.w);
    let behind = globals.clip_from_world * vec4<f32>(s.position - back, 1.0);
    var out: Ghost;
    out.clip = globals.clip_from_world * vec4<f32>(s.position, 1.0);
    out.clip.z = behind.z / behind.w * out.clip.w;
    out.normal = s.normal;
    out.texcoord = vec4<f32>(look.texcoord_0, look.texcoord_1);
    out.eye_direction = eye_direction;
    out.color = look.color;
    out.tint = tint.rgb;
    return out;
}

// Returns whether a ghost has no surface here, because of a hole or because alpha is below one half.
fn is_hole(in: Ghost) -> bool {
    let alpha = base_color(in.color, in.texcoord).a;
    return is_cut_out(alpha) || (has(ALPHA_BLEND) && alpha < 0.5);
}

// Depth only.
@fragment
fn ghost_depth(in: Ghost) {}

// Depth only, for parts with holes.
@fragment
fn ghost_cut_out(in: Ghost) {
    if is_hole(in) {
        discard;
    }
}

@fragment
fn ghost(in: Ghost) -> @location(0) vec4<f32> {
    let flat_normal = cross(dpdy(in.eye_direction), dpdx(in.eye_direction));
    if is_hole(in) {
        discard;
    }
    let n = normalize_or_zero(select(flat_normal, in.normal, has(HAS_NORMALS)));
    let v = normalize_or_zero(in.eye_direction);
    let facing = abs(dot(n, v));
    let rim = pow(1.0 - facing, 2.2);
    let lit = 0.62 + 0.38 * max(dot(n, globals.light.xyz), 0.0);
    let alpha = mix(0.4, 0.95, rim);
    // The result has premultiplied alpha. The outline has the ghost's colour without shading.
    return stored(vec4<f32>(in.tint * mix(lit, 1.0, rim) * alpha, alpha));
}
