//! Buffers for evaluating the energy and the rows.

use glam::DVec3;

use super::capsule::Place;
use super::mass::CentreOfMass;

/// Buffers that each evaluation of the energy and the rows reuses.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffers {
    pub(super) columns: [Vec<DVec3>; 2],
    pub(super) mass: CentreOfMass,
    pub(super) places: Vec<Place>,
}
