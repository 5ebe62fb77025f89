//! Levels of detail of a model, and how many instances are drawn in each.

use std::array;
use std::ops::{AddAssign, Range};

use bytemuck::pod_collect_to_vec;

use crate::gpu_types::{COARSE, LEVELS};

/// The levels of detail of a model: simplified triangles of its parts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Levels {
    /// The errors of all levels except the full one, in increasing order, in lengths of the model. Those of missing levels are huge.
    pub(crate) errors: [f32; COARSE],
    /// The ranges of each part in `indices`, for all levels except the full one.
    pub(crate) parts: Vec<[Range<u32>; COARSE]>,
    /// Indices of vertices.
    pub(crate) indices: Vec<u32>,
}

impl Levels {
    /// An error that is never small enough. Shaders may not handle infinity.
    pub(super) const MISSING: f32 = 1e30;

    /// Returns only full levels.
    pub(crate) fn none(parts: usize) -> Self {
        let no_triangles = array::from_fn(|_| 0..0);
        Self { errors: [Self::MISSING; COARSE], parts: vec![no_triangles; parts], indices: Vec::new() }
    }
}

/// The part of a crowd that was drawn for the camera.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrawnLevels {
    /// The number of drawn characters in each level of detail, beginning with the full one.
    pub characters: [u64; LEVELS],
    /// The number of triangles of these characters.
    pub triangles: u64,
    /// The number of characters that are in view, but not drawn because other surfaces hide them. 0 without occlusion culling, which
    /// [`Crowd::set_occlusion`](crate::crowd::Crowd::set_occlusion) turns on.
    pub hidden: u64,
}

impl DrawnLevels {
    /// Returns the number of drawn characters. If hidden characters are left out, this includes those that were visible in the last frame and
    /// are hidden now.
    pub fn visible(&self) -> u64 {
        self.characters.iter().sum()
    }

    /// Returns what the draws of a list contain. `bytes` are their arguments, for each part and each level, and the number of hidden
    /// instances.
    pub(crate) fn of_draws(bytes: &[u8]) -> Self {
        let Some((arguments, hidden)) = bytes.split_last_chunk() else { return Self::default() };
        let hidden = u32::from_ne_bytes(*hidden).into();
        let draws = pod_collect_to_vec::<u8, [u32; 5]>(arguments);
        let triangles =
            draws.iter().map(|[indices, instances, ..]| u64::from(indices / 3) * u64::from(*instances));
        let mut drawn = Self { triangles: triangles.sum(), hidden, ..Self::default() };
        // All parts have the same instances.
        let levels = drawn.characters.iter_mut().zip(&draws);
        levels.for_each(|(count, [_, instances, ..])| *count = u64::from(*instances));
        drawn
    }
}

impl AddAssign for DrawnLevels {
    fn add_assign(&mut self, other: Self) {
        self.characters.iter_mut().zip(other.characters).for_each(|(sum, count)| *sum += count);
        self.triangles += other.triangles;
        self.hidden += other.hidden;
    }
}
