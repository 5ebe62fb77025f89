// Layers over the surface: fibres that shine at grazing angles, and clear varnish.
// #import anisotropy, base_color, environment, extra_maps, globals, normals, seven_slots | five_slots, surface, thin_film, transmission

// Light reflected by fibres that stand on a surface: the "Charlie" distribution and shadowing of Estevez & Kulla 2017 ("Production Friendly
// Microfacet Sheen BRDF"). The result includes the cosine of the light's angle.
fn reflect_by_fibres(roughness: f32, n: vec3<f32>, v: vec3<f32>, nv: f32, l: vec3<f32>) -> f32 {
    let nl = max(dot(n, l), 1e-4);
    let nh = max(dot(n, unit_or_zero(v + l)), 0.0);
    let a = roughness * roughness;
    let d = (2.0 + 1.0 / a) * pow(max(1.0 - nh * nh, 1e-6), 0.5 / a) / (2.0 * 3.14159265);
    // Without the bound on visibility, the light would not fade to zero where it grazes the surface.
    let visibility = min(1.0 / ((1.0 + fibre_shadow(nv, a) + fibre_shadow(nl, a)) * 4.0 * nl * nv), 1.0);
    return d * visibility * max(dot(n, l), 0.0);
}

fn fibre_shadow(cosine: f32, a: f32) -> f32 {
    let at_half = fibre_shadow_fit(0.5, a);
    let near = fibre_shadow_fit(min(cosine, 1.0 - cosine), a);
    return exp(select(2.0 * at_half - near, near, cosine < 0.5));
}

// Both rows are the fit of the paper, for rough and for smooth fibres.
fn fibre_shadow_fit(x: f32, a: f32) -> f32 {
    let t = (1.0 - a) * (1.0 - a);
    let p = mix(vec4<f32>(21.5473, 3.82987, 0.19823, -1.97760), vec4<f32>(25.3245, 3.32435, 0.16801, -1.27393), t);
    let e = mix(-4.32054, -4.85967, t);
    return p.x / (1.0 + p.y * pow(max(x, 1e-4), p.z)) + p.w * x + e;
}

// The fraction of the light from all directions that white fibres reflect. The logarithm is a polynomial in roughness and cosine, fitted to
// integrals of `reflect_by_fibres` by least squares, with 21 by 26 samples of roughness from 0.15 to 1 and cosine from 0.02 to 1. The
// largest error is 0.028, and the root mean square error is 0.006.
fn fibre_albedo(roughness: f32, nv: f32) -> f32 {
    let r = vec4<f32>(1.0, roughness, roughness * roughness, roughness * roughness * roughness);
    let c = vec4<f32>(
        dot(r, vec4<f32>(0.878, -5.799, 8.891, -4.225)),
        dot(r, vec4<f32>(-12.501, 40.197, -52.815, 23.717)),
        dot(r, vec4<f32>(-1.149, 2.064, 4.786, -5.962)),
        dot(r, vec4<f32>(2.851, -16.268, 22.120, -8.578)),
    );
    return min(exp(c.x + nv * (c.y + nv * (c.z + nv * c.w))), 1.0);
}

// Adds the light of fibres to the light of the surface below, which receives only the light that the fibres let through.
fn with_sheen(
    below: Look,
    texcoord: vec4<f32>,
    n: vec3<f32>,
    v: vec3<f32>,
    nv: f32,
    l: Lighting,
) -> Look {
    var color = material.sheen.rgb;
    var roughness = material.sheen.w;
    if SHEEN_COLOR_MAP != 0u {
        color *= extra_map(SHEEN_COLOR_MAP, texcoord).rgb;
    }
    if SHEEN_ROUGHNESS_MAP != 0u {
        roughness *= extra_map(SHEEN_ROUGHNESS_MAP, texcoord).a;
    }
    // Fibres smoother than this shine only at grazing angles, along an edge that is too thin to see.
    roughness = clamp(roughness, 0.15, 1.0);
    let albedo = fibre_albedo(roughness, nv);
    let key = reflect_by_fibres(roughness, n, v, nv, l.key_direction) * l.key;
    var light = vec3<f32>(0.0);
    if ENVIRONMENT {
        // Fibres are so rough that they collect light like a matt surface. `globals.key` is divided by pi.
        light = globals.key.rgb * (3.14159265 * key) + irradiance(in_environment(n)) * (albedo * min(l.occlusion, l.visibility));
    } else {
        light = vec3<f32>(1.0, 0.97, 0.92) * (2.6 * key)
            + vec3<f32>(0.80, 0.88, 1.0) * (0.55 * reflect_by_fibres(roughness, n, v, nv, fill_direction()))
            + studio(n, 1.0) * (0.42 * albedo * l.occlusion);
    }
    let passed = 1.0 - max(color.r, max(color.g, color.b)) * albedo;
    return Look(below.light * passed + color * light, below.passed * passed, below.behind);
}

// Adds the reflection of a layer of varnish, and removes the reflected part from the light below. A layer without its own normal map is
// smooth even if the surface below is not.
fn with_clearcoat(
    below: Look,
    in: Surface,
    outward: vec3<f32>,
    side: f32,
    v: vec3<f32>,
    l: Lighting,
) -> Look {
    var cover = material.clearcoat.x;
    var roughness = material.clearcoat.y;
    if CLEARCOAT_MAP != 0u {
        cover *= extra_map(CLEARCOAT_MAP, in.texcoord).r;
    }
    if CLEARCOAT_ROUGHNESS_MAP != 0u {
        roughness *= extra_map(CLEARCOAT_ROUGHNESS_MAP, in.texcoord).g;
    }
    var n = outward * side;
    if CLEARCOAT_NORMAL_MAP != 0u {
        let texel = extra_map(CLEARCOAT_NORMAL_MAP, in.texcoord).xyz;
        n = mapped_normal(in, outward, slot_map(CLEARCOAT_NORMAL_MAP), texel, material.clearcoat.z) * side;
    }
    // Varnish has an index of refraction of 1.5.
    roughness = clamp(roughness, 0.05, 1.0);
    if ENVIRONMENT {
        roughness = widened(roughness, n);
    }
    let coat = Material(vec3<f32>(0.0), 0.0, roughness, vec3<f32>(0.04), 1.0, vec4<f32>(0.0));
    let nv = max(dot(n, v), 1e-4);
    let passed = 1.0 - cover * reflected_share(coat, nv);
    let light = below.light * passed + cover * lit_surface(coat, n, v, nv, l);
    return Look(light, below.passed * passed, below.behind);
}
