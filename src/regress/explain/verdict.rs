//! Describes each change in words, and all changes in one sentence.

use std::collections::BTreeSet;

use crate::record::part_names;

use super::change::{Change, ChangeKind};
use super::facts::MaterialChange;
use super::meshes::{MeshChange, binds_text};
use super::motion::Scenes;
use super::pixels::Cause;
use super::words::{JointNames, count, length, node_name, pixels};

/// Maximum number of changes that a verdict names.
const NAMED: usize = 3;
/// Maximum number of changes without pixels that an explanation lists.
const MAX_UNSEEN: usize = 100;

/// The text about the shadows of a renderer without soft shadows.
const SHARP: &str = "soft shadows, which OpenGL draws sharp";

/// Puts the differences between two scenes into words.
pub(super) struct Wording<'a> {
    scenes: &'a Scenes<'a>,
    names: JointNames,
}

impl<'a> Wording<'a> {
    pub(super) fn new(scenes: &'a Scenes<'a>) -> Self {
        Self { scenes, names: JointNames::of(scenes.puppet) }
    }

    pub(super) fn part(&self, part: u32) -> String {
        part_names(self.scenes.puppet).get(part as usize).cloned().unwrap_or_default()
    }

    pub(super) fn text(&self, cause: &Cause, change: &Change) -> String {
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
            Cause::Binds | Cause::Weights(_) | Cause::Mesh(_) => {
                let what = self.contents(cause).unwrap_or_default();
                let moved =
                    if shift >= 0.05 { format!(", moved by {shift:.2} px or more") } else { String::new() };
                format!("{what}: {px} by at most {} levels{moved}", change.levels)
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
                let MaterialChange { name, clause, .. } =
                    facts.materials.get(part).cloned().unwrap_or_default();
                format!("material `{name}`: {}: {clause}", colors())
            }
            Cause::Attributes(_) => format!("{}: {}", self.contents(cause).unwrap_or_default(), colors()),
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
            Cause::SharpShadow => format!("{SHARP}: {px} by at most {} levels", change.levels),
            Cause::Silhouette => format!("outlines: {px}, within one pixel"),
            Cause::Noise => format!("driver noise: {px} by at most {} levels", change.levels),
        }
    }

    fn moved(&self, node: usize, change: &Change) -> String {
        let (puppet, facts) = (self.scenes.puppet, self.scenes.facts);
        let label = node_name(&puppet.character().skeleton, node);
        let words = self.names.words(puppet, node);
        let joint = facts.joints.get(&node).copied().unwrap_or_default();
        let shift = self.scenes.shifts.get(&Some(node)).copied().unwrap_or_default();
        let mut how = Vec::new();
        if joint.angle.to_degrees() >= 0.01 {
            how.push(format!("turned {:.2}°", joint.angle.to_degrees()));
        }
        // Less than a micrometre is rounding.
        if joint.distance >= 1e-6 {
            how.push(format!("moved {}", length(joint.distance)));
        }
        if how.is_empty() {
            how.push("differs slightly".into());
        }
        format!(
            "{words} {} at most ({:.2} px), {}: joint {label} {}",
            length(shift.distance),
            shift.pixels,
            pixels(change.pixels),
            how.join(" and ")
        )
    }

    /// Returns text about a cause that is the same for all images.
    pub(super) fn cause(&self, cause: &Cause) -> String {
        let facts = self.scenes.facts;
        let skeleton = &self.scenes.puppet.character().skeleton;
        match cause {
            Cause::Presence(ChangeKind::Added, part) => format!("part `{}` is new", self.part(*part)),
            Cause::Presence(_, part) => format!("part `{}` is not drawn", self.part(*part)),
            Cause::Gone => format!("part `{}` no longer exists", facts.gone.join("`, `")),
            Cause::Camera => "the camera differs".into(),
            Cause::Moved(node) => format!("joint {}", node_name(skeleton, *node)),
            Cause::Morph(part) => format!("morph targets of part `{}`", self.part(*part)),
            Cause::Material(part) => {
                let MaterialChange { name, clause, .. } =
                    facts.materials.get(part).cloned().unwrap_or_default();
                format!("material `{name}`: {clause}")
            }
            Cause::Light => facts.light.join(", "),
            Cause::Background => facts.background.join(", "),
            Cause::Other => facts.other.join(", "),
            Cause::Shadow => "shadow of what has moved".into(),
            Cause::Renderer(Some(part)) => {
                format!("part `{}`, although the scene is the same", self.part(*part))
            }
            Cause::Renderer(None) => "the background, although the scene is the same".into(),
            Cause::SharpShadow => SHARP.into(),
            Cause::Silhouette => "outlines".into(),
            Cause::Noise => "driver noise".into(),
            Cause::Binds | Cause::Weights(_) | Cause::Mesh(_) | Cause::Attributes(_) => {
                self.contents(cause).unwrap_or_default()
            }
        }
    }

    /// Returns text about a change of the skins or of a mesh in the file.
    fn contents(&self, cause: &Cause) -> Option<String> {
        let facts = self.scenes.facts;
        let mesh = |part: &u32| facts.meshes.get(part).map(|change| (change, self.part(*part)));
        Some(match cause {
            Cause::Binds => {
                let skeleton = &self.scenes.puppet.character().skeleton;
                binds_text(&facts.binds, |node| node_name(skeleton, node))
            }
            Cause::Weights(part) => mesh(part).map(|(change, part)| change.weights_text(&part))?,
            Cause::Mesh(part) => mesh(part).map(|(change, part)| change.positions_text(&part))?,
            Cause::Attributes(part) => mesh(part).map(|(change, part)| change.shading_text(&part))?,
            _ => return None,
        })
    }

    /// Returns text about the differences that no pixel shows, because the pose does not show them or because the camera follows them.
    pub(super) fn unseen<'c>(&self, seen: impl Iterator<Item = &'c Cause>) -> Vec<String> {
        let facts = self.scenes.facts;
        let seen: BTreeSet<&Cause> = seen.collect();
        let index = |name: &String| (0..).zip(part_names(self.scenes.puppet)).find(|(_, n)| n == name);
        let is_seen = |kind: ChangeKind, name: &String| match index(name) {
            Some((part, _)) => seen.contains(&Cause::Presence(kind, part)),
            None => seen.contains(&Cause::Gone),
        };
        let of = |names: &[String], kind: ChangeKind, what: &str| -> Vec<String> {
            let unseen = names.iter().filter(|name| !is_seen(kind, name));
            unseen.map(|name| format!("part `{name}` is {what}")).collect()
        };
        let mut clauses = of(&facts.missing, ChangeKind::Missing, "not drawn");
        clauses.extend(of(&facts.added, ChangeKind::Added, "not in the golden"));
        let mut causes = Vec::new();
        if !facts.binds.is_empty() {
            causes.push(Cause::Binds);
        }
        let parts = |differs: fn(&MeshChange) -> bool| {
            facts.meshes.iter().filter(move |(_, change)| differs(change)).map(|(part, _)| *part)
        };
        causes.extend(parts(MeshChange::changes_weights).map(Cause::Weights));
        causes.extend(parts(MeshChange::changes_positions).map(Cause::Mesh));
        causes.extend(parts(MeshChange::changes_shading).map(Cause::Attributes));
        let unseen = causes.iter().filter(|cause| !seen.contains(cause));
        clauses.extend(unseen.filter_map(|cause| self.contents(cause)));
        clauses.truncate(MAX_UNSEEN);
        clauses
    }
}

/// Returns a sentence that lists the changes, most important first, and the differences that no pixel shows.
pub(super) fn verdict(changes: &[Change], unseen: &[String]) -> String {
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
        let more = shown.len() - NAMED;
        clauses.push(format!("{} more {}", count(more), if more == 1 { "change" } else { "changes" }));
    }
    let unseen = some_of(unseen);
    // A camera that follows the figure hides the changes themselves, so the camera is listed last.
    let hides = shown.first().is_some_and(|change| change.kind == ChangeKind::Camera);
    if clauses.is_empty() {
        clauses.push("no pixel differs".to_owned());
    }
    let clauses = if hides { [unseen, clauses].concat() } else { [clauses, unseen].concat() };
    sentence(&clauses.join("; "))
}

/// Returns the first clauses about differences that no pixel shows, and the number of the remaining ones.
pub(super) fn some_of(unseen: &[String]) -> Vec<String> {
    let more = unseen.len().saturating_sub(NAMED);
    let mut some: Vec<String> = unseen.iter().take(NAMED).cloned().collect();
    if more > 0 {
        some.push(format!(
            "{} more {} of the file",
            count(more),
            if more == 1 { "change" } else { "changes" }
        ));
    }
    some
}

/// Capitalises the first letter of a text and adds a full stop.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}
