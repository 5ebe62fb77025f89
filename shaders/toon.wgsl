// MToon: shading in two colours, rim light, matcap, outlines and moving textures (VRMC_materials_mtoon 1.0).
// #import base_color, environment, extra_maps, fetch_storage | fetch_texture, globals, normals, seven_slots | five_slots, skinning
// #import surface, varyings

// In classic light, the fraction of the light that comes from all directions.
const CLASSIC_AMBIENT: f32 = 0.2;

// Applies the motion of textures to both sets of texture coordinates: a rotation about the middle, then an offset.
fn moved_texcoord(texcoord: vec4<f32>) -> vec4<f32> {
    return moved_by(texcoord, extra_map(UV_MASK_MAP, texcoord).b, material.uv_motion);
}

fn moved_by(texcoord: vec4<f32>, mask: f32, motion: vec4<f32>) -> vec4<f32> {
    let c = cos(motion.z * mask);
    let s = sin(motion.z * mask);
    let turn = mat2x2<f32>(vec2<f32>(c, -s), vec2<f32>(s, c));
    let offset = motion.xy * mask + 0.5;
    return vec4<f32>(turn * (texcoord.xy - 0.5) + offset, turn * (texcoord.zw - 0.5) + offset);
}

// The light that falls on a toon surface.
struct ToonLight {
    key: vec3<f32>,
    ambient: vec3<f32>,
}

fn toon_light(n: vec3<f32>) -> ToonLight {
    if ENVIRONMENT {
        let everywhere = 0.5 * (irradiance(vec3<f32>(0.0, 1.0, 0.0)) + irradiance(vec3<f32>(0.0, -1.0, 0.0)));
        let ambient = mix(irradiance(in_environment(n)), everywhere, material.toon.y);
        return ToonLight(globals.key.rgb * globals.environment.w, ambient * globals.environment.w);
    }
    return ToonLight(vec3<f32>(1.0 - CLASSIC_AMBIENT), vec3<f32>(CLASSIC_AMBIENT));
}

// Returns the lit fraction of a surface, from 0 to 1, for the cosine of the angle between the normal and the light.
fn toon_ramp(cosine: f32, shift: f32, toony: f32) -> f32 {
    // A ramp without width would have an infinite slope.
    return clamp((cosine + shift + 1.0 - toony) / max(2.0 - 2.0 * toony, 1e-4), 0.0, 1.0);
}

// Returns the matcap and the rim light.
fn toon_rim(in: Surface, n: vec3<f32>, v: vec3<f32>, light: ToonLight) -> vec3<f32> {
    let edge = clamp(1.0 - dot(n, v) + material.toon.z, 0.0, 1.0);
    var rim = material.rim.rgb * pow(edge, max(material.rim.w, 1e-5));
    if MATCAP_MAP != 0u {
        let across = unit_or_zero(vec3<f32>(v.z, 0.0, -v.x));
        let up = cross(v, across);
        // The margin keeps the edge of the texture out of sight. Texture coordinates begin at the top.
        let at = vec2<f32>(dot(across, n), -dot(up, n)) * 0.495 + 0.5;
        rim += material.matcap.rgb * extra_map(MATCAP_MAP, vec4<f32>(at, at)).rgb;
    }
    rim *= extra_map(RIM_MAP, in.texcoord).rgb;
    return rim * mix(vec3<f32>(1.0), light.key + light.ambient, material.toon.w);
}

// Returns the colour of a surface with a base colour. `side` is 1 if the outer side is visible, otherwise -1. Colours are not tone
// mapped, because MToon shows the colours that the artist chose.
fn toon_color(in: Surface, base: vec3<f32>, outward: vec3<f32>, side: f32) -> vec3<f32> {
    let towards = outward * side;
    var n = towards;
    if NORMAL_MAP {
        let texel = look_up(normal_map, normal_sampler, 2u, in.texcoord).xyz;
        n = mapped_normal(in, outward, 2u, texel, material.emissive_normal_scale.w) * side;
    }
    var lit = 1.0;
    if SHADOWS {
        lit = visible_light(in, towards);
    }
    var shift = material.shade.w;
    if SHADING_SHIFT_MAP != 0u {
        shift += extra_map(SHADING_SHIFT_MAP, in.texcoord).r * material.matcap.w;
    }
    lit *= toon_ramp(dot(n, globals.light.xyz), shift, material.toon.x);
    var emissive = material.emissive_normal_scale.rgb;
    if EMISSIVE_MAP {
        emissive *= look_up(emissive_map, emissive_sampler, 4u, in.texcoord).rgb;
    }
    let light = toon_light(n);
    let shade = material.shade.rgb * extra_map(SHADE_MAP, in.texcoord).rgb;
    let color = mix(shade, base, lit) * light.key + base * light.ambient + emissive;
    let out = (color + toon_rim(in, n, unit_or_zero(in.eye_direction), light)) * globals.environment.z;
    if TONE_MAP {
        return clamp(out, vec3<f32>(0.0), vec3<f32>(1.0));
    }
    return out;
}

// Returns the texture coordinates of a map in the vertex shader.
fn vertex_uv(map: u32, texcoord: vec4<f32>) -> vec2<f32> {
    let t = part.uv[map];
    let coordinate = select(texcoord.xy, texcoord.zw, t.offset_set.z > 0.5);
    return t.linear.xy * coordinate.x + t.linear.zw * coordinate.y + t.offset_set.xy;
}

// Samples the texture in a slot at a vertex, or returns white for slot 0.
fn vertex_map(slot: u32, texcoord: vec4<f32>) -> vec4<f32> {
    let uv = vertex_uv(select(0u, 4u + slot, slot != 0u), texcoord);
    return extra_map_at(slot, uv);
}

// Moves a surface outwards by the width of its outline. Only the back faces of the result are drawn.
@vertex
fn transform_outline(
    v: Vertex,
    look: VertexSurface,
    @builtin(vertex_index) index: u32,
    @builtin(instance_index) instance: u32,
) -> Varyings {
    let s = skin(v, look.normal, look.tangent.xyz, index, instance);
    var out: Surface;
    out.normal = s.normal;
    out.texcoord = vec4<f32>(look.texcoord_0, look.texcoord_1);
    var texcoord = out.texcoord;
    if has(MOVING_TEXTURES) {
        texcoord = moved_by(texcoord, vertex_map(UV_MASK_MAP, texcoord).b, part.uv_motion);
    }
    let width = part.outline_width.xy * vertex_map(OUTLINE_WIDTH_MAP, texcoord).g;
    let position = s.position + s.normal * width.x;
    out.clip = globals.clip_from_world * vec4<f32>(position, 1.0);
    // The direction in which the normal points in the image, in pixels.
    let normal = globals.clip_from_world * vec4<f32>(s.normal, 0.0);
    let direction = (normal.xy * out.clip.w - out.clip.xy * normal.w) * globals.viewport.xy;
    let unit = direction * inverseSqrt(max(dot(direction, direction), 1e-30));
    let pixels = unit * (width.y * globals.viewport.y);
    let offset = 2.0 * pixels / globals.viewport.xy * out.clip.w;
    // Where the outline and the surface coincide, the outline is moved slightly behind the surface.
    out.clip = vec4<f32>(out.clip.xy + offset, out.clip.z + 1e-6 * out.clip.w, out.clip.w);
    out.eye_direction = globals.eye.xyz - position;
    out.color = look.color * instance_tint(instance);
    out.tangent = vec4<f32>(s.tangent, look.tangent.w * s.side);
    return varyings_of(out);
}

@fragment
fn outline(varyings: Varyings) -> @location(0) vec4<f32> {
    var in = surface_of(varyings);
    if has(MOVING_TEXTURES) {
        in.texcoord = moved_texcoord(in.texcoord);
    }
    let color = base_color(in.color, in.texcoord);
    if is_cut_out(color.a) {
        discard;
    }
    let shaded = toon_color(in, color.rgb, unit_or_zero(in.normal), 1.0);
    let out = material.outline.rgb * mix(vec3<f32>(1.0), shaded, material.outline.w);
    let alpha = select(1.0, clamp(color.a, 0.0, 1.0), has(ALPHA_BLEND));
    return stored(vec4<f32>(out * alpha, alpha));
}
