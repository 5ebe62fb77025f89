//! Maps the weights of two to four clips to a point in a square, and back.

use glam::Vec2;

/// Returns the positions of the clips in the unit square, with y down. Empty unless there are two to four clips.
pub(crate) fn corners(clips: usize) -> &'static [Vec2] {
    const TWO: [Vec2; 2] = [Vec2::new(0.0, 0.5), Vec2::new(1.0, 0.5)];
    const THREE: [Vec2; 3] = [Vec2::new(0.0, 1.0), Vec2::new(1.0, 1.0), Vec2::new(0.5, 0.0)];
    const FOUR: [Vec2; 4] = [Vec2::ZERO, Vec2::X, Vec2::Y, Vec2::ONE];
    match clips {
        2 => &TWO,
        3 => &THREE,
        4 => &FOUR,
        _ => &[],
    }
}

/// Returns the weights at a point, which sum to one. They are linear for two clips, barycentric for three (at the
/// nearest point of their triangle) and bilinear for four.
pub(crate) fn weights(clips: usize, at: Vec2) -> Vec<f32> {
    let Vec2 { x, y } = if at.is_finite() { at.clamp(Vec2::ZERO, Vec2::ONE) } else { Vec2::splat(0.5) };
    match clips {
        2 => vec![1.0 - x, x],
        3 => {
            let top = 1.0 - y;
            // The triangle's width at each height equals the distance from its apex.
            let across = if y > 0.0 { ((x - 0.5 * top) / y).clamp(0.0, 1.0) } else { 0.5 };
            vec![y * (1.0 - across), y * across, top]
        }
        4 => vec![(1.0 - x) * (1.0 - y), x * (1.0 - y), (1.0 - x) * y, x * y],
        _ => Vec::new(),
    }
}

/// Returns the point for the given weights, which is the weighted mean of the clips' positions.
pub(crate) fn point(weights: impl ExactSizeIterator<Item = f32> + Clone) -> Option<Vec2> {
    let corners = corners(weights.len());
    let sum: f32 = weights.clone().sum();
    let middle: Vec2 = corners.iter().zip(weights).map(|(c, w)| *c * w).sum();
    (!corners.is_empty() && sum > 0.0).then(|| middle / sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_a_point_map_back_to_the_point() {
        for clips in 2..=4 {
            for (i, &corner) in corners(clips).iter().enumerate() {
                let alone = weights(clips, corner);
                assert!(
                    (0..clips).all(|c| (alone[c] - f32::from(u8::from(c == i))).abs() < 1e-6),
                    "{alone:?}"
                );
            }
            let inside = if clips == 2 { Vec2::new(0.3, 0.5) } else { Vec2::new(0.4, 0.7) };
            let blend = weights(clips, inside);
            assert!((blend.iter().sum::<f32>() - 1.0).abs() < 1e-6 && blend.iter().all(|w| *w >= 0.0));
            assert!(point(blend.into_iter()).unwrap().distance(inside) < 1e-6);
        }
    }

    #[test]
    fn points_outside_the_square_or_not_finite_give_valid_weights() {
        for at in [Vec2::new(-3.0, 0.0), Vec2::new(0.0, -1.0), Vec2::NAN, Vec2::INFINITY] {
            for clips in 0..6 {
                let blend = weights(clips, at);
                assert_eq!(blend.len(), if (2..=4).contains(&clips) { clips } else { 0 });
                assert!(blend.iter().all(|w| (0.0..=1.0).contains(w)));
            }
        }
        assert_eq!(point([0.0, 0.0].into_iter()), None);
        assert_eq!(point([1.0; 5].into_iter()), None);
    }
}
