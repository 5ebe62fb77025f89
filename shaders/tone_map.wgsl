// Tone maps, which convert light to colours.

// The index of the tone map.
override TONE: u32 = 0u;

const ACES: u32 = 1u;
const AGX: u32 = 2u;

// Khronos PBR Neutral: preserves base colours below its shoulder and compresses highlights towards white.
fn neutral(linear: vec3<f32>) -> vec3<f32> {
    let start = 0.8 - 0.04;
    let desaturation = 0.15;
    let least = min(linear.r, min(linear.g, linear.b));
    let offset = select(0.04, least - 6.25 * least * least, least < 0.08);
    var color = linear - offset;
    let peak = max(color.r, max(color.g, color.b));
    if peak < start {
        return color;
    }
    let d = 1.0 - start;
    let new_peak = 1.0 - d * d / (peak + d - start);
    color = color * (new_peak / peak);
    let g = 1.0 - 1.0 / (desaturation * (peak - new_peak) + 1.0);
    return mix(color, vec3<f32>(new_peak), g);
}

// Hill's fit (2016) to the reference and output transforms of ACES for sRGB. Light is divided by 0.6, so that middle grey is as bright as
// with the other tone maps.
fn aces(linear: vec3<f32>) -> vec3<f32> {
    let c = mat3x3<f32>(
        vec3<f32>(0.59719, 0.07600, 0.02840),
        vec3<f32>(0.35458, 0.90834, 0.13383),
        vec3<f32>(0.04823, 0.01566, 0.83777),
    ) * (linear / 0.6);
    let fit = (c * (c + 0.0245786) - 0.000090537) / (c * (0.983729 * c + 0.4329510) + 0.238081);
    return clamp(mat3x3<f32>(
        vec3<f32>(1.60475, -0.10208, -0.00327),
        vec3<f32>(-0.53108, 1.10813, -0.07276),
        vec3<f32>(-0.07367, -0.00605, 1.07602),
    ) * fit, vec3<f32>(0.0), vec3<f32>(1.0));
}

// AgX (Sobotka 2022) with the polynomial of Wrensch (2023) for its curve.
fn agx(linear: vec3<f32>) -> vec3<f32> {
    let c = mat3x3<f32>(
        vec3<f32>(0.842479062253094, 0.0423282422610123, 0.0423756549057051),
        vec3<f32>(0.0784335999999992, 0.878468636469772, 0.0784336),
        vec3<f32>(0.0792237451477643, 0.0791661274605434, 0.879142973793104),
    ) * linear;
    let stops = clamp(log2(max(c, vec3<f32>(1e-10))), vec3<f32>(-12.47393), vec3<f32>(4.026069));
    let x = (stops + 12.47393) / 16.5;
    let x2 = x * x;
    let x4 = x2 * x2;
    let curve = 15.5 * x4 * x2 - 40.14 * x4 * x + 31.96 * x4 - 6.868 * x2 * x + 0.4298 * x2 + 0.1191 * x - 0.00232;
    let display = mat3x3<f32>(
        vec3<f32>(1.19687900512017, -0.0528968517574562, -0.0529716355144438),
        vec3<f32>(-0.0980208811401368, 1.15190312990417, -0.0980434501171241),
        vec3<f32>(-0.0990297440797205, -0.0989611768448433, 1.15107367264116),
    ) * curve;
    return pow(clamp(display, vec3<f32>(0.0), vec3<f32>(1.0)), vec3<f32>(2.2));
}

fn tone_map(linear: vec3<f32>) -> vec3<f32> {
    if TONE == ACES {
        return aces(linear);
    }
    if TONE == AGX {
        return agx(linear);
    }
    return neutral(linear);
}
