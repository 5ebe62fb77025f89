// Visibility of the key light.
// #import compared_depth | sampled_depth, globals

// Returns the position of a point in the map, and its depth. The offset along the normal is more than the width of a texel, so that a
// surface does not shadow itself.
fn in_shadow_map(world: vec3<f32>, normal: vec3<f32>) -> vec3<f32> {
    let clip = globals.shadow_from_world * vec4<f32>(world + normal * globals.viewport.w, 1.0);
    return vec3<f32>(clip.xy * vec2<f32>(0.5, -0.5) + 0.5, clip.z);
}

fn is_outside(at: vec3<f32>) -> bool {
    return any(at.xy < vec2<f32>(0.0)) || any(at.xy > vec2<f32>(1.0)) || at.z > 1.0;
}

// The functions below return 1 in full light and 0 in full shadow: the mean of samples in a disc around a point. The samples are evenly
// spread (Vogel 1979): sample i is at radius sqrt((i + 0.5) / n) and angle 2.4 i. The outer samples are taken first. The edge of a shadow
// cannot reach the inner samples without crossing the outer ones, so the inner ones are not needed if the outer ones agree. This is a loop
// because software drivers execute both sides of every branch. The numbers are constants because the drivers would otherwise compute sines
// and cosines for each pixel.

// 8 samples in a disc whose radius is 2.5 texels.
fn key_light_on_surface(world: vec3<f32>, normal: vec3<f32>) -> f32 {
    let at = in_shadow_map(world, normal);
    if is_outside(at) {
        return 1.0;
    }
    let uv = at.xy;
    let depth = at.z - 0.0005;
    let scale = 2.5 * globals.viewport.z;
    var light = 0.0;
    light += lit(uv + scale * vec2<f32>(0.4024445, 0.5249175), depth);
    light += lit(uv + scale * vec2<f32>(-0.7385351, -0.1306364), depth);
    light += lit(uv + scale * vec2<f32>(0.6996049, -0.4450315), depth);
    light += lit(uv + scale * vec2<f32>(-0.2340040, 0.8704838), depth);
    light += lit(uv + scale * vec2<f32>(-0.4462715, -0.8592682), depth);
    var taken = 5.0;
    loop {
        if light <= 0.0 || light >= taken || taken == 8.0 {
            break;
        }
        light += lit(uv + scale * vec2<f32>(0.2500000, 0.0000000), depth);
        light += lit(uv + scale * vec2<f32>(-0.3192901, 0.2924959), depth);
        light += lit(uv + scale * vec2<f32>(0.0488724, -0.5568765), depth);
        taken = 8.0;
    }
    return light / taken;
}

// 16 samples in a disc whose radius is 5 texels.
fn key_light_on_floor(world: vec3<f32>) -> f32 {
    let at = in_shadow_map(world, vec3<f32>(0.0, 1.0, 0.0));
    if is_outside(at) {
        return 1.0;
    }
    let uv = at.xy;
    let depth = at.z - 0.0005;
    let scale = 5.0 * globals.viewport.z;
    var light = 0.0;
    light += lit(uv + scale * vec2<f32>(0.6846422, 0.2500301), depth);
    light += lit(uv + scale * vec2<f32>(-0.7122560, 0.2940091), depth);
    light += lit(uv + scale * vec2<f32>(0.3433543, -0.7337287), depth);
    light += lit(uv + scale * vec2<f32>(0.2537305, 0.8089319), depth);
    light += lit(uv + scale * vec2<f32>(-0.7647461, -0.4431856), depth);
    light += lit(uv + scale * vec2<f32>(0.8971339, -0.1972327), depth);
    light += lit(uv + scale * vec2<f32>(-0.5475066, 0.7787725), depth);
    light += lit(uv + scale * vec2<f32>(-0.1264872, -0.9760896), depth);
    var taken = 8.0;
    loop {
        if light <= 0.0 || light >= taken || taken == 16.0 {
            break;
        }
        light += lit(uv + scale * vec2<f32>(0.1767767, 0.0000000), depth);
        light += lit(uv + scale * vec2<f32>(-0.2257722, 0.2068258), depth);
        light += lit(uv + scale * vec2<f32>(0.0345580, -0.3937712), depth);
        light += lit(uv + scale * vec2<f32>(0.2845713, 0.3711727), depth);
        light += lit(uv + scale * vec2<f32>(-0.5222232, -0.0923739), depth);
        light += lit(uv + scale * vec2<f32>(0.4946953, -0.3146848), depth);
        light += lit(uv + scale * vec2<f32>(-0.1654658, 0.6155250), depth);
        light += lit(uv + scale * vec2<f32>(-0.3155616, -0.6075943), depth);
        taken = 16.0;
    }
    return light / taken;
}
