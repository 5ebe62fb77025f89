// Draws a texture over the whole viewport, or makes it transparent.
// #import srgb

@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var image_sampler: sampler;
// Four samples for each pixel of the viewport.
@group(0) @binding(2) var samples: texture_multisampled_2d<f32>;

struct Corner {
    @builtin(position) clip: vec4<f32>,
    @location(0) texcoord: vec2<f32>,
}

@vertex
fn compose_vertex(@builtin(vertex_index) index: u32) -> Corner {
    // One triangle that covers the viewport and whose first corner is the viewport's lower left corner.
    let corner = vec2<f32>(f32(index & 1u), f32(index >> 1u)) * 2.0;
    var out: Corner;
    out.clip = vec4<f32>(corner * 2.0 - 1.0, 0.0, 1.0);
    out.texcoord = vec2<f32>(corner.x, 1.0 - corner.y);
    return out;
}

@fragment
fn compose(in: Corner) -> @location(0) vec4<f32> {
    return textureSampleLevel(image, image_sampler, in.texcoord, 0.0);
}

// The texture contains linear values. They are converted to sRGB here, because the target does not convert them.
@fragment
fn compose_linear(in: Corner) -> @location(0) vec4<f32> {
    let color = textureSampleLevel(image, image_sampler, in.texcoord, 0.0);
    return vec4<f32>(srgb_from_linear(color.rgb), color.a);
}

fn sample(at: vec2<i32>, index: i32) -> vec4<f32> {
    return min(textureLoad(samples, at, index), vec4<f32>(1.0));
}

// Returns the mean of the samples of a pixel.
@fragment
fn resolve(in: Corner) -> @location(0) vec4<f32> {
    let at = vec2<i32>(in.texcoord * vec2<f32>(textureDimensions(samples)));
    return 0.25 * (sample(at, 0) + sample(at, 1) + sample(at, 2) + sample(at, 3));
}

fn texel_of_image(at: vec2<i32>) -> vec4<f32> {
    return textureLoad(image, min(at, vec2<i32>(textureDimensions(image)) - 1), 0);
}

// Returns the mean of the four texels that a texel of the next smaller level covers. The last row or column of an odd size is left out.
@fragment
fn mean_of_four(in: Corner) -> @location(0) vec4<f32> {
    let at = 2 * vec2<i32>(in.clip.xy);
    return 0.25 * (texel_of_image(at) + texel_of_image(at + vec2<i32>(1, 0))
        + texel_of_image(at + vec2<i32>(0, 1)) + texel_of_image(at + vec2<i32>(1, 1)));
}

fn texel_near(texcoord: vec2<f32>) -> vec4<f32> {
    // Half floats overflow to infinity.
    return min(textureSampleLevel(image, image_sampler, texcoord, 0.0), vec4<f32>(60000.0));
}

// Returns the mean of the texels around a point between texels, with weights 1 3 3 1 in each direction, so that smaller levels are
// smooth.
@fragment
fn halve(in: Corner) -> @location(0) vec4<f32> {
    let step = 0.75 / vec2<f32>(textureDimensions(image));
    return 0.25 * (texel_near(in.texcoord + step) + texel_near(in.texcoord - step)
        + texel_near(in.texcoord + vec2<f32>(step.x, -step.y)) + texel_near(in.texcoord + vec2<f32>(-step.x, step.y)));
}

@fragment
fn clear() -> @location(0) vec4<f32> {
    return vec4<f32>(0.0);
}
