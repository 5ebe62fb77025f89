// Writes the skinned positions and normals of a part, one instance after another.
// #import fetch_storage | fetch_texture, many_bones, skinning

// Both streams of vertices of a model, as words. The vectors in them are not aligned as WGSL requires.
@group(0) @binding(0) var<storage, read> vertices: array<u32>;
@group(0) @binding(1) var<storage, read> surfaces: array<u32>;
// Position and normal of each vertex.
@group(0) @binding(2) var<storage, read_write> skinned: array<vec4<f32>>;
// The index of the first instance.
@group(0) @binding(3) var<uniform> first_instance: u32;

const VERTEX_WORDS: u32 = 8u;
const SURFACE_WORDS: u32 = 11u;

fn vector(words: vec3<u32>) -> vec3<f32> {
    return bitcast<vec3<f32>>(words);
}

@compute @workgroup_size(64)
fn skin_vertices(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= part.vertices {
        return;
    }
    let v = id.x * VERTEX_WORDS;
    var vertex: Vertex;
    vertex.position = vector(vec3<u32>(vertices[v], vertices[v + 1u], vertices[v + 2u]));
    vertex.weights = vector(vec3<u32>(vertices[v + 3u], vertices[v + 4u], vertices[v + 5u]));
    vertex.joints = vec2<u32>(vertices[v + 6u], vertices[v + 7u]);
    let n = id.x * SURFACE_WORDS;
    let normal = vector(vec3<u32>(surfaces[n], surfaces[n + 1u], surfaces[n + 2u]));
    let s = skin(vertex, normal, vec3<f32>(0.0), id.x, first_instance + id.y);
    let at = 2u * (id.y * part.vertices + id.x);
    skinned[at] = vec4<f32>(s.position, 1.0);
    skinned[at + 1u] = vec4<f32>(s.normal, 0.0);
}
