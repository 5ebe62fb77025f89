//! Rectangles of pixels, and the image positions of world points.

use glam::{Mat4, Vec2, Vec3, Vec4, vec2};

use crate::view::{Bounds, Camera, Projection};

use super::globals::pixels;

/// A rectangle of pixels. (0, 0) is the upper left corner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rect {
    pub(super) x: u32,
    pub(super) y: u32,
    pub(super) width: u32,
    pub(super) height: u32,
}

impl Rect {
    pub(super) fn of_size((width, height): (u32, u32)) -> Self {
        Self { x: 0, y: 0, width, height }
    }

    /// Returns the pixels of this rectangle that a range of positions touches, with a margin around it.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the rectangle")]
    pub(super) fn around(self, lo: Vec2, hi: Vec2, margin: u32) -> Self {
        let between = |at: f32, from: u32, to: u32| (at.max(0.0) as u32).clamp(from, to);
        let (right, bottom) = (self.x + self.width, self.y + self.height);
        let x = between(lo.x, self.x, right).saturating_sub(margin).max(self.x);
        let y = between(lo.y, self.y, bottom).saturating_sub(margin).max(self.y);
        let right = between(hi.x.ceil(), self.x, right).saturating_add(margin).min(right);
        let bottom = between(hi.y.ceil(), self.y, bottom).saturating_add(margin).min(bottom);
        Self { x, y, width: right.saturating_sub(x), height: bottom.saturating_sub(y) }
    }

    pub(super) fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0
    }

    /// Returns the intersection, which is inside both rectangles even if it is empty.
    pub(super) fn intersection(self, other: Self) -> Self {
        let x = other.x.clamp(self.x, self.x + self.width);
        let y = other.y.clamp(self.y, self.y + self.height);
        let right = (other.x + other.width).clamp(x, (self.x + self.width).max(x));
        let bottom = (other.y + other.height).clamp(y, (self.y + self.height).max(y));
        Self { x, y, width: right - x, height: bottom - y }
    }

    /// Returns the rectangle without `part` as four rectangles above, below, left and right of it. `part` must be inside the rectangle.
    pub(super) fn without(self, part: Self) -> [Self; 4] {
        let (right, bottom) = (part.x + part.width, part.y + part.height);
        [
            Self { height: part.y - self.y, ..self },
            Self { y: bottom, height: self.y + self.height - bottom, ..self },
            Self { x: self.x, width: part.x - self.x, ..part },
            Self { x: right, width: self.x + self.width - right, ..part },
        ]
    }
}

/// Projects points of the world into an image.
pub(super) struct Projector {
    clip_from_world: Mat4,
    size: Vec2,
    /// Points with a smaller fourth coordinate are behind the camera.
    near: f32,
}

impl Projector {
    pub(super) fn new(camera: &Camera, area: (u32, u32)) -> Self {
        let (width, height) = pixels(area);
        let is_perspective = matches!(camera.projection, Projection::Perspective { .. });
        Self {
            clip_from_world: camera.clip_from_world(width / height),
            size: vec2(width, height),
            near: if is_perspective { camera.near } else { f32::NEG_INFINITY },
        }
    }

    /// Returns the position of a point in pixels, or `None` if it is behind the camera or not finite.
    pub(super) fn pixel(&self, world: Vec3) -> Option<Vec2> {
        let clip: Vec4 = self.clip_from_world * world.extend(1.0);
        let is_visible = clip.is_finite() && clip.w >= self.near;
        is_visible.then(|| (vec2(clip.x, -clip.y) / clip.w * 0.5 + 0.5) * self.size)
    }
}

pub(super) fn corners(bounds: &Bounds) -> [Vec3; 8] {
    let Bounds { lo, hi } = *bounds;
    let choose = |is_high: bool, lo: f32, hi: f32| if is_high { hi } else { lo };
    std::array::from_fn(|i| {
        let [x, y, z] = [1, 2, 4].map(|bit| i & bit != 0);
        Vec3::new(choose(x, lo.x, hi.x), choose(y, lo.y, hi.y), choose(z, lo.z, hi.z))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Rect = Rect { x: 0, y: 0, width: 7, height: 5 };
    const PARTS: [[u32; 4]; 7] =
        [[2, 1, 3, 2], [0, 0, 7, 5], [0, 3, 7, 2], [6, 0, 1, 1], [0, 0, 0, 0], [7, 5, 0, 0], [3, 2, 0, 3]];

    fn contains(r: &Rect, x: u32, y: u32) -> bool {
        (r.x..r.x + r.width).contains(&x) && (r.y..r.y + r.height).contains(&y)
    }

    #[test]
    fn a_part_and_the_rest_cover_every_pixel_once() {
        for [x, y, width, height] in PARTS {
            let part = Rect { x, y, width, height };
            let pieces: Vec<Rect> = ALL.without(part).into_iter().chain([part]).collect();
            for (x, y) in (0..7).flat_map(|x| (0..5).map(move |y| (x, y))) {
                let times = pieces.iter().filter(|r| contains(r, x, y)).count();
                assert_eq!(times, 1, "{x}, {y} of {part:?}");
            }
        }
    }

    #[test]
    fn an_intersection_has_the_pixels_of_both() {
        let rects = PARTS.map(|[x, y, width, height]| Rect { x, y, width, height });
        for (a, b) in rects.iter().flat_map(|a| rects.iter().map(move |b| (a, b))) {
            let both = a.intersection(*b);
            for (x, y) in (0..8).flat_map(|x| (0..6).map(move |y| (x, y))) {
                assert_eq!(contains(&both, x, y), contains(a, x, y) && contains(b, x, y), "{a:?} {b:?}");
            }
            assert_eq!(a.intersection(both), both, "{a:?} {b:?}");
        }
    }

    #[test]
    fn a_rectangle_around_positions_stays_inside() {
        let around = |lo: [f32; 2], hi: [f32; 2]| ALL.around(lo.into(), hi.into(), 1);
        assert_eq!(around([2.5, 2.5], [3.5, 3.5]), Rect { x: 1, y: 1, width: 4, height: 4 });
        assert_eq!(around([-9.0, -9.0], [99.0, 99.0]), ALL);
        assert!(around([f32::INFINITY; 2], [f32::NEG_INFINITY; 2]).is_empty());
    }
}
