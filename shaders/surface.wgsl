// Skinned surfaces in four shading modes.
// #import ambient_occlusion, base_color, environment, extra_maps, fetch_storage | fetch_texture, globals, no_layers | layers
// #import no_toon | toon, normals, punctual, seven_slots | five_slots, shadow_map, skinning, soft_shadow, tone_map, varyings

// These constants are set when a pipeline is created, so that unused features cost nothing.
override MODE: u32 = 0u;
override SHADOWS: bool = false;
// Whether the vertex shader passes on the visibility of the key light.
override VERTEX_SHADOWS: bool = false;
override TONE_MAP: bool = true;
// Whether the light is an environment. Otherwise the light is classic, and `TURNED` states whether it is rotated.
override ENVIRONMENT: bool = false;
override TURNED: bool = false;
// Whether the entry point is `smooth_holes`.
override SMOOTH_HOLES: bool = false;
override METALLIC_ROUGHNESS_MAP: bool = false;
override NORMAL_MAP: bool = false;
override OCCLUSION_MAP: bool = false;
override EMISSIVE_MAP: bool = false;

const SHADED: u32 = 0u;
const LAMBERT: u32 = 1u;
const NORMAL: u32 = 2u;
const MASK: u32 = 3u;

@group(3) @binding(2) var metallic_roughness_map: texture_2d<f32>;
@group(3) @binding(3) var metallic_roughness_sampler: sampler;
@group(3) @binding(4) var normal_map: texture_2d<f32>;
@group(3) @binding(5) var normal_sampler: sampler;
@group(3) @binding(6) var occlusion_map: texture_2d<f32>;
@group(3) @binding(7) var occlusion_sampler: sampler;
@group(3) @binding(8) var emissive_map: texture_2d<f32>;
@group(3) @binding(9) var emissive_sampler: sampler;

// A point of a surface.
struct Surface {
    clip: vec4<f32>,
    normal: vec3<f32>,
    texcoord: vec4<f32>,                  // both sets of texture coordinates
    eye_direction: vec3<f32>,
    scale: f32,                           // of the mesh
    color: vec4<f32>,
    tangent: vec4<f32>,
    light: f32,                           // visibility of the key light. Only with VERTEX_SHADOWS
}

@vertex
fn transform(
    v: Vertex,
    look: VertexSurface,
    @builtin(vertex_index) index: u32,
    @builtin(instance_index) instance: u32,
) -> Varyings {
    let s = skin(v, look.normal, look.tangent.xyz, index, instance);
    var out: Surface;
    out.clip = globals.clip_from_world * vec4<f32>(s.position, 1.0);
    out.normal = s.normal;
    out.texcoord = vec4<f32>(look.texcoord_0, look.texcoord_1);
    out.eye_direction = globals.eye.xyz - s.position;
    out.scale = s.scale;
    out.color = look.color * instance_tint(instance);
    out.tangent = vec4<f32>(s.tangent, look.tangent.w * s.side);
    return varyings_of(out);
}

// Returns the visibility of the key light at a vertex. varyings.wgsl calls this function if the fragment shader reads its result.
fn vertex_light(s: Surface) -> f32 {
    return computed_light(s, s.normal);
}

// Returns the visibility of the key light at a surface. `towards` is the unit normal of the visible side.
fn visible_light(s: Surface, towards: vec3<f32>) -> f32 {
    if VERTEX_SHADOWS {
        // If a triangle does not cover the centre of a pixel, the value there is extrapolated.
        return clamp(s.light, 0.0, 1.0);
    }
    return computed_light(s, towards);
}

fn computed_light(s: Surface, towards: vec3<f32>) -> f32 {
    let world = globals.eye.xyz - s.eye_direction;
    if ENVIRONMENT {
        return soft_light_on_surface(world, towards);
    }
    return key_light_on_surface(world, towards);
}

struct Material {
    albedo: vec3<f32>,
    metallic: f32,
    roughness: f32,
    f0: vec3<f32>,                        // reflectance from the front
    f90: f32,                             // reflectance at grazing angles
    grain: vec4<f32>,                     // xyz: direction along which reflections are stretched; w: strength. Only with ANISOTROPY
}

// The light of the scene that reaches a surface.
struct Lighting {
    key_direction: vec3<f32>,
    key: f32,                             // visibility of the key light
    occlusion: f32,                       // fraction of the light from all directions that the material leaves
    visibility: f32,                      // fraction that other surfaces leave. The darker one counts
    world: vec3<f32>,                     // where the surface is
}

// Returns the fraction of light that reaches the matt base of a surface that reflects the given fraction. A film does not change the colour
// of the light that it lets through.
fn passed(reflected: vec3<f32>) -> vec3<f32> {
    if has(IRIDESCENCE) {
        return vec3<f32>(1.0 - max(reflected.r, max(reflected.g, reflected.b)));
    }
    return 1.0 - reflected;
}

// GGX (Walter et al. 2007) with height-correlated Smith visibility (Heitz 2014) and Schlick's Fresnel, over a Lambert
// base.
fn reflect_light(m: Material, n: vec3<f32>, v: vec3<f32>, l: vec3<f32>) -> vec3<f32> {
    let h = unit_or_zero(v + l);
    let nl = max(dot(n, l), 0.0);
    let nv = max(dot(n, v), 1e-4);
    let nh = max(dot(n, h), 0.0);
    let vh = max(dot(v, h), 0.0);
    let a2 = pow(m.roughness, 4.0);
    let d = a2 / (3.14159265 * pow(nh * nh * (a2 - 1.0) + 1.0, 2.0));
    let visibility = 0.5 / (nl * sqrt(nv * nv * (1.0 - a2) + a2) + nv * sqrt(nl * nl * (1.0 - a2) + a2) + 1e-5);
    var mirrored = d * visibility;
    if has(ANISOTROPY) && m.grain.w > 0.0 {
        mirrored = stretched_ggx(m, n, v, l);
    }
    let grazing = (1.0 - vh) * (1.0 - vh);
    let fresnel = m.f0 + (m.f90 - m.f0) * (grazing * grazing * (1.0 - vh));
    let diffuse = passed(fresnel) * (1.0 - m.metallic) * m.albedo / 3.14159265;
    return (diffuse + fresnel * mirrored) * nl;
}

// Ambient light: a bright ceiling, a warm floor, and two soft boxes that smooth surfaces reflect.
fn studio(direction: vec3<f32>, roughness: f32) -> vec3<f32> {
    let up = direction.y * 0.5 + 0.5;
    let gradient = mix(vec3<f32>(0.34, 0.32, 0.30), vec3<f32>(0.84, 0.88, 0.95), smoothstep(0.0, 1.0, up));
    let sharp = mix(24.0, 2.0, roughness);
    let key_box = pow(max(dot(direction, globals.light.xyz), 0.0), sharp) * mix(2.2, 0.25, roughness);
    var still = direction;
    if TURNED {
        still = in_environment(direction);
    }
    let rim_box = pow(max(dot(still, normalize(vec3<f32>(-0.7, 0.35, -0.6))), 0.0), sharp) * mix(1.4, 0.15, roughness);
    return gradient + key_box + rim_box;
}

// The environment term of a split sum (Karis 2014, "Physically based shading on mobile", after Lazarov 2013).
fn environment_brdf(f0: vec3<f32>, f90: f32, roughness: f32, nv: f32) -> vec3<f32> {
    let r = roughness * vec4<f32>(-1.0, -0.0275, -0.572, 0.022) + vec4<f32>(1.0, 0.0425, 1.04, -0.04);
    let a004 = min(r.x * r.x, exp2(-9.28 * nv)) * r.x + r.y;
    let scale_bias = vec2<f32>(-1.04, 1.04) * a004 + r.zw;
    return f0 * scale_bias.x + f90 * scale_bias.y;
}

// Returns the fraction of light from all directions that a surface reflects before it reaches the matt base. The environment term
// is corrected for light that is reflected several times between the facets of a rough surface (Fdez-Agüera 2019), so that a
// white surface under constant light returns all of it.
fn reflected_share(m: Material, nv: f32) -> vec3<f32> {
    let whole = environment_brdf(vec3<f32>(1.0), 1.0, m.roughness, nv).x;
    let once = environment_brdf(m.f0, m.f90, m.roughness, nv);
    return once * (1.0 + m.f0 * (1.0 / whole - 1.0));
}

// Returns the light that a surface reflects in an environment. The key light is part of the environment for reflections, but not for
// matt surfaces, on which it casts shadows.
fn in_surroundings(m: Material, n: vec3<f32>, v: vec3<f32>, nv: f32, l: Lighting) -> vec3<f32> {
    let share = reflected_share(m, nv);
    let matt = m.albedo * (1.0 - m.metallic) * passed(share);
    let key_light = globals.key.rgb * (l.key * max(dot(n, globals.light.xyz), 0.0));
    let matt_light = irradiance(in_environment(n));
    let mirrored = reflected(in_environment(mirror_direction(m, n, v)), m.roughness);
    if AMBIENT_OCCLUSION {
        let open = min(vec3<f32>(l.occlusion), with_bounces(l.visibility, m.albedo));
        let open_mirror = min(l.occlusion, specular_visibility(l.visibility, nv, m.roughness));
        return matt * (key_light + matt_light * open) + share * mirrored * open_mirror;
    }
    return matt * (key_light + matt_light * l.occlusion) + share * mirrored * l.occlusion;
}

fn mirror_direction(m: Material, n: vec3<f32>, v: vec3<f32>) -> vec3<f32> {
    if has(ANISOTROPY) {
        return reflect(-v, bent_normal(m, n, v));
    }
    return reflect(-v, n);
}

// Returns the light that a surface reflects in classic light: a key light, a fill light, and ambient light.
fn in_classic_light(m: Material, n: vec3<f32>, v: vec3<f32>, nv: f32, l: Lighting) -> vec3<f32> {
    let ambient = m.albedo * (1.0 - m.metallic) * studio(n, 1.0) * 0.42;
    let mirror = environment_brdf(m.f0, m.f90, m.roughness, nv) * studio(mirror_direction(m, n, v), m.roughness) * 0.62;
    let lit = reflect_light(m, n, v, l.key_direction) * vec3<f32>(1.0, 0.97, 0.92) * (2.6 * l.key)
        + reflect_light(m, n, v, fill_direction()) * vec3<f32>(0.80, 0.88, 1.0) * 0.55;
    return lit + (ambient + mirror) * l.occlusion;
}

fn fill_direction() -> vec3<f32> {
    let direction = normalize(vec3<f32>(-0.75, 0.25, 0.6));
    if TURNED {
        return from_environment(direction);
    }
    return direction;
}

// Returns the light that a surface reflects in the light of the scene.
fn lit_surface(m: Material, n: vec3<f32>, v: vec3<f32>, nv: f32, l: Lighting) -> vec3<f32> {
    if ENVIRONMENT {
        var all = in_surroundings(m, n, v, nv, l);
        if PUNCTUAL_LIGHTS {
            for (var i = 0u; i < u32(globals.grid.z); i++) {
                let light = receive(i, l.world);
                all += reflect_light(m, n, v, light.towards) * light.color;
            }
        }
        return all;
    }
    return in_classic_light(m, n, v, nv, l);
}

// The light behind a surface, and the fraction of it that reaches the surface.
struct Behind {
    color: vec4<f32>,
    absorbed: vec3<f32>,
}

// The look of a surface: its own light, and the fraction of the light behind it that passes through it.
struct Look {
    light: vec3<f32>,
    passed: vec3<f32>,
    behind: vec4<f32>,
}

// `side` is 1 if the outer side is visible, otherwise -1. The normal map is applied to the outward normal, and the
// result is then multiplied by `side`.
fn shade(in: Surface, albedo: vec3<f32>, outward: vec3<f32>, side: f32) -> Look {
    let towards = outward * side;
    var n = towards;
    if NORMAL_MAP {
        let texel = look_up(normal_map, normal_sampler, 2u, in.texcoord).xyz;
        n = mapped_normal(in, outward, 2u, texel, material.emissive_normal_scale.w) * side;
    }
    let v = unit_or_zero(in.eye_direction);
    var m = Material(albedo, material.surface.x, material.surface.y, vec3<f32>(0.0), 1.0, vec4<f32>(0.0));
    if METALLIC_ROUGHNESS_MAP {
        let s = look_up(metallic_roughness_map, metallic_roughness_sampler, 1u, in.texcoord);
        m.roughness *= s.g;
        m.metallic *= s.b;
    }
    if has(GLOSSINESS) {
        m.roughness = 1.0 - (1.0 - m.roughness) * extra_map(SPECULAR_COLOR_MAP, in.texcoord).a;
    }
    m.roughness = clamp(m.roughness, 0.05, 1.0);
    m.metallic = clamp(m.metallic, 0.0, 1.0);
    if ENVIRONMENT {
        m.roughness = widened(m.roughness, n);
    }
    var dielectric = material.dielectric;
    if SPECULAR_MAP != 0u || SPECULAR_COLOR_MAP != 0u {
        let color = material.specular.rgb * extra_map(SPECULAR_COLOR_MAP, in.texcoord).rgb;
        dielectric.w *= extra_map(SPECULAR_MAP, in.texcoord).a;
        dielectric = vec4<f32>(min(color, vec3<f32>(1.0)) * dielectric.w, dielectric.w);
    }
    m.f0 = mix(dielectric.rgb, m.albedo, m.metallic);
    m.f90 = 1.0 - (1.0 - dielectric.w) * (1.0 - m.metallic);
    var occlusion = 1.0;
    if OCCLUSION_MAP {
        let s = look_up(occlusion_map, occlusion_sampler, 3u, in.texcoord).r;
        occlusion = mix(1.0, s, material.surface.z);
    }
    var emissive = material.emissive_normal_scale.rgb;
    if EMISSIVE_MAP {
        emissive *= look_up(emissive_map, emissive_sampler, 4u, in.texcoord).rgb;
    }
    var key = 1.0;
    let world = globals.eye.xyz - in.eye_direction;
    if SHADOWS {
        key = visible_light(in, towards);
    }
    var visibility = 1.0;
    if AMBIENT_OCCLUSION {
        visibility = ambient_visibility(world, towards, unit_or_zero(cross(dpdy(world), dpdx(world))));
    }
    let nv = max(dot(n, v), 1e-4);
    if has(ANISOTROPY) {
        m.grain = grain(in, outward, n);
    }
    if has(IRIDESCENCE) {
        m = with_film(m, in.texcoord, nv);
    }
    let lighting = Lighting(globals.light.xyz, key, occlusion, visibility, world);
    var look = Look(vec3<f32>(0.0), vec3<f32>(0.0), vec4<f32>(0.0));
    if has(TRANSMISSION) {
        let share = transmitted_share(in.texcoord);
        let seen = behind(in, n, v, m.roughness);
        look.behind = seen.color;
        look.passed = passed(reflected_share(m, nv)) * (share * (1.0 - m.metallic)) * m.albedo * seen.absorbed;
        m.albedo *= 1.0 - share;
    }
    look.light = lit_surface(m, n, v, nv, lighting);
    if has(SHEEN) {
        look = with_sheen(look, in.texcoord, n, v, nv, lighting);
    }
    look.light += emissive;
    if has(CLEARCOAT) {
        look = with_clearcoat(look, in, outward, side, v, lighting);
    }
    return look;
}

@fragment
fn surface(varyings: Varyings, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    return painted(surface_of(varyings), front);
}

// Returns the colour of a fragment with premultiplied alpha, as the target stores it.
fn painted(vertex: Surface, front: bool) -> vec4<f32> {
    if MODE == MASK {
        return vec4<f32>(1.0);
    }
    var in = vertex;
    if has(MOVING_TEXTURES) {
        in.texcoord = moved_texcoord(in.texcoord);
    }
    let normal = outside_normal(in, front);
    let color = base_color(in.color, in.texcoord);
    if !SMOOTH_HOLES && is_cut_out(color.a) {
        discard;
    }
    if MODE == NORMAL {
        return vec4<f32>(normal * 0.5 + 0.5, 1.0);
    }
    let cover = select(1.0, clamp(color.a, 0.0, 1.0), has(ALPHA_BLEND));
    var alpha = cover;
    let side = select(-1.0, 1.0, front);
    var out = color.rgb;
    if MODE == LAMBERT {
        let light = max(dot(normal * side, normalize(vec3<f32>(0.4, 0.8, 0.6))), 0.0);
        out = clamp(color.rgb * (0.3 + 0.8 * light), vec3<f32>(0.0), vec3<f32>(1.0));
    } else if has(TOON) {
        out = toon_color(in, color.rgb, normal, side);
    } else if !has(UNLIT) {
        let look = shade(in, color.rgb, normal, side);
        out = look.light * globals.environment.z;
        if has(TRANSMISSION) {
            out += look.passed * look.behind.rgb;
        }
        if TONE_MAP {
            out = tone_map(out);
        }
        if has(TRANSMISSION) {
            // The background is not light, so it keeps its colour. If it is unknown, it is blended, and only its brightness changes.
            let clear = look.passed * (1.0 - look.behind.a);
            out += clear * globals.background.rgb;
            let opacity = 1.0 - dot(clear, vec3<f32>(1.0 / 3.0)) * (1.0 - globals.background.w);
            alpha = cover * max(opacity, min(max(out.r, max(out.g, out.b)), 1.0));
        }
    }
    // Premultiplied alpha: the background contributes 1 − alpha.
    return stored(vec4<f32>(out * cover, alpha));
}
