// Writes the skinned positions and normals for reading back. Requires skinning.wgsl.

@group(0) @binding(0) var<storage, read> vertices: array<Vertex>;
// Position and normal of each vertex.
@group(0) @binding(1) var<storage, read_write> skinned: array<vec4<f32>>;

@compute @workgroup_size(64)
fn skin_vertices(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= part.vertices {
        return;
    }
    let s = skin(vertices[id.x], id.x);
    skinned[id.x * 2u] = vec4<f32>(s.position, 1.0);
    skinned[id.x * 2u + 1u] = vec4<f32>(s.normal, 0.0);
}
