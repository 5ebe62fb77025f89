// How much of the surroundings is visible from a point, by maps of depth from many directions (src/render/ambient). Requires globals.wgsl
// and shadow_map.wgsl.

override AMBIENT_OCCLUSION: bool = false;

// Where points are in one map.
struct OcclusionView {
    u: vec4<f32>,                         // texture coordinates are dot products with a point
    v: vec4<f32>,
    towards: vec4<f32>,                   // xyz: direction towards the surroundings; w: depth of the origin
}

const DIRECTIONS: u32 = 128u;

struct AmbientOcclusion {
    // Distance in metres by which points are moved away from their surface, depth of a metre, and one divided by the radius of the scene.
    scale: vec4<f32>,
    views: array<OcclusionView, 128>,
}

@group(2) @binding(8) var occlusion_maps: texture_depth_2d_array;
@group(2) @binding(9) var<uniform> ambient: AmbientOcclusion;

// Returns 1 where nothing is hidden and 0 where everything is: the mean over directions, weighted by their cosines with the normal. `facet`
// is the normal of the triangle. Where the smooth normal sees directions that are below the triangle, they are left out, so that edges of
// coarse meshes are not visible.
fn ambient_visibility(world: vec3<f32>, normal: vec3<f32>, facet: vec3<f32>) -> f32 {
    let at = vec4<f32>(world + facet * ambient.scale.x, 1.0);
    var all = 0.0;
    var open = 0.0;
    for (var i = 0u; i < DIRECTIONS; i++) {
        let towards = ambient.views[i].towards;
        let cosine = dot(normal, towards.xyz);
        if cosine > 0.0 && dot(facet, towards.xyz) > 0.05 {
            let uv = vec2<f32>(dot(at, ambient.views[i].u), dot(at, ambient.views[i].v));
            let depth = min(towards.w - ambient.scale.y * dot(towards.xyz, at.xyz), 1.0);
            all += cosine;
            open += cosine * textureSampleCompareLevel(occlusion_maps, shadow_sampler, uv, i, depth);
        }
    }
    return select(1.0, open / all, all > 0.0);
}

// Light that is reflected between surfaces makes bright creases less dark (Jimenez et al. 2016, "Practical realtime strategies for accurate
// indirect occlusion").
fn with_bounces(visibility: f32, albedo: vec3<f32>) -> vec3<f32> {
    let a = 2.0404 * albedo - 0.3324;
    let b = -4.7951 * albedo + 0.6417;
    let c = 2.7552 * albedo + 0.6903;
    return clamp(((visibility * a + b) * visibility + c) * visibility, vec3<f32>(visibility), vec3<f32>(1.0));
}

// How much of a reflection is visible (Lagarde & de Rousiers 2014, "Moving Frostbite to physically based rendering").
fn specular_visibility(visibility: f32, nv: f32, roughness: f32) -> f32 {
    return clamp(pow(nv + visibility, exp2(-16.0 * roughness - 1.0)) - 1.0 + visibility, 0.0, 1.0);
}
