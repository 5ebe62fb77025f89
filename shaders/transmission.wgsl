// The view through a surface: a copy of the rest of the scene, refracted, blurred and absorbed.
// #import base_color, environment, extra_maps, globals, layers, seven_slots | five_slots, surface

// The scene without surfaces that transmit light, before the tone map: linear light with premultiplied alpha.
@group(2) @binding(5) var backdrop: texture_2d<f32>;

// The fraction of light that passes through the surface instead of being scattered below it.
fn transmitted_share(texcoord: vec4<f32>) -> f32 {
    var share = material.anisotropy.w;
    if TRANSMISSION_MAP != 0u {
        share *= extra_map(TRANSMISSION_MAP, texcoord).r;
    }
    return share;
}

// Returns the light of the backdrop at the point where a ray leaves the volume. The camera sees this point, so the ray need not be
// followed further.
fn look_behind(world: vec3<f32>, ray: vec3<f32>, level: f32) -> vec4<f32> {
    var clip = globals.clip_from_world * vec4<f32>(world + ray, 1.0);
    if clip.w <= 0.0 {
        clip = globals.clip_from_world * vec4<f32>(world, 1.0);
    }
    let at = clip.xy / clip.w * vec2<f32>(0.5, -0.5) + 0.5;
    return textureSampleLevel(backdrop, environment_sampler, at, level);
}

// Returns the light behind a point of the surface, and the fraction of it that the volume lets through. A surface without a volume is a
// thin wall, which does not refract.
fn behind(in: Surface, n: vec3<f32>, v: vec3<f32>, roughness: f32) -> Behind {
    let world = globals.eye.xyz - in.eye_direction;
    var thickness = material.volume.w * in.scale;
    if THICKNESS_MAP != 0u {
        thickness *= extra_map(THICKNESS_MAP, in.texcoord).g;
    }
    let ior = max(material.specular.w, 1.0);
    // Light is scattered less where it is refracted less.
    let blur = roughness * clamp(2.0 * ior - 2.0, 0.0, 1.0);
    let level = log2(max(globals.viewport.x, globals.viewport.y)) * blur;
    let absorbed = exp(-material.volume.rgb * thickness);
    var color = look_behind(world, refract(-v, n, 1.0 / ior) * thickness, level);
    if has(DISPERSION) {
        // Red is refracted less and blue more (KHR_materials_dispersion).
        let spread = (ior - 1.0) * 0.025 * material.clearcoat.w;
        color.r = look_behind(world, refract(-v, n, 1.0 / max(ior - spread, 1.0)) * thickness, level).r;
        color.b = look_behind(world, refract(-v, n, 1.0 / (ior + spread)) * thickness, level).b;
    }
    return Behind(color, absorbed);
}
