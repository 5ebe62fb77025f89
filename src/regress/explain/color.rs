//! Differences of colours.

/// Returns the distance between two sRGB colours in CIELAB (CIE 1976). A distance of about 2.3 is just noticeable.
pub(super) fn delta_e(a: [u8; 4], b: [u8; 4]) -> f64 {
    let ([l, a, b], [m, c, d]) = (lab(a), lab(b));
    ((l - m).powi(2) + (a - c).powi(2) + (b - d).powi(2)).sqrt()
}

/// Converts sRGB with the white point D65 to CIELAB. The colour is multiplied by alpha, as if it were composited over black.
fn lab([r, g, b, alpha]: [u8; 4]) -> [f64; 3] {
    let linear = |level: u8| {
        let x = f64::from(level) / 255.0 * f64::from(alpha) / 255.0;
        if x <= 0.040_45 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
    };
    let [r, g, b] = [r, g, b].map(linear);
    let xyz = [
        (0.412_456_4 * r + 0.357_576_1 * g + 0.180_437_5 * b) / 0.950_47,
        0.212_672_9 * r + 0.715_152_2 * g + 0.072_175 * b,
        (0.019_333_9 * r + 0.119_192 * g + 0.950_304_1 * b) / 1.088_83,
    ];
    let delta: f64 = 6.0 / 29.0;
    let [x, y, z] =
        xyz.map(|v| if v > delta.powi(3) { v.cbrt() } else { v / (3.0 * delta * delta) + 4.0 / 29.0 });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_the_standard() {
        assert_eq!(delta_e([10, 20, 30, 255], [10, 20, 30, 255]), 0.0);
        assert!((delta_e([0, 0, 0, 255], [255, 255, 255, 255]) - 100.0).abs() < 0.01);
        // Red is at L* = 53.24, a* = 80.09, b* = 67.20.
        let red = lab([255, 0, 0, 255]);
        assert!([53.24, 80.09, 67.20].iter().zip(red).all(|(a, b)| (a - b).abs() < 0.02), "{red:?}");
    }
}
