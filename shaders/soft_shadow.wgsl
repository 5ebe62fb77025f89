// Shadows of a key light that has a size. They are sharp where the caster touches the surface, and soften with its distance (Fernando
// 2005, "Percentage-closer soft shadows"). src/render/shadow_levels.rs defines the levels of the map.
// #import compared_depth | sampled_depth, globals, shadow_map

// The radii of the softest edges, in texels. A texel is about half a pixel.
const MOST_ON_SURFACE: f32 = 16.0;
const MOST_ON_FLOOR: f32 = 32.0;
// The levels in which the shader searches for blockers. Their texels contain the nearest depth and are as wide as the softest edges, so
// that even the thinnest blocker is found.
const SEARCH_ON_SURFACE: i32 = 4;
const SEARCH_ON_FLOOR: i32 = 5;
// The radius of the sharpest edges, in texels. It is large enough to hide the texels.
const LEAST: f32 = 2.5;
// Softness from which and above which edges are sampled in a coarser level of the map. In between, both levels count. There are many
// texels of the map between the points of a wide disc, so each point would show a copy of the edge.
const COARSE_FROM: f32 = 7.0;
const ALL_COARSE: f32 = 9.0;
const COARSE: i32 = 2;
// The number of points in a disc for each kind of receiver, and in the sharpest disc. The outer ones are tested first: they surround the
// inner ones, so an edge reaches them first.
struct Points {
    all: i32,
    inner: i32,
    outer: vec2<f32>,                     // direction of the first outer point
}
const ON_SURFACE: Points = Points(8, 3, vec2<f32>(0.6084389, 0.7936008));
const ON_FLOOR: Points = Points(24, 9, vec2<f32>(-0.9243456, 0.3815564));
const FEW: Points = Points(6, 2, vec2<f32>(0.0874257, -0.9961710));
// A rotation by the golden angle, from one point to the next.
const GOLDEN: vec2<f32> = vec2<f32>(-0.7373689, 0.6754903);

fn turned(v: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(GOLDEN.x * v.x - GOLDEN.y * v.y, GOLDEN.y * v.x + GOLDEN.x * v.y);
}

// Returns the gradient of a plane's depth in the map. This gradient keeps a surface from shadowing itself. The map is twice as deep as it is wide.
// The slope is limited to the slope of planes that the light meets at 10 degrees.
fn depth_slope(normal: vec3<f32>) -> vec2<f32> {
    let n = (globals.shadow_from_world * vec4<f32>(normal, 0.0)).xyz;
    let facing = min(16.0 * n.z, -0.7 * length(n.xy));
    return vec2<f32>(-2.0 * n.x, 2.0 * n.y) / min(facing, -1e-6);
}

// A point on a surface, as the map sees it.
struct Receiver {
    at: vec2<f32>,
    depth: f32,
    slope: vec2<f32>,
}

// Returns the depth of a receiver's plane at an offset. The floor may extend beyond the far end of the map. A depth of 1 in the map means
// that nothing is there.
fn plane(r: Receiver, offset: vec2<f32>) -> f32 {
    return min(r.depth + dot(r.slope, offset), 1.0);
}

// The blockers around a point: the sum of their weights and the sum of their weighted distances.
struct Blockers {
    weight: f32,
    away: f32,
}

// Returns the blocker that a texel of a level contains. `slack` is the change of the plane's depth within half a texel. Blockers that are
// hardly nearer than the plane weigh less, so that the sums do not jump where one appears.
fn blocker(r: Receiver, place: vec2<f32>, cell: vec2<f32>, level: i32, slack: f32, weight: f32) -> Blockers {
    let size = vec2<i32>(textureDimensions(shadow_map, level));
    let found = shadow_depth(clamp(vec2<i32>(cell), vec2<i32>(0), size - 1), level);
    let away = plane(r, (cell + 0.5 - place) / vec2<f32>(size)) - found;
    let w = weight * clamp((away - slack) * 200.0, 0.0, 1.0);
    // The position of the nearest depth within the texel is unknown.
    return Blockers(w, w * (away - 0.5 * slack));
}

fn plus(a: Blockers, b: Blockers) -> Blockers {
    return Blockers(a.weight + b.weight, a.away + b.away);
}

// Returns the blockers in the nine texels around a point, weighted by a quadratic B-spline, so that the sums do not jump when the point
// enters another texel.
fn blockers(r: Receiver, level: i32, slack: f32) -> Blockers {
    let place = r.at * vec2<f32>(textureDimensions(shadow_map, level));
    let cell = floor(place);
    let f = place - cell - 0.5;
    let a = 0.5 * (0.5 - f) * (0.5 - f);
    let b = 0.75 - f * f;
    let c = 0.5 * (0.5 + f) * (0.5 + f);
    var found = blocker(r, place, cell + vec2<f32>(-1.0, -1.0), level, slack, a.x * a.y);
    found = plus(found, blocker(r, place, cell + vec2<f32>(0.0, -1.0), level, slack, b.x * a.y));
    found = plus(found, blocker(r, place, cell + vec2<f32>(1.0, -1.0), level, slack, c.x * a.y));
    found = plus(found, blocker(r, place, cell + vec2<f32>(-1.0, 0.0), level, slack, a.x * b.y));
    found = plus(found, blocker(r, place, cell, level, slack, b.x * b.y));
    found = plus(found, blocker(r, place, cell + vec2<f32>(1.0, 0.0), level, slack, c.x * b.y));
    found = plus(found, blocker(r, place, cell + vec2<f32>(-1.0, 1.0), level, slack, a.x * c.y));
    found = plus(found, blocker(r, place, cell + vec2<f32>(0.0, 1.0), level, slack, b.x * c.y));
    return plus(found, blocker(r, place, cell + vec2<f32>(1.0, 1.0), level, slack, c.x * c.y));
}

fn lit_texel(texel: vec2<i32>, depth: f32) -> f32 {
    return select(0.0, 1.0, depth <= shadow_depth(texel, COARSE));
}

// Returns the value that a comparison sampler would return for the coarse level. WGSL can only load texels of this level.
fn lit_coarsely(at: vec2<f32>, depth: f32) -> f32 {
    let size = vec2<f32>(textureDimensions(shadow_map, COARSE));
    let place = clamp(at * size - 0.5, vec2<f32>(0.0), size - 1.001);
    let first = vec2<i32>(place);
    let f = fract(place);
    let above = mix(lit_texel(first, depth), lit_texel(first + vec2<i32>(1, 0), depth), f.x);
    let below = mix(lit_texel(first + vec2<i32>(0, 1), depth), lit_texel(first + vec2<i32>(1, 1), depth), f.x);
    return mix(above, below, f.y);
}

// Evenly spread points (Vogel 1979): point i of n is at the square root of (i + 0.5) / n, and each is turned by the golden angle.
struct Disc {
    radius: f32,
    points: i32,
    coarse: f32,                          // weight of the coarse level
}

// Returns the number of lit points from one index to another, which is excluded. `begin` is the direction of the first one.
fn lit_points(r: Receiver, disc: Disc, first: i32, end: i32, begin: vec2<f32>) -> f32 {
    // A texel of the coarse level may contain the depth of a point that is up to six texels of the map away.
    let bias = 6.0 * globals.viewport.z * (abs(r.slope.x) + abs(r.slope.y));
    var around = begin;
    var coarse = 0.0;
    // Software drivers execute both sides of every branch, but they skip loops without iterations.
    for (var i = first; i < select(first, end, disc.coarse > 0.0); i++) {
        let offset = disc.radius * sqrt((f32(i) + 0.5) / f32(disc.points)) * around;
        coarse += lit_coarsely(r.at + offset, plane(r, offset) - bias);
        around = turned(around);
    }
    around = begin;
    var fine = 0.0;
    for (var i = first; i < select(first, end, disc.coarse < 1.0); i++) {
        let offset = disc.radius * sqrt((f32(i) + 0.5) / f32(disc.points)) * around;
        fine += lit(r.at + offset, plane(r, offset));
        around = turned(around);
    }
    return mix(fine, coarse, disc.coarse);
}

// Returns 1 in full light and 0 in full shadow. The points are not rotated randomly, because noise would differ between processors. If the
// outer points agree, the inner ones are not tested.
fn soft_light(r: Receiver, most: f32, softest: Points, found: Blockers) -> f32 {
    let texel = globals.viewport.z;
    let away = found.away / max(found.weight, 1e-9);
    let radius = clamp(2.0 * globals.key.w * away, LEAST * texel, most * texel);
    let coarse = clamp((radius / texel - COARSE_FROM) / (ALL_COARSE - COARSE_FROM), 0.0, 1.0);
    var points = softest;
    if found.weight <= 0.0 {
        points = FEW;
    }
    let disc = Disc(radius, points.all, coarse);
    var light = lit_points(r, disc, points.inner, points.all, points.outer);
    var taken = f32(points.all - points.inner);
    // A loop that runs at most once, because software drivers execute both sides of every branch.
    loop {
        if light <= 0.0 || light >= taken {
            break;
        }
        light += lit_points(r, disc, 0, points.inner, vec2<f32>(1.0, 0.0));
        taken = f32(points.all);
        break;
    }
    return light / taken;
}

fn is_beside_map(at: vec3<f32>) -> bool {
    return any(at.xy < vec2<f32>(0.0)) || any(at.xy > vec2<f32>(1.0));
}

fn soft_light_on_surface(world: vec3<f32>, normal: vec3<f32>) -> f32 {
    let at = in_shadow_map(world, normal);
    if is_beside_map(at) {
        return 1.0;
    }
    var light = 0.0;
    // A loop that runs at most once, because software drivers execute both sides of every branch. A surface that faces away from the light is in its
    // own shadow.
    loop {
        if dot(normal, globals.light.xyz) < -0.25 {
            break;
        }
        let r = Receiver(at.xy, at.z - 0.0005, depth_slope(normal));
        // The nearest depth in a texel of the level may belong to the surface itself. Blockers at such a small distance have sharp edges.
        let half = 0.5 / f32(textureDimensions(shadow_map, SEARCH_ON_SURFACE).x);
        let found = blockers(r, SEARCH_ON_SURFACE, half * (abs(r.slope.x) + abs(r.slope.y)));
        light = soft_light(r, MOST_ON_SURFACE, ON_SURFACE, found);
        break;
    }
    return light;
}

// The floor is not in the map, so it cannot shadow itself.
fn soft_light_on_floor(world: vec3<f32>) -> f32 {
    let up = vec3<f32>(0.0, 1.0, 0.0);
    let at = in_shadow_map(world, up);
    if is_beside_map(at) {
        return 1.0;
    }
    let r = Receiver(at.xy, at.z - 0.0005, depth_slope(up));
    let found = blockers(r, SEARCH_ON_FLOOR, 0.0);
    var light = 1.0;
    // A loop that runs at most once, because software drivers execute both sides of every branch.
    loop {
        if found.weight == 0.0 {
            break;
        }
        light = soft_light(r, MOST_ON_FLOOR, ON_FLOOR, found);
        break;
    }
    return light;
}
