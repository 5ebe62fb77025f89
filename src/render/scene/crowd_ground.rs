//! The ground under a crowd.

use glam::Vec2;

use crate::crowd::{CrowdError, Terrain};

/// Fraction of its own width that a crowd needs as ground, so that rounding errors do not matter.
const ENOUGH: f32 = 0.9999;

/// The ground under a crowd, which stands around the origin.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum CrowdGround {
    /// Level ground at height 0.
    Flat,
    /// Hills with slopes of up to 20 degrees, which depend on the seed of the layout.
    #[default]
    Hills,
    /// A terrain, on which the crowd must have enough room.
    Terrain(Terrain),
    /// A terrain that is stretched horizontally around the origin, so that the crowd has enough room. Its heights do not change.
    Fitted(Terrain),
}

impl CrowdGround {
    /// Returns the terrain for a crowd that extends `crowd` metres in each direction. Ground whose size is not given extends `margin` metres
    /// further.
    ///
    /// # Errors
    /// [`CrowdError::Ground`] if the terrain is too small, or [`CrowdError::Terrain`] if it cannot be stretched.
    pub(super) fn terrain(&self, seed: u32, crowd: f32, margin: f32) -> Result<Terrain, CrowdError> {
        let half = crowd + margin;
        match self {
            Self::Flat => Ok(Terrain::flat(half)),
            Self::Hills => Ok(Terrain::hills(seed, half)),
            Self::Terrain(terrain) if reach(terrain) >= ENOUGH * crowd => Ok(terrain.clone()),
            Self::Fitted(terrain) if reach(terrain) > 0.0 => Ok(terrain.stretched(half / reach(terrain))?),
            Self::Terrain(_) | Self::Fitted(_) => Err(CrowdError::Ground { width: 2.0 * crowd }),
        }
    }

    /// Returns the lowest and the highest height that the ground can have, in metres. Generated ground begins at 0.
    pub(super) fn height_range(&self, terrain: &Terrain) -> (f32, f32) {
        let first = match self {
            Self::Flat | Self::Hills => 0.0,
            Self::Terrain(_) | Self::Fitted(_) => terrain.heights().first().copied().unwrap_or_default(),
        };
        terrain.heights().iter().fold((first, first), |(low, high), &h| (low.min(h), high.max(h)))
    }
}

/// Returns the distance in metres from the origin to the nearest border of a terrain. It is negative if the origin is outside.
fn reach(terrain: &Terrain) -> f32 {
    let (columns, rows) = terrain.size();
    #[expect(clippy::cast_precision_loss, reason = "at most 2²³ columns or rows")]
    let size = terrain.cell() * Vec2::new((columns - 1) as f32, (rows - 1) as f32);
    (-terrain.origin()).min(terrain.origin() + size).min_element()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns three by two heights from -5 to 0 m, in cells of one metre.
    fn sunken(origin: Vec2) -> Terrain {
        let heights = (0..6_u8).map(|height| f32::from(height) - 5.0).collect();
        Terrain::from_heights(heights, 3, 2, 1.0, origin).unwrap()
    }

    #[test]
    fn ground_of_a_given_size_must_have_room_for_the_crowd() {
        let ground = CrowdGround::Terrain(sunken(Vec2::new(-1.0, -0.5)));
        assert!(ground.terrain(1, 0.5, 9.0).is_ok());
        let refused = ground.terrain(1, 3.2, 9.0).unwrap_err().to_string();
        assert_eq!(
            refused,
            "the crowd needs ground 7 m wide around the origin; use a larger terrain or fewer characters"
        );
    }

    #[test]
    fn other_ground_is_stretched_around_the_origin() {
        let fitted = CrowdGround::Fitted(sunken(Vec2::new(-1.0, -0.5)));
        let terrain = fitted.terrain(1, 8.0, 2.0).unwrap();
        assert_eq!((terrain.origin(), terrain.cell()), (Vec2::new(-20.0, -10.0), 20.0));
        assert_eq!(fitted.height_range(&terrain), (-5.0, 0.0));
        assert_eq!(terrain.heights()[0], -5.0);
        let elsewhere = CrowdGround::Fitted(sunken(Vec2::ONE));
        assert!(matches!(elsewhere.terrain(1, 8.0, 2.0), Err(CrowdError::Ground { .. })));
        let huge = fitted.terrain(1, 3e38, 0.0);
        assert!(matches!(huge, Err(CrowdError::Terrain(_))), "{huge:?}");
    }

    #[test]
    fn generated_ground_begins_at_height_zero() {
        for ground in [CrowdGround::Flat, CrowdGround::Hills] {
            let terrain = ground.terrain(3, 10.0, 2.0).unwrap();
            let (low, high) = ground.height_range(&terrain);
            assert!(low == 0.0 && (high > 0.1) == (ground == CrowdGround::Hills), "{low} {high}");
        }
    }
}
