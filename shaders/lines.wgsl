// Lines and dots with a width in pixels, on top of everything.
// #import globals

struct Line {
    @location(0) start: vec4<f32>,        // xyz: world position; w: width in pixels
    @location(1) end: vec4<f32>,
    @location(2) corner: vec4<f32>,       // xyz: third corner of a triangle; w: 1 for a triangle, 0 for a line
    @location(3) color: vec4<f32>,        // linear RGBA, straight alpha
}

struct Stroke {
    @builtin(position) clip: vec4<f32>,
    @location(0) @interpolate(flat) from_to: vec4<f32>,   // start and end in pixels
    @location(1) @interpolate(flat) widths: vec2<f32>,
    @location(2) @interpolate(flat) color: vec4<f32>,
}

fn to_pixels(clip: vec4<f32>) -> vec2<f32> {
    return (clip.xy / clip.w * vec2<f32>(0.5, -0.5) + 0.5) * globals.viewport.xy;
}

@vertex
fn line_vertex(line: Line, @builtin(vertex_index) index: u32) -> Stroke {
    var a = globals.clip_from_world * vec4<f32>(line.start.xyz, 1.0);
    var b = globals.clip_from_world * vec4<f32>(line.end.xyz, 1.0);
    var out: Stroke;
    out.color = line.color;
    out.widths = vec2<f32>(line.start.w, line.end.w);
    if line.corner.w > 0.0 {
        // This is a triangle. The first three vertices are its corners, and the other three repeat the last corner.
        let c = globals.clip_from_world * vec4<f32>(line.corner.xyz, 1.0);
        let corner = select(select(a, b, index == 1u), c, index > 1u);
        out.clip = vec4<f32>(corner.xy, 0.0, corner.w);
        out.widths = vec2<f32>(-1.0, -1.0);
        return out;
    }
    // Clip the line where it passes behind the camera.
    let near = 1e-4 * max(abs(a.w), abs(b.w));
    if a.w < near && b.w < near {
        out.clip = vec4<f32>(2.0, 2.0, 2.0, 1.0);
        return out;
    }
    if a.w < near { a = mix(a, b, (near - a.w) / (b.w - a.w)); }
    if b.w < near { b = mix(b, a, (near - b.w) / (a.w - b.w)); }
    let p = to_pixels(a);
    let q = to_pixels(b);
    out.from_to = vec4<f32>(p, q);
    let along = select(vec2<f32>(1.0, 0.0), normalize(q - p), distance(p, q) > 1e-3);
    let across = vec2<f32>(-along.y, along.x);
    let corner = vec2<f32>(f32((0x1Au >> index) & 1u), f32((0x34u >> index) & 1u)) * 2.0 - 1.0;
    let half_width = max(line.start.w, line.end.w) * 0.5 + 1.0;
    let pixel = select(p, q, corner.x > 0.0) + (along * corner.x + across * corner.y) * half_width;
    let ndc = (pixel / globals.viewport.xy - 0.5) * vec2<f32>(2.0, -2.0);
    out.clip = vec4<f32>(ndc, 0.0, 1.0);
    return out;
}

@fragment
fn line(in: Stroke) -> @location(0) vec4<f32> {
    if in.widths.x < 0.0 {
        return stored(vec4<f32>(in.color.rgb * in.color.a, in.color.a));
    }
    let p = in.from_to.xy;
    let d = in.from_to.zw - p;
    let along = clamp(dot(in.clip.xy - p, d) / max(dot(d, d), 1e-6), 0.0, 1.0);
    let half_width = mix(in.widths.x, in.widths.y, along) * 0.5;
    let coverage = clamp(half_width + 0.5 - distance(in.clip.xy, p + d * along), 0.0, 1.0);
    let alpha = in.color.a * coverage;
    return stored(vec4<f32>(in.color.rgb * alpha, alpha));
}
