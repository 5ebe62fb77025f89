// Depth as seen from the key light.
// #import base_color, fetch_storage | fetch_texture, globals, skinning

struct Caster {
    @builtin(position) clip: vec4<f32>,
    @location(0) texcoord: vec4<f32>,     // both sets of texture coordinates
    @location(1) alpha: f32,              // factor of the material's
}

fn seen_by_light(v: Vertex, index: u32, instance: u32) -> vec4<f32> {
    return globals.shadow_from_world * vec4<f32>(skin(v, vec3<f32>(0.0), vec3<f32>(0.0), index, instance).position, 1.0);
}

@vertex
fn shadow_vertex(
    v: Vertex,
    @builtin(vertex_index) index: u32,
    @builtin(instance_index) instance: u32,
) -> @builtin(position) vec4<f32> {
    return seen_by_light(v, index, instance);
}

@vertex
fn cut_out_vertex(
    v: Vertex,
    look: VertexSurface,
    @builtin(vertex_index) index: u32,
    @builtin(instance_index) instance: u32,
) -> Caster {
    return cut_out(seen_by_light(v, index, instance), look, instance);
}

fn cut_out(clip: vec4<f32>, look: VertexSurface, instance: u32) -> Caster {
    var out: Caster;
    out.clip = clip;
    out.texcoord = vec4<f32>(look.texcoord_0, look.texcoord_1);
    out.alpha = look.color.a * instance_tint(instance).a;
    return out;
}

// Variants of the two entry points above, for vertices that skin_vertices.wgsl has moved to world space.
@vertex
fn posed_shadow_vertex(@location(0) position: vec3<f32>) -> @builtin(position) vec4<f32> {
    return globals.shadow_from_world * vec4<f32>(position, 1.0);
}

@vertex
fn posed_cut_out_vertex(
    @location(0) position: vec3<f32>,
    look: VertexSurface,
    @builtin(instance_index) instance: u32,
) -> Caster {
    return cut_out(globals.shadow_from_world * vec4<f32>(position, 1.0), look, instance);
}

// Discards fragments in holes. Casters without holes need neither this function nor its inputs.
@fragment
fn shadow_cut_out(in: Caster) {
    if is_cut_out(base_color(vec4<f32>(1.0, 1.0, 1.0, in.alpha), in.texcoord).a) {
        discard;
    }
}
