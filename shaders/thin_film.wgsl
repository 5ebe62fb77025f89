// A thin film over the surface, with a colour that depends on the angle: Belcour & Barla 2017 ("A Practical Extension to Microfacet
// Theory for the Modeling of Varying Iridescence"), with the simplifications of KHR_materials_iridescence.
// #import base_color, extra_maps, layers, seven_slots | five_slots, surface

fn schlick(f0: vec3<f32>, cosine: f32) -> vec3<f32> {
    let away = 1.0 - cosine;
    return f0 + (1.0 - f0) * (away * away * (away * away) * away);
}

// The Fourier transform of the eye's sensitivities at an optical path difference in nanometres, as linear RGB.
fn sensitivity(path: f32, shift: vec3<f32>) -> vec3<f32> {
    let phase = 2.0 * 3.14159265 * path * 1e-9;
    let square = phase * phase;
    let position = vec3<f32>(1.6810e6, 1.7953e6, 2.2084e6);
    let variance = vec3<f32>(4.3278e9, 9.3046e9, 6.6121e9);
    // The heights from the paper, multiplied by sqrt(2 pi * variance) and divided by the integral of y.
    let height = vec3<f32>(0.84659, 1.00022, 1.00112);
    var xyz = height * cos(position * phase + shift) * exp(-variance * square);
    xyz.x += 0.15387 * cos(2.2399e6 * phase + shift.x) * exp(-4.5282e9 * square);
    return mat3x3<f32>(
        vec3<f32>(3.2404542, -0.9692660, 0.0556434),
        vec3<f32>(-1.5371385, 1.8760108, -0.2040259),
        vec3<f32>(-0.4985314, 0.0415560, 1.0572252),
    ) * xyz;
}

// The fraction of light that a film over a surface reflects. Its thickness is in nanometres.
fn reflected_by_film(ior: f32, thickness: f32, cosine: f32, base_f0: vec3<f32>) -> vec3<f32> {
    // A film that becomes infinitely thin disappears.
    let eta = mix(1.0, ior, smoothstep(0.0, 0.03, thickness));
    let below = 1.0 - (1.0 - cosine * cosine) / (eta * eta);
    let cosine_below = sqrt(max(below, 0.0));
    let first_f0 = (eta - 1.0) / (eta + 1.0);
    let first = schlick(vec3<f32>(first_f0 * first_f0), cosine).x;
    let through = 1.0 - first;
    let root = sqrt(clamp(base_f0, vec3<f32>(0.0), vec3<f32>(0.9999)));
    let base_ior = (1.0 + root) / (1.0 - root);
    let second_root = (base_ior - eta) / (base_ior + eta);
    let second = schlick(second_root * second_root, cosine_below);
    // The phase shifts of both reflections inside the film.
    let shift = 3.14159265 + select(vec3<f32>(0.0), vec3<f32>(3.14159265), base_ior < vec3<f32>(eta));
    let path = 2.0 * eta * thickness * cosine_below;
    let both = clamp(first * second, vec3<f32>(1e-5), vec3<f32>(0.9999));
    let amplitude = sqrt(both);
    let between = through * through * second / (1.0 - both);
    let wave = (between - through) * amplitude;
    let sum = first + between
        + wave * (2.0 * sensitivity(path, shift))
        + wave * amplitude * (2.0 * sensitivity(2.0 * path, 2.0 * shift));
    return max(sum, vec3<f32>(0.0));
}

// Replaces the reflectance of a surface with the reflectance of its film at the camera's angle. The reflectance at normal incidence is then
// derived from that value.
fn with_film(base: Material, texcoord: vec4<f32>, nv: f32) -> Material {
    let film = material.iridescence;
    var m = base;
    var cover = film.x;
    var thickness = film.w;
    if IRIDESCENCE_MAP != 0u {
        cover *= extra_map(IRIDESCENCE_MAP, texcoord).r;
    }
    if IRIDESCENCE_THICKNESS_MAP != 0u {
        thickness = mix(film.z, film.w, extra_map(IRIDESCENCE_THICKNESS_MAP, texcoord).g);
    }
    let cosine = clamp(nv, 0.0, 1.0);
    let away = 1.0 - cosine;
    let grazing = min(away * away * (away * away) * away, 0.9999);
    let seen = reflected_by_film(film.y, thickness, cosine, base.f0);
    let f0 = clamp((seen - grazing) / (1.0 - grazing), vec3<f32>(0.0), vec3<f32>(1.0));
    m.f0 = mix(base.f0, f0, cover);
    m.f90 = mix(base.f90, 1.0, cover);
    return m;
}
