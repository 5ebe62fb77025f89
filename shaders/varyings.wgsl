// The values that the vertex shader of surfaces passes to the fragment shader. Each of them makes every vertex slower, so
// src/render/varyings.rs removes the lines with the names of the values that a pipeline does not read. Removed values are zero in
// `surface_of`.
// #import surface

struct Varyings {
    // The clip position must be bit-identical to a ghost's in the same pose.
    @builtin(position) @invariant clip: vec4<f32>,
    @location(0) normal: vec3<f32>,
    @location(1) color: vec4<f32>,
    @location(2) eye_direction: vec3<f32>,
    @location(3) texcoord_0: vec2<f32>,
    @location(4) texcoord_1: vec2<f32>,
    @location(5) tangent: vec4<f32>,
    @location(6) scale: f32,
    @location(7) light: f32,
}

fn varyings_of(s: Surface) -> Varyings {
    var v: Varyings;
    v.clip = s.clip;
    v.normal = s.normal;
    v.color = s.color;
    v.eye_direction = s.eye_direction;
    v.texcoord_0 = s.texcoord.xy;
    v.texcoord_1 = s.texcoord.zw;
    v.tangent = s.tangent;
    v.scale = s.scale;
    v.light = vertex_light(s);
    return v;
}

fn surface_of(v: Varyings) -> Surface {
    var s: Surface;
    s.clip = v.clip;
    s.normal = v.normal;
    s.color = v.color;
    s.eye_direction = v.eye_direction;
    s.texcoord = vec4<f32>(v.texcoord_0, s.texcoord.zw);
    s.texcoord = vec4<f32>(s.texcoord.xy, v.texcoord_1);
    s.tangent = v.tangent;
    s.scale = v.scale;
    s.light = v.light;
    return s;
}
