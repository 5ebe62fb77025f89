//! Turns groups of pixels into changes and a sentence.

use std::collections::BTreeMap;

use crate::regress::tolerance::KindTolerance;

use super::change::{Change, ChangeKind};
use super::motion::{Scenes, Shift};
use super::pixels::Cause;
use super::words::{JointNames, count, length, pixels};
use super::{Explanation, Group};

/// Number of pixels that another driver may change beside a change of a mesh.
const DRIVER_PIXELS: usize = 16;
/// Number of changes that a verdict names.
const NAMED: usize = 3;

/// Describes the changes between two scenes.
pub(super) struct Describe<'a> {
    scenes: &'a Scenes<'a>,
    tolerance: &'a KindTolerance,
    names: JointNames,
}

impl<'a> Describe<'a> {
    pub(super) fn new(scenes: &'a Scenes<'a>, tolerance: &'a KindTolerance) -> Self {
        Self { scenes, tolerance, names: JointNames::of(scenes.puppet) }
    }

    /// Returns the explanation of the groups. `causes` has one element for each pixel.
    pub(super) fn explanation(
        &self,
        groups: BTreeMap<Cause, Group>,
        causes: &[Option<Cause>],
    ) -> Explanation {
        let mut changes: Vec<(Cause, Change)> =
            groups.into_iter().map(|(cause, group)| (cause.clone(), self.change(&cause, &group))).collect();
        self.judge(&mut changes);
        changes.sort_by(|(_, a), (_, b)| {
            let shift = |change: &Change| change.shift.unwrap_or_default();
            let by_size = || shift(b).total_cmp(&shift(a)).then(b.visible.cmp(&a.visible));
            b.fails
                .cmp(&a.fails)
                .then(rank(a.kind).cmp(&rank(b.kind)))
                .then_with(by_size)
                .then(b.pixels.cmp(&a.pixels))
        });
        let indices: BTreeMap<&Cause, u16> = changes.iter().map(|(cause, _)| cause).zip(1..).collect();
        let map =
            causes.iter().map(|cause| cause.as_ref().and_then(|c| indices.get(c)).copied().unwrap_or(0));
        let map = map.collect();
        let changes: Vec<Change> = changes.into_iter().map(|(_, change)| change).collect();
        Explanation { verdict: self.verdict(&changes), changes, map }
    }

    /// Decides which changes exceed the tolerance of their kind.
    fn judge(&self, changes: &mut [(Cause, Change)]) {
        let KindTolerance { moved, changed, alpha } = *self.tolerance;
        let noise = if self.scenes.same_machine { 0 } else { DRIVER_PIXELS };
        let (mut pixels, mut transparency) = (0, 0);
        for (cause, change) in changes.iter_mut() {
            // If the scene is the same, only the renderer differs, and the limits of the whole image decide.
            change.counts = !matches!(cause, Cause::Renderer(_) | Cause::Silhouette | Cause::Noise);
            pixels += if change.counts { change.visible } else { 0 };
            transparency += if change.counts { change.alpha } else { 0 };
        }
        for (cause, change) in changes {
            let is_counted = change.counts && change.visible > 0;
            let exceeds = is_counted && (pixels > changed || change.alpha > 0 && transparency > alpha);
            change.fails = exceeds
                || match cause {
                    Cause::Presence(..) | Cause::Gone | Cause::Mesh(_) => change.visible > noise,
                    _ => change.shift.is_some_and(|shift| shift >= f64::from(moved)),
                };
        }
    }

    fn change(&self, cause: &Cause, group: &Group) -> Change {
        let shift = match cause {
            Cause::Moved(node) => self.scenes.shifts.get(node).copied(),
            Cause::Morph(_) => self
                .scenes
                .shifts
                .iter()
                .filter(|(n, _)| !self.scenes.facts.joints.contains_key(*n))
                .map(|(_, s)| *s)
                .reduce(larger),
            Cause::Camera => Some(Shift { distance: 0.0, pixels: self.scenes.camera }),
            _ => None,
        };
        let joint = match cause {
            Cause::Moved(node) => Some(*node),
            _ => None,
        };
        let part = match cause {
            Cause::Presence(_, part)
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
            part: part.map(|part| self.part(part)),
            joint: joint.map(|node| skeleton.label(node)),
            material: part.and_then(|part| self.material(part)),
            pixels: group.pixels,
            visible: group.visible,
            fails: false,
            counts: false,
            levels: group.levels,
            alpha: group.alpha,
            delta_e,
            distance: shift.filter(|s| s.distance > 0.0).map(|s| s.distance.into()),
            angle: turned.map(|turned| turned.angle.into()),
            shift: shift.map(|s| s.pixels.into()),
            bounds: group.bounds,
        };
        change.text = self.text(cause, &change);
        if change.alpha > 0 {
            change.text += &format!(", of them {} with another alpha", count(change.alpha));
        }
        change
    }

    fn part(&self, part: u32) -> String {
        let names = crate::regress::record::part_names(self.scenes.puppet);
        names.get(part as usize).cloned().unwrap_or_default()
    }

    fn material(&self, part: u32) -> Option<String> {
        let (puppet, index) = (self.scenes.puppet, part as usize);
        let character = puppet.character();
        let material = character.primitive(*puppet.parts().get(index)?).material?;
        Some(character.materials.get(material)?.name.clone().unwrap_or_else(|| format!("#{material}")))
    }

    fn text(&self, cause: &Cause, change: &Change) -> String {
        let facts = self.scenes.facts;
        let px = pixels(change.pixels);
        let part = || change.part.clone().unwrap_or_default();
        let colors = || format!("ΔE {:.1} in {px}", change.delta_e);
        let shift = change.shift.unwrap_or_default();
        match cause {
            Cause::Presence(ChangeKind::Added, _) => {
                format!("part `{}` is drawn, but not in the golden: {px}", part())
            }
            Cause::Presence(..) => format!("part `{}` is not drawn: {px}", part()),
            Cause::Gone => format!("part `{}` no longer exists: {px}", facts.gone.join("`, `")),
            Cause::Camera => {
                format!("camera: the image shifts by at most {shift:.2} px: {}", facts.camera.join(", "))
            }
            Cause::Moved(node) => self.moved(*node, change),
            Cause::Mesh(_) => {
                format!("the mesh of part `{}` differs: {px} by at most {} levels", part(), change.levels)
            }
            Cause::Morph(_) => {
                let distance = change.distance.unwrap_or_default();
                #[expect(clippy::cast_possible_truncation, reason = "it is from single precision")]
                let distance = length(distance as f32);
                format!(
                    "part `{}` {distance} at most ({shift:.2} px), {px}: weights of its morph targets differ",
                    part()
                )
            }
            Cause::Material(part) => {
                let (name, clause) = facts.materials.get(part).cloned().unwrap_or_default();
                format!("material `{name}`: {}: {clause}", colors())
            }
            Cause::Attributes(_) => {
                format!("normals, colours or texture coordinates of part `{}`: {}", part(), colors())
            }
            Cause::Light => format!("light: {}: {}", colors(), facts.light.join(", ")),
            Cause::Background => format!("background: {px}: {}", facts.background.join(", ")),
            Cause::Shadow => format!("shadow of what has moved: {px} by at most {} levels", change.levels),
            Cause::Other => format!("{}: {px}", facts.other.join(", ")),
            Cause::Renderer(part) => {
                let where_ = match part {
                    Some(_) => format!("part `{}`", change.part.clone().unwrap_or_default()),
                    None => "the background".into(),
                };
                format!("{where_}: {}, although the scene is the same", colors())
            }
            Cause::Silhouette => format!("outlines: {px}, within one pixel"),
            Cause::Noise => format!("driver noise: {px} by at most {} levels", change.levels),
        }
    }

    fn moved(&self, node: usize, change: &Change) -> String {
        let (puppet, facts) = (self.scenes.puppet, self.scenes.facts);
        let label = puppet.character().skeleton.label(node);
        let words = self.names.words(puppet, node);
        let joint = facts.joints.get(&node).copied().unwrap_or_default();
        let shift = self.scenes.shifts.get(&node).copied().unwrap_or_default();
        let mut how = Vec::new();
        if joint.angle.to_degrees() >= 0.01 {
            how.push(format!("turned {:.2}°", joint.angle.to_degrees()));
        }
        if joint.distance > 0.0 && length(joint.distance) != length(0.0) {
            how.push(format!("moved {}", length(joint.distance)));
        }
        if how.is_empty() {
            how.push("differs slightly".into());
        }
        format!(
            "{words} {} at most ({:.2} px), {}: joint `{label}` {}",
            length(shift.distance),
            shift.pixels,
            pixels(change.pixels),
            how.join(" and ")
        )
    }

    /// Returns a sentence about the changes, the most important first.
    fn verdict(&self, changes: &[Change]) -> String {
        let failing: Vec<&Change> = changes.iter().filter(|change| change.fails).collect();
        let shown = if failing.is_empty() { changes.iter().collect() } else { failing };
        let mut clauses: Vec<String> = Vec::new();
        let mut kind = None;
        for change in shown.iter().take(NAMED) {
            let prefix = match change.kind {
                ChangeKind::Moved | ChangeKind::Shaded if kind != Some(change.kind) => {
                    format!("{}: ", change.kind.name())
                }
                _ => String::new(),
            };
            kind = Some(change.kind);
            clauses.push(format!("{prefix}{}", change.text));
        }
        if shown.len() > NAMED {
            clauses.push(format!("{} more changes", count(shown.len() - NAMED)));
        }
        let text = if clauses.is_empty() { "no pixel differs".to_owned() } else { clauses.join("; ") };
        let mut chars = text.chars();
        let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
        format!("{first}{}.", chars.as_str())
    }
}

fn larger(a: Shift, b: Shift) -> Shift {
    Shift { distance: a.distance.max(b.distance), pixels: a.pixels.max(b.pixels) }
}

/// Returns the importance of a kind, the most important first. A camera that follows the pose must not hide what has moved, so the larger of
/// both movements comes first.
fn rank(kind: ChangeKind) -> ChangeKind {
    if kind == ChangeKind::Moved { ChangeKind::Camera } else { kind }
}
