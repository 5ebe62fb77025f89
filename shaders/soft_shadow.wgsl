// Shadows of a key light with a size: sharp where the caster touches the surface, and softer the farther it is away (Fernando 2005,
// "Percentage-closer soft shadows"). Requires globals.wgsl and shadow_map.wgsl.

// The softest edges, as radii in texels. A texel is about half a pixel.
const MOST_ON_SURFACE: f32 = 16.0;
const MOST_ON_FLOOR: f32 = 32.0;
// The sharpest edges, which hide the texels.
const LEAST: f32 = 2.5;

// Returns how the depth of a plane in the map changes with the position, so that a surface does not shadow itself. The map is twice as
// deep as it is wide. The slope of planes that the light meets at less than 10 degrees is that at 10 degrees.
fn depth_slope(normal: vec3<f32>) -> vec2<f32> {
    let n = (globals.shadow_from_world * vec4<f32>(normal, 0.0)).xyz;
    let facing = min(16.0 * n.z, -0.7 * length(n.xy));
    return vec2<f32>(-2.0 * n.x, 2.0 * n.y) / min(facing, -1e-6);
}

// The blockers that some points of the map have found: their number, and the sum of their depths.
struct Blockers {
    count: f32,
    sum: f32,
}

// A point on a surface, as the map sees it.
struct Receiver {
    at: vec2<f32>,
    depth: f32,
    slope: vec2<f32>,
}

// Returns the depth of a receiver's plane beside it. The floor may be behind the end of the map, which is empty where its depth is 1.
fn plane(r: Receiver, offset: vec2<f32>) -> f32 {
    return min(r.depth + dot(r.slope, offset), 1.0);
}

fn blocker(r: Receiver, offset: vec2<f32>) -> Blockers {
    let last = vec2<i32>(textureDimensions(shadow_map)) - 1;
    let place = vec2<i32>((r.at + offset) / globals.viewport.z);
    let found = textureLoad(shadow_map, clamp(place, vec2<i32>(0), last), 0);
    let nearer = select(0.0, 1.0, found < plane(r, offset));
    return Blockers(nearer, nearer * found);
}

fn plus(a: Blockers, b: Blockers) -> Blockers {
    return Blockers(a.count + b.count, a.sum + b.sum);
}

fn lit_beside(r: Receiver, offset: vec2<f32>) -> f32 {
    return lit(r.at + offset, plane(r, offset));
}

// Returns 1 in full light and 0 in full shadow. The points are evenly spread in discs, as in shadow_map.wgsl. They are not turned at
// random, because noise would differ between processors. The edge of a shadow cannot reach the inner points without reaching the
// outer ones, so if those agree, the rest is not needed.
fn soft_light(at: vec3<f32>, normal: vec3<f32>, most: f32) -> f32 {
    if any(at.xy < vec2<f32>(0.0)) || any(at.xy > vec2<f32>(1.0)) {
        return 1.0;
    }
    let texel = globals.viewport.z;
    let r = Receiver(at.xy, at.z - 0.0005, depth_slope(normal));
    let wide = most * texel;
    var found = Blockers(0.0, 0.0);
    found = plus(found, blocker(r, wide * vec2<f32>(0.2929848, 0.9340735)));
    found = plus(found, blocker(r, wide * vec2<f32>(0.3964697, -0.8472377)));
    found = plus(found, blocker(r, wide * vec2<f32>(-0.8224418, 0.3394940)));
    found = plus(found, blocker(r, wide * vec2<f32>(0.7905572, 0.2887086)));
    found = plus(found, blocker(r, wide * vec2<f32>(-0.3643801, -0.7015890)));
    found = plus(found, blocker(r, wide * vec2<f32>(-0.1910626, 0.7107473)));
    found = plus(found, blocker(r, wide * vec2<f32>(0.5712246, -0.3633673)));
    var light = select(1.0, 0.0, found.count == 7.0);
    // A loop that runs at most once, because software drivers execute both sides of every branch.
    loop {
        if found.count == 0.0 || found.count == 7.0 {
            break;
        }
        found = plus(found, blocker(r, wide * vec2<f32>(-0.6030115, -0.1066637)));
        found = plus(found, blocker(r, wide * vec2<f32>(0.3285948, 0.4285932)));
        found = plus(found, blocker(r, wide * vec2<f32>(0.0399040, -0.4546878)));
        found = plus(found, blocker(r, wide * vec2<f32>(-0.2606992, 0.2388219)));
        found = plus(found, blocker(r, wide * vec2<f32>(0.2041241, 0.0000000)));
        let away = at.z - found.sum / found.count;
        let radius = clamp(2.0 * globals.key.w * away, LEAST * texel, wide);
        light = 0.0;
        light += lit_beside(r, radius * vec2<f32>(0.1767767, 0.0000000));
        light += lit_beside(r, radius * vec2<f32>(-0.2257721, 0.2068259));
        light += lit_beside(r, radius * vec2<f32>(0.0345579, -0.3937712));
        light += lit_beside(r, radius * vec2<f32>(0.2845715, 0.3711726));
        light += lit_beside(r, radius * vec2<f32>(-0.5222233, -0.0923734));
        light += lit_beside(r, radius * vec2<f32>(0.4946950, -0.3146853));
        light += lit_beside(r, radius * vec2<f32>(-0.1654651, 0.6155252));
        light += lit_beside(r, radius * vec2<f32>(-0.3155624, -0.6075939));
        light += lit_beside(r, radius * vec2<f32>(0.6846426, 0.2500290));
        light += lit_beside(r, radius * vec2<f32>(-0.7122555, 0.2940104));
        light += lit_beside(r, radius * vec2<f32>(0.3433528, -0.7337294));
        light += lit_beside(r, radius * vec2<f32>(0.2537323, 0.8089313));
        light += lit_beside(r, radius * vec2<f32>(-0.7647471, -0.4431838));
        light += lit_beside(r, radius * vec2<f32>(0.8971334, -0.1972351));
        light += lit_beside(r, radius * vec2<f32>(-0.5475044, 0.7787740));
        light += lit_beside(r, radius * vec2<f32>(-0.1264901, -0.9760893));
        light /= 16.0;
        break;
    }
    return light;
}

fn soft_light_on_surface(world: vec3<f32>, normal: vec3<f32>) -> f32 {
    return soft_light(in_shadow_map(world, normal), normal, MOST_ON_SURFACE);
}

fn soft_light_on_floor(world: vec3<f32>) -> f32 {
    let up = vec3<f32>(0.0, 1.0, 0.0);
    return soft_light(in_shadow_map(world, up), up, MOST_ON_FLOOR);
}
