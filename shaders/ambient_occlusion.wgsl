// Computes the fraction of the surroundings that is visible from a point, with depth maps from many directions (src/render/ambient).
// #import compared_depth | sampled_depth, globals, shadow_map

override AMBIENT_OCCLUSION: bool = false;

const DIRECTIONS: u32 = 128u;
// Distance by which a point is moved off its surface, as a fraction of half a map's width. The surface then does not hide the point. A
// comparison reads texels up to 1.5 texels away, and a map is 512 texels wide.
const OFFSET: f32 = 1.5 * 2.0 / 512.0;
// A rotation by the golden angle.
const TURN: vec2<f32> = vec2<f32>(-0.7373689, 0.6754903);

@group(2) @binding(8) var occlusion_maps: texture_depth_2d_array;

// Returns 1 where nothing is hidden and 0 where everything is: the mean over directions, weighted by their cosines with the normal. `facet`
// is the normal of the triangle. Directions that are above the smooth surface but below the triangle are left out, so that edges of coarse
// meshes are not visible. The directions are computed instead of read, because Mesa 22.3 crashes if the bind group of the light has a
// uniform buffer.
fn ambient_visibility(world: vec3<f32>, normal: vec3<f32>, facet: vec3<f32>) -> f32 {
    let at = (world - globals.occlusion.xyz) * globals.occlusion.w + facet * OFFSET;
    var around = vec2<f32>(1.0, 0.0);
    var all = 0.0;
    var open = 0.0;
    for (var i = 0u; i < DIRECTIONS; i++) {
        let height = 1.0 - (f32(i) * 2.0 + 1.0) / f32(DIRECTIONS);
        let level = sqrt(1.0 - height * height);
        let towards = vec3<f32>(level * around.x, height, level * around.y);
        let cosine = dot(normal, towards);
        if cosine > 0.0 && dot(facet, towards) > 0.05 {
            // The axes of the map are horizontal and upright, as in src/render/ambient/directions.rs.
            let along = dot(around, at.xz);
            let uv = vec2<f32>(around.y * at.x - around.x * at.z, height * along - level * at.y) * 0.5 + 0.5;
            let depth = min(0.5 - 0.5 * (height * at.y + level * along), 1.0);
            all += cosine;
            open += cosine * textureSampleCompareLevel(occlusion_maps, shadow_sampler, uv, i, depth);
        }
        around = vec2<f32>(around.x * TURN.x - around.y * TURN.y, around.x * TURN.y + around.y * TURN.x);
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

// Returns the visible fraction of a reflection (Lagarde & de Rousiers 2014, "Moving Frostbite to physically based rendering").
fn specular_visibility(visibility: f32, nv: f32, roughness: f32) -> f32 {
    return clamp(pow(nv + visibility, exp2(-16.0 * roughness - 1.0)) - 1.0 + visibility, 0.0, 1.0);
}
