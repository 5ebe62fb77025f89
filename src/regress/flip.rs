//! The FLIP image metric, which measures how visible the differences between two images are.
//!
//! The metric is defined in Andersson et al. 2020, "FLIP: A Difference Evaluator for Alternating Images". The comments below refer to its
//! sections and tables. A filter that is the sum of two Gaussians is applied as two filters, because the sum is not
//! separable, but each Gaussian is.

use std::f32::consts::{FRAC_1_SQRT_2, PI};

/// Pixels per degree of visual angle, for a screen 0.7 m wide with 3840 pixels that is viewed from 0.7 m away.
const PIXELS_PER_DEGREE: f32 = 3840.0 * PI / 180.0;
/// Width of the detected edges and points, in degrees (section 4.2.1).
const FEATURE_WIDTH: f32 = 0.082;
/// Exponents of the colour difference (section 4.1.3) and of the feature difference (section 4.2.2).
const COLOR_EXPONENT: f32 = 0.7;
const FEATURE_EXPONENT: f32 = 0.5;
/// The point at which the mapping from colour differences to errors changes its slope (section 4.1.3): a colour
/// difference as a fraction of the maximum difference, and its error.
const KNEE: [f32; 2] = [0.4, 0.95];
/// Numbers of weights in a colour filter, and in an edge or point filter. Each filter spans three standard deviations
/// to each side.
const COLOR_WEIGHTS: usize = 21;
const FEATURE_WEIGHTS: usize = 19;
/// White (D65) in the colour space XYZ.
const WHITE: [f32; 3] = [0.950_428_54, 1.0, 1.088_900_4];

/// Returns the error of each pixel, from 0 (equal) to 1 (black against white), row by row.
///
/// Both images must have the same size. They are `width` pixels wide and have three sRGB bytes per pixel.
pub(super) fn error_map(expected: &[u8], actual: &[u8], width: usize) -> Vec<f32> {
    let [expected, actual] = [expected, actual].map(|rgb| PerceivedImage::new(rgb, width));
    let maximum = {
        let [green, blue] = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(perceived);
        distance(green, blue).powf(COLOR_EXPONENT)
    };
    let knee = KNEE[0] * maximum;
    let remap = |difference: f32| {
        if difference < knee {
            difference * KNEE[1] / knee
        } else {
            KNEE[1] + (difference - knee) / (maximum - knee) * (1.0 - KNEE[1])
        }
    };
    let colors = expected.colors.iter().zip(&actual.colors);
    let features = expected.features.iter().zip(&actual.features);
    colors
        .zip(features)
        .map(|((&a, &b), (&[edge_a, point_a], &[edge_b, point_b]))| {
            let color = remap(distance(a, b).powf(COLOR_EXPONENT));
            let feature = (edge_a - edge_b).abs().max((point_a - point_b).abs());
            color.powf(1.0 - (FRAC_1_SQRT_2 * feature).powf(FEATURE_EXPONENT))
        })
        .collect()
}

/// An image as a model of human vision perceives it: the colour of each pixel, and the strengths of edges and points.
struct PerceivedImage {
    colors: Vec<[f32; 3]>,
    features: Vec<[f32; 2]>,
}

impl PerceivedImage {
    fn new(rgb: &[u8], width: usize) -> Self {
        let linear: [f32; 256] = std::array::from_fn(|level| {
            #[expect(clippy::cast_precision_loss, reason = "0 to 255")]
            let level = level as f32 / 255.0;
            if level <= 0.040_45 { level / 12.92 } else { ((level + 0.055) / 1.055).powf(2.4) }
        });
        let opponent = |p: &[u8]| match p {
            &[r, g, b] => opponent([r, g, b].map(|level| linear[usize::from(level)])),
            _ => [0.0; 3],
        };
        let pixels: Vec<[f32; 3]> = rgb.chunks_exact(3).map(opponent).collect();
        let plane = |channel: usize| Plane { width, values: pixels.iter().map(|p| p[channel]).collect() };
        let (y, red_green, blue_yellow) = (plane(0), plane(1), plane(2));
        Self { colors: colors(&y, &red_green, &blue_yellow), features: features(&y) }
    }
}

/// Blurs colours according to the contrast sensitivity of the eye (section 4.1.1, table 1).
fn colors(y: &Plane, red_green: &Plane, blue_yellow: &Plane) -> Vec<[f32; 3]> {
    let gaussian =
        |a: f32, b: f32| kernel::<COLOR_WEIGHTS>(|x| a * (-(PI * x / PIXELS_PER_DEGREE).powi(2) / b).exp());
    let alone = |b: f32| {
        let weights = gaussian(1.0, b);
        let sum: f32 = weights.iter().sum();
        weights.map(|w| w / sum)
    };
    // Each Gaussian is applied along both axes, so its factor here is the square root of its factor in the paper.
    let two =
        [(34.1, 0.04), (13.5, 0.025)].map(|(a, b): (f32, f32)| gaussian((a * (PI / b).sqrt()).sqrt(), b));
    let sums = two.each_ref().map(|weights| weights.iter().sum::<f32>());
    let norm = sums[0].hypot(sums[1]);
    let two = two.map(|weights| weights.map(|w| w / norm));
    let (achromatic, chromatic) = (alone(0.0047), alone(0.0053));
    let y = y.filtered(&achromatic, &achromatic);
    let red_green = red_green.filtered(&chromatic, &chromatic);
    let [wide, narrow] = two.each_ref().map(|weights| blue_yellow.filtered(weights, weights));
    let blue_yellow = wide.iter().zip(narrow).map(|(a, b)| a + b);
    let pixels = y.iter().zip(red_green).zip(blue_yellow);
    pixels.map(|((&y, cx), cz)| perceived(displayed([y, cx, cz]))).collect()
}

/// Detects edges and points of the luminance (section 4.2.1).
fn features(y: &Plane) -> Vec<[f32; 2]> {
    let deviation = 0.5 * FEATURE_WIDTH * PIXELS_PER_DEGREE;
    let bell = |x: f32| (-x * x / (2.0 * deviation * deviation)).exp();
    let blur = balanced(kernel(bell));
    let edge = balanced(kernel(|x| -x * bell(x)));
    let point = balanced(kernel(|x| (x * x / (deviation * deviation) - 1.0) * bell(x)));
    let luminance = Plane { values: y.values.iter().map(|y| (y + 16.0) / 116.0).collect(), ..*y };
    let strength = |derivative: &[f32; FEATURE_WEIGHTS]| {
        let across = luminance.filtered(derivative, &blur);
        let down = luminance.filtered(&blur, derivative);
        across.into_iter().zip(down).map(|(x, y)| x.hypot(y))
    };
    strength(&edge).zip(strength(&point)).map(|(edge, point)| [edge, point]).collect()
}

/// Returns the weights at whole pixel offsets. The middle weight is at offset 0.
#[expect(clippy::cast_precision_loss, reason = "less than a hundred")]
fn kernel<const N: usize>(weight: impl Fn(f32) -> f32) -> [f32; N] {
    std::array::from_fn(|i| weight(i as f32 - (N / 2) as f32))
}

/// Normalizes weights so that the positive ones sum to 1 and the negative ones to -1.
fn balanced<const N: usize>(weights: [f32; N]) -> [f32; N] {
    let above: f32 = weights.iter().filter(|w| **w > 0.0).sum();
    let below: f32 = weights.iter().filter(|w| **w < 0.0).sum();
    weights.map(|w| {
        if w > 0.0 {
            w / above
        } else if w < 0.0 {
            w / -below
        } else {
            w
        }
    })
}

/// One channel of an image.
struct Plane {
    width: usize,
    values: Vec<f32>,
}

impl Plane {
    /// Filters along the rows and then along the columns. The values at the border are repeated outside the plane.
    fn filtered<const N: usize>(&self, across: &[f32; N], down: &[f32; N]) -> Vec<f32> {
        let radius = N / 2;
        let mut rows = Vec::with_capacity(self.values.len());
        let mut padded = Vec::with_capacity(self.width + N);
        for row in self.values.chunks_exact(self.width) {
            padded.clear();
            padded.extend(std::iter::repeat_n(row[0], radius));
            padded.extend_from_slice(row);
            padded.extend(std::iter::repeat_n(row[self.width - 1], radius));
            rows.extend(padded.windows(N).map(|w| w.iter().zip(across).map(|(v, k)| v * k).sum::<f32>()));
        }
        let height = rows.len() / self.width;
        let mut filtered = vec![0.0; rows.len()];
        for (y, out) in filtered.chunks_exact_mut(self.width).enumerate() {
            for (i, weight) in down.iter().enumerate() {
                let at = (y + i).saturating_sub(radius).min(height - 1) * self.width;
                out.iter_mut().zip(&rows[at..]).for_each(|(sum, value)| *sum += weight * value);
            }
        }
        filtered
    }
}

/// Converts linear RGB to luminance, red-green and blue-yellow (YCxCz).
fn opponent(rgb: [f32; 3]) -> [f32; 3] {
    let [x, y, z] = relative_xyz(rgb);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// Converts YCxCz to linear RGB within the range of a screen.
fn displayed([y, cx, cz]: [f32; 3]) -> [f32; 3] {
    let y = (y + 16.0) / 116.0;
    let [x, y, z] = [(y + cx / 500.0) * WHITE[0], y * WHITE[1], (y - cz / 200.0) * WHITE[2]];
    [
        3.241_003_3 * x - 1.537_398_9 * y - 0.498_615_86 * z,
        -0.969_224_3 * x + 1.875_930_1 * y + 0.041_554_224 * z,
        0.055_639_423 * x - 0.204_011_2 * y + 1.057_148_9 * z,
    ]
    .map(|channel| channel.clamp(0.0, 1.0))
}

/// Converts linear RGB to CIELAB with the chroma scaled by the lightness (the Hunt effect, section 4.1.2).
fn perceived(rgb: [f32; 3]) -> [f32; 3] {
    let delta: f32 = 6.0 / 29.0;
    let [x, y, z] = relative_xyz(rgb)
        .map(|v| if v > delta.powi(3) { v.cbrt() } else { v / (3.0 * delta * delta) + 4.0 / 29.0 });
    let lightness = 116.0 * y - 16.0;
    [lightness, 0.01 * lightness * 500.0 * (x - y), 0.01 * lightness * 200.0 * (y - z)]
}

/// Converts linear RGB with sRGB primaries to XYZ relative to white.
fn relative_xyz([r, g, b]: [f32; 3]) -> [f32; 3] {
    [
        (0.412_386_57 * r + 0.357_591_5 * g + 0.180_450_49 * b) / WHITE[0],
        (0.212_636_8 * r + 0.715_183 * g + 0.072_180_2 * b) / WHITE[1],
        (0.019_330_62 * r + 0.119_197_16 * g + 0.950_372_6 * b) / WHITE[2],
    ]
}

/// Returns the distance between two perceived colours (HyAB, section 4.1.2).
fn distance([l, a, b]: [f32; 3], [m, c, d]: [f32; 3]) -> f32 {
    (l - m).abs() + (a - c).hypot(b - d)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An image of 40 by 30 pixels with coloured stripes and a spot. `shift` moves the spot and changes the stripes.
    fn image(shift: i32) -> Vec<u8> {
        let pixel = |i: i32| {
            let (x, y) = (i % 40, i / 40);
            let spot = (x - 20 - shift).pow(2) + (y - 15).pow(2) < 36;
            let stripe = u8::try_from((x * 6 + y * 3 * shift) % 256).unwrap();
            if spot { [230, 40, 60] } else { [stripe, 128, 255 - stripe] }
        };
        (0..1200).flat_map(pixel).collect()
    }

    /// The expected values are from the authors' implementation, which also uses single precision but rounds
    /// differently.
    #[test]
    fn results_agree_with_the_reference_implementation() {
        let map = error_map(&image(0), &image(3), 40);
        let mean = map.iter().map(|error| f64::from(*error)).sum::<f64>() / 1200.0;
        assert!((mean - 0.563_766).abs() < 1e-4, "{mean}");
        let expected_errors = [
            (0, 0, 0.141_845),
            (14, 15, 0.786_623),
            (20, 15, 0.117_821),
            (29, 15, 0.732_554),
            (39, 29, 0.188_192),
        ];
        for (x, y, expected) in expected_errors {
            let error = map[y * 40 + x];
            assert!((error - expected).abs() < 5e-4, "({x}, {y}): {error} instead of {expected}");
        }
    }

    #[test]
    fn black_against_white_has_the_largest_error_and_the_metric_is_symmetric() {
        let (black, white) = ([0; 64 * 3], [255; 64 * 3]);
        assert!(error_map(&black, &white, 8).iter().all(|error| (error - 1.0).abs() < 0.05));
        assert!(error_map(&white, &white, 8).iter().all(|error| *error == 0.0));
        assert_eq!(error_map(&image(0), &image(3), 40), error_map(&image(3), &image(0), 40));
    }

    #[test]
    fn images_can_be_smaller_than_the_filters() {
        for (width, pixels) in [(1, 1), (1, 7), (7, 7), (2, 6)] {
            let map = error_map(&vec![0; pixels * 3], &vec![200; pixels * 3], width);
            assert!(map.len() == pixels && map.iter().all(|error| (0.0..=1.0).contains(error)), "{map:?}");
        }
    }
}
