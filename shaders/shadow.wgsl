// Depth as the key light sees it. Follows globals.wgsl and skinning.wgsl.

@vertex
fn shadow_vertex(v: Vertex, @builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    return globals.shadow_from_world * vec4<f32>(skin(v, index).position, 1.0);
}
