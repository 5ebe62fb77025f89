//! Comparison of bodies up to rounding errors.

use glam::{DAffine3, DQuat, DVec3};

use super::{Body, Link, Stance};

/// Maximum difference between two numbers that count as equal within single-precision rounding, relative to the larger of their magnitude
/// and 1. Characters store their poses in single precision. A rotation that was stored in this way has been normalised, inverted and
/// multiplied by a few others. Each of these operations has a rounding error of at most half the machine epsilon.
const SINGLE_ROUNDING: f64 = 8.0 * f32::EPSILON as f64;

/// Like [`SINGLE_ROUNDING`], for offsets and scales that are computed from world matrices in single precision.
const GEOMETRY_ROUNDING: f64 = 1e-5;
/// Maximum angle in radians at which two rotations that are computed from world matrices in single precision count as equal. Rounding adds
/// up along the joints of a limb.
const TURN_ROUNDING: f64 = 1e-4;

// `copy_from` and `is_nearly` list all fields of a body without `..`. A new field therefore causes a compile error until both functions
// handle it. When fields were forgotten, a continued solve returned the pose that belonged to another problem.
impl Body {
    /// Makes this body equal to another one. Unlike `clone`, this allocates only if a buffer is too small.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        let Self {
            links,
            shape,
            rotations,
            displacements,
            coupled_limits,
            posture,
            figure,
            stance,
            root,
            world_from_base,
            base_from_world,
            world_from_base_rotation,
            facing,
            uniform_scale,
        } = other;
        (self.shape, self.root, self.facing) = (*shape, *root, *facing);
        self.links.clone_from(links);
        self.rotations.clone_from(rotations);
        self.displacements.clone_from(displacements);
        self.coupled_limits.clone_from(coupled_limits);
        self.posture.clone_from(posture);
        self.figure.clone_from(figure);
        match (&mut self.stance, stance) {
            (Some(Stance { rotations, root }), Some(stance)) => {
                rotations.clone_from(&stance.rotations);
                *root = stance.root;
            }
            (own, stance) => own.clone_from(stance),
        }
        (self.world_from_base, self.base_from_world) = (*world_from_base, *base_from_world);
        (self.world_from_base_rotation, self.uniform_scale) = (*world_from_base_rotation, *uniform_scale);
    }

    /// Like [`Body::is_nearly`], but compares the sum of the base's offset and translation, because a character stores only this sum.
    /// `moved` is a buffer.
    pub(crate) fn is_nearly_at_its_place(&self, other: &Self, moved: &mut Self) -> bool {
        let Some((base, given)) = self.links.first().zip(other.links.first()) else { return false };
        let by = given.offset - base.offset;
        // Offsets of a reparented skeleton are computed from world matrices in each frame.
        let near = |a: DVec3, b: DVec3| {
            (a - b).abs().max_element() <= GEOMETRY_ROUNDING * a.abs().max_element().max(1.0)
        };
        let is_link = |(link, (a, b)): (usize, (&Link, &Link))| {
            (link == 0 || near(a.offset, b.offset)) && near(a.scale, b.scale)
        };
        if self.links.len() != other.links.len()
            || !self.links.iter().zip(other.links.iter()).enumerate().all(is_link)
        {
            return false;
        }
        moved.copy_from(self);
        if moved.set_geometry(|link| (other.links[link.0].offset, other.links[link.0].scale)).is_err() {
            return false;
        }
        // Rotations of a reparented skeleton are also computed from world matrices.
        for (own, &given) in moved.rotations.iter_mut().zip(&other.rotations) {
            if own.angle_between(given) <= TURN_ROUNDING {
                *own = given;
            }
        }
        // The sum of offset and translation was rounded, so its magnitude determines the rounding.
        let sum = base.offset.abs().max(given.offset.abs());
        let place = |root: &mut DVec3, given: DVec3| {
            *root -= by;
            let rounding = SINGLE_ROUNDING * (sum + given.abs()).max_element().max(1.0);
            if (*root - given).abs().max_element() <= rounding {
                *root = given;
            }
        };
        place(&mut moved.root, other.root);
        if let Some((stance, given)) = moved.stance.as_mut().zip(other.stance.as_ref()) {
            place(&mut stance.root, given.root);
        }
        moved.is_nearly(other)
    }

    /// Returns whether two bodies are equal within single-precision rounding. Compares their links, pose and placement, and everything else
    /// that influences a solve.
    pub(crate) fn is_nearly(&self, other: &Self) -> bool {
        let Self {
            links,
            shape,
            rotations,
            displacements,
            // The coupled limits are computed from the links.
            coupled_limits: _,
            posture,
            figure,
            stance,
            root,
            world_from_base,
            // These two fields are computed from `world_from_base`.
            base_from_world: _,
            uniform_scale: _,
            world_from_base_rotation,
            facing,
        } = other;
        let placed = [&self.world_from_base, world_from_base].map(DAffine3::to_cols_array);
        (self.shape == *shape || self.links == *links)
            && are_same(&self.rotations, rotations)
            && are_near(&self.displacements, displacements)
            && self.posture == *posture
            && self.figure == *figure
            && match (&self.stance, stance) {
                (Some(own), Some(stance)) => {
                    are_same(&own.rotations, &stance.rotations)
                        && are_near(&own.root.to_array(), &stance.root.to_array())
                }
                (own, stance) => own.is_none() && stance.is_none(),
            }
            && are_near(&self.root.to_array(), &root.to_array())
            && are_near(&placed[0], &placed[1])
            && are_same(&[self.world_from_base_rotation, self.facing], &[*world_from_base_rotation, *facing])
    }
}

/// Returns whether rotations are equal within rounding. A quaternion and its negative are the same rotation.
fn are_same(a: &[DQuat], b: &[DQuat]) -> bool {
    let same = |(a, b): (&DQuat, &DQuat)| {
        let b = if a.dot(*b) < 0.0 { -*b } else { *b };
        are_near(&a.to_array(), &b.to_array())
    };
    a.len() == b.len() && a.iter().zip(b).all(same)
}

/// Returns whether numbers are equal within rounding.
fn are_near(a: &[f64], b: &[f64]) -> bool {
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= SINGLE_ROUNDING * a.abs().max(1.0);
    a.len() == b.len() && a.iter().zip(b).all(near)
}
