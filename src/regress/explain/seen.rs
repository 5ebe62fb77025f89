//! Measures how far changes to meshes, skin weights and inverse bind matrices move visible vertices.

use std::collections::BTreeMap;

use super::motion::Scenes;
use super::pixels::Cause;
use super::raster;

/// The minimum distances in pixels by which changes to meshes move visible vertices.
#[derive(Debug, Default)]
pub(super) struct MeshShifts(BTreeMap<Cause, f32>);

impl MeshShifts {
    pub(super) fn of(scenes: &Scenes<'_>) -> Self {
        let facts = scenes.facts;
        let mut shifts = BTreeMap::new();
        if facts.meshes.is_empty() && facts.binds.is_empty() {
            return Self(shifts);
        }
        let drawn = |part: &usize| {
            scenes.surfaces.iter().all(|surfaces| surfaces.parts.get(*part).is_some_and(Option::is_some))
        };
        let parts = (0..scenes.puppet.parts().len()).filter(drawn);
        let mut parts = parts.filter_map(|part| u32::try_from(part).ok());
        if !facts.binds.is_empty() && parts.all(|part| facts.seen.contains_key(&part)) {
            shifts.insert(Cause::Binds, 0.0);
        }
        for (part, change) in facts.meshes.iter().filter(|(part, _)| facts.seen.contains_key(part)) {
            let weights = change.changes_weights().then_some(Cause::Weights(*part));
            let mesh = (change.changes_positions() && change.only_moves()).then_some(Cause::Mesh(*part));
            shifts.extend(weights.into_iter().chain(mesh).map(|cause| (cause, 0.0)));
        }
        for (hit, vertex) in scenes.visible_vertices() {
            let Some(shift) = scenes.mesh_shift(hit.part, vertex).filter(|shift| *shift > 0.0) else {
                continue;
            };
            let is_bound = raster::nodes(scenes.puppet, &hit).iter().any(|node| facts.binds.contains(node));
            let change = facts.meshes.get(&hit.part);
            let cause = if is_bound {
                Cause::Binds
            } else if change.is_some_and(|change| change.has_moved(&[vertex]) || !change.changes_weights()) {
                Cause::Mesh(hit.part)
            } else {
                Cause::Weights(hit.part)
            };
            if let Some(largest) = shifts.get_mut(&cause) {
                *largest = largest.max(shift);
            }
        }
        Self(shifts)
    }

    /// Returns a lower bound of the largest distance in pixels by which a cause moves a visible vertex. Returns `None` if the golden does
    /// not contain the positions of the vertices.
    pub(super) fn get(&self, cause: &Cause) -> Option<f32> {
        self.0.get(cause).copied()
    }
}
