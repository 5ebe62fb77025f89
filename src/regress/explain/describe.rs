//! Turns groups of pixels into changes and a sentence.

use std::collections::BTreeMap;

use crate::record::SeenRecord;
use crate::tolerance::KindTolerance;

use super::change::Change;
use super::facts::MaterialChange;
use super::meshes::MeshChange;
use super::motion::{MIN_SHIFT, Scenes, Shift};
use super::pixels::Cause;
use super::seen::MeshShifts;
use super::verdict::{Wording, verdict};
use super::words::count;
use super::{Explanation, Group};

/// Number of pixels that may differ clearly although no part or mesh has changed visibly.
const MESH_PIXELS: usize = 5;
/// A single pixel of a changed vertex differs clearly if it differs by this number of levels.
const CLEAR_LEVELS: u8 = 96;
/// The smallest movement in pixels that can be distinguished from another driver's differences.
const DRIVER_SHIFT: f32 = 0.04;
/// The smallest mean difference of a channel in levels that can be distinguished from another driver's rounding.
const DRIVER_MEAN: f64 = 1.25;
/// The value of `DRIVER_MEAN` if the other driver draws nearly all other pixels identically, and the fraction of those pixels that may
/// still differ.
const QUIET_MEAN: f64 = 0.75;
const QUIET: f64 = 0.02;
/// Among the pixels that another driver draws differently, one in this many may differ by two levels or more.
const DRIVER_VISIBLE: usize = 8;

/// The changes between the golden's scene, redrawn by the current driver, and the actual scene.
pub(super) struct Redrawn {
    pub(super) changes: Vec<(Cause, Change)>,
    /// The differences between the materials of the two scenes.
    pub(super) materials: BTreeMap<u32, MaterialChange>,
}

impl Redrawn {
    /// Decides which changes count and which of them fail, by copying the decisions about the redrawn scene.
    fn decide(&self, scenes: &Scenes<'_>, changes: &mut Vec<(Cause, Change)>) {
        for (cause, change) in changes.iter_mut().filter(|(cause, _)| self.decides(scenes, cause)) {
            let known = self.changes.iter().find(|(known, _)| known == cause).map(|(_, known)| known);
            change.counts = known.is_some_and(|known| known.counts);
            change.fails = known.is_some_and(|known| known.fails);
            change.visible = known.map_or(0, |known| known.visible);
            change.alpha = known.map_or(0, |known| known.alpha);
        }
        // The other driver's noise may have assigned the pixels of this change to another change.
        let is_hidden = |(cause, change): &&(Cause, Change)| {
            change.fails && self.decides(scenes, cause) && changes.iter().all(|(known, _)| known != cause)
        };
        let hidden: Vec<(Cause, Change)> = self.changes.iter().filter(is_hidden).cloned().collect();
        changes.extend(hidden);
    }

    fn decides(&self, scenes: &Scenes<'_>, cause: &Cause) -> bool {
        match cause {
            Cause::Moved(_)
            | Cause::Morph(_)
            | Cause::Camera
            | Cause::Light
            | Cause::Background
            | Cause::Other => true,
            Cause::Material(part) => self.materials.get(part) == scenes.facts.materials.get(part),
            // The golden is redrawn with the current meshes, so the shadows of changed meshes are the same in both images.
            Cause::Shadow => !scenes.facts.changes_shapes(scenes.conditions.same_machine),
            _ => false,
        }
    }
}

/// Describes the changes between two scenes.
pub(super) struct Describe<'a> {
    scenes: &'a Scenes<'a>,
    tolerance: &'a KindTolerance,
    wording: Wording<'a>,
    meshes: MeshShifts,
}

impl<'a> Describe<'a> {
    pub(super) fn new(scenes: &'a Scenes<'a>, tolerance: &'a KindTolerance) -> Self {
        Self { scenes, tolerance, wording: Wording::new(scenes), meshes: MeshShifts::of(scenes) }
    }

    /// Returns the explanation of the groups. `causes` has one element for each pixel.
    pub(super) fn explanation(
        &self,
        groups: &BTreeMap<Cause, Group>,
        causes: &[Option<Cause>],
        redrawn: Option<&Redrawn>,
    ) -> Explanation {
        let mut changes = self.changes(groups);
        if let Some(redrawn) = redrawn {
            redrawn.decide(self.scenes, &mut changes);
        }
        changes.sort_by(|(_, a), (_, b)| {
            let shift = |change: &Change| change.shift.unwrap_or_default();
            let by_size = || shift(b).total_cmp(&shift(a)).then(b.visible.cmp(&a.visible));
            b.fails.cmp(&a.fails).then(a.kind.cmp(&b.kind)).then_with(by_size).then(b.pixels.cmp(&a.pixels))
        });
        let indices: BTreeMap<&Cause, u16> = changes.iter().map(|(cause, _)| cause).zip(1..).collect();
        let map =
            causes.iter().map(|cause| cause.as_ref().and_then(|c| indices.get(c)).copied().unwrap_or(0));
        let map = map.collect();
        let unseen = self.wording.unseen(changes.iter().map(|(cause, _)| cause));
        let changes: Vec<Change> = changes.into_iter().map(|(_, change)| change).collect();
        Explanation { verdict: verdict(&changes, &unseen), changes, unseen, map }
    }

    /// Returns a change for each group.
    pub(super) fn changes(&self, groups: &BTreeMap<Cause, Group>) -> Vec<(Cause, Change)> {
        let mut changes: Vec<(Cause, Change)> =
            groups.iter().map(|(cause, group)| (cause.clone(), self.change(cause, group, groups))).collect();
        self.judge(&mut changes, groups);
        changes
    }

    /// Decides which changes exceed the tolerance of their kind.
    fn judge(&self, changes: &mut [(Cause, Change)], groups: &BTreeMap<Cause, Group>) {
        let KindTolerance { moved, changed, alpha } = *self.tolerance;
        let (mut pixels, mut transparency) = (0, 0);
        for (_, change) in changes.iter().filter(|(_, change)| change.counts) {
            pixels += change.visible;
            transparency += change.alpha;
        }
        for (cause, change) in changes {
            let is_counted = change.counts && change.visible > 0;
            let exceeds = is_counted && (pixels > changed || change.alpha > 0 && transparency > alpha);
            change.fails = exceeds
                || match cause {
                    Cause::Presence(..) | Cause::Gone => change.counts,
                    Cause::Mesh(_) | Cause::Weights(_) | Cause::Binds => {
                        groups.get(cause).is_some_and(|group| self.shows_mesh(cause, group))
                    }
                    _ => change.shift.is_some_and(|shift| shift >= f64::from(moved)),
                };
        }
    }

    /// Returns whether the visible pixels of a group count as changed.
    ///
    /// They do not count if the scene is the same: then only the renderer differs, and the limits of the whole image decide. On another
    /// machine, pixels also differ because of rounding, which has no direction and seldom exceeds a level. There, a group counts only if
    /// it exceeds this rounding, or if a movement is large enough.
    fn counts(
        &self,
        cause: &Cause,
        group: &Group,
        groups: &BTreeMap<Cause, Group>,
        shift: Option<Shift>,
    ) -> bool {
        if matches!(cause, Cause::Renderer(_) | Cause::SharpShadow | Cause::Silhouette | Cause::Noise) {
            return false;
        }
        if self.scenes.conditions.same_machine {
            return group.visible > 0;
        }
        match (cause, shift) {
            (Cause::Presence(..) | Cause::Gone, _) => group.clear > MESH_PIXELS,
            (Cause::Mesh(_) | Cause::Weights(_) | Cause::Binds, _) => self.shows_mesh(cause, group),
            // The file was rewritten with rounded numbers.
            (Cause::Attributes(part), _)
                if self
                    .scenes
                    .facts
                    .meshes
                    .get(part)
                    .is_some_and(|m| m.changes_positions() && m.is_rounding()) =>
            {
                false
            }
            (Cause::Material(part), _)
                if self.scenes.facts.materials.get(part).is_some_and(|m| m.is_slight) =>
            {
                false
            }
            (_, Some(shift)) => shift.pixels >= DRIVER_SHIFT,
            (_, None) => {
                #[expect(clippy::cast_precision_loss, reason = "sums of levels are exact")]
                let mean = |sum: &i64| (*sum as f64 / group.pixels.max(1) as f64).abs();
                let least = if self.is_quiet(group, groups) { QUIET_MEAN } else { DRIVER_MEAN };
                let has_direction = group.signed.iter().map(mean).fold(0.0, f64::max) >= least;
                has_direction || group.visible * DRIVER_VISIBLE > group.pixels
            }
        }
    }

    /// Returns whether nearly all pixels without a cause are the same.
    fn is_quiet(&self, group: &Group, groups: &BTreeMap<Cause, Group>) -> bool {
        let differing: usize = groups.values().map(|group| group.pixels).sum();
        let [ids, _] = self.scenes.ids;
        let all = (ids.width as usize * ids.height as usize).saturating_sub(group.pixels);
        #[expect(clippy::cast_precision_loss, reason = "numbers of pixels are exact")]
        let part = (differing - group.pixels) as f64 / all.max(1) as f64;
        part < QUIET
    }

    /// Returns whether a mesh has changed visibly. A mesh that was only rewritten with different rounding changes pixels by one level or at
    /// a few edges. A vertex that moved changes the shading around it.
    fn shows_mesh(&self, cause: &Cause, group: &Group) -> bool {
        let change = match cause {
            Cause::Weights(part) | Cause::Mesh(part) => self.scenes.facts.meshes.get(part),
            _ => None,
        };
        let is = |test: fn(&MeshChange) -> bool| change.is_some_and(test);
        let has_many = group.visible > self.tolerance.changed;
        let is_located = is(MeshChange::is_located);
        if let Some(shift) = self.meshes.get(cause) {
            // Noise from another machine affects the whole part, so its pixels count only if the changed vertices are known.
            let has_many = match self.scenes.conditions.same_machine {
                true => has_many,
                false => is_located && group.clear > self.tolerance.changed,
            };
            // The golden stores the position of a vertex only as a cell, so the vertex may have moved farther.
            return has_many || shift >= MIN_SHIFT && shift + SeenRecord::ERROR >= self.tolerance.moved;
        }
        // When a vertex on an outline moves, only a few pixels change, but each by many levels.
        let is_clear = group.clear > MESH_PIXELS || group.clear > 0 && group.levels >= CLEAR_LEVELS;
        match self.scenes.conditions.same_machine {
            true if self.scenes.facts.is_rewritten || is(MeshChange::is_rounding) => has_many,
            true if is_located => has_many || is_clear,
            true => has_many || group.clear > 2 * MESH_PIXELS,
            // The group contains only pixels of changed vertices.
            false if is_located => is_clear,
            false => group.interior > 3 * MESH_PIXELS,
        }
    }

    fn change(&self, cause: &Cause, group: &Group, groups: &BTreeMap<Cause, Group>) -> Change {
        let shift = match cause {
            Cause::Moved(node) => self.scenes.shifts.get(&Some(*node)).copied(),
            Cause::Morph(_) => self.scenes.shifts.get(&None).copied(),
            Cause::Mesh(_) | Cause::Weights(_) | Cause::Binds => {
                let moved = self.meshes.get(cause).filter(|pixels| *pixels > 0.0);
                moved.map(|pixels| Shift { distance: 0.0, pixels })
            }
            Cause::Camera => Some(Shift { distance: 0.0, pixels: self.scenes.camera }),
            _ => None,
        };
        // Vertices outside the compared region may move farther, so only the movement inside it counts.
        let shift = if self.scenes.conditions.restricted { shift.map(|_| group.shift) } else { shift };
        let joint = match cause {
            Cause::Moved(node) => Some(*node),
            Cause::Binds if self.scenes.facts.binds.len() == 1 => self.scenes.facts.binds.first().copied(),
            _ => None,
        };
        let part = match cause {
            Cause::Presence(_, part)
            | Cause::Weights(part)
            | Cause::Mesh(part)
            | Cause::Morph(part)
            | Cause::Material(part)
            | Cause::Attributes(part) => Some(*part),
            Cause::Renderer(part) => *part,
            _ => None,
        };
        let skeleton = &self.scenes.puppet.character().skeleton;
        let turned = joint.and_then(|node| self.scenes.facts.joints.get(&node));
        #[expect(clippy::cast_precision_loss, reason = "numbers of pixels are exact")]
        let delta_e = group.delta_e / group.pixels.max(1) as f64;
        let mut change = Change {
            kind: cause.kind(),
            text: String::new(),
            cause: self.wording.cause(cause),
            part: part.map(|part| self.wording.part(part)),
            joint: joint.map(|node| skeleton.label(node)),
            material: part.and_then(|part| self.material(part)),
            pixels: group.pixels,
            visible: group.visible,
            fails: false,
            counts: self.counts(cause, group, groups, shift),
            levels: group.levels,
            alpha: group.alpha,
            delta_e,
            distance: shift.filter(|s| s.distance > 0.0).map(|s| s.distance.into()),
            angle: turned.map(|turned| turned.angle.into()),
            shift: shift.map(|s| s.pixels.into()),
            bounds: group.bounds,
        };
        change.text = self.wording.text(cause, &change);
        if change.alpha > 0 {
            change.text += &format!(", of them {} with another alpha", count(change.alpha));
        }
        change
    }

    fn material(&self, part: u32) -> Option<String> {
        let (puppet, index) = (self.scenes.puppet, part as usize);
        let character = puppet.character();
        let material = character.primitive(*puppet.parts().get(index)?).material?;
        Some(character.materials.get(material)?.name.clone().unwrap_or_else(|| format!("#{material}")))
    }
}
