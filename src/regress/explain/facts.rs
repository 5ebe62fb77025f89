//! The differences between two records of a scene.

use std::collections::{BTreeMap, BTreeSet};

use glam::{Affine3A, DAffine3, DQuat, DVec3, Vec3};

use crate::puppet::Puppet;
use crate::record::{
    CameraRecord, MaterialRecord, NO_FLOOR, SceneRecord, SeenVertices, part_names, unique_labels,
};

use super::meshes::MeshChange;

/// Smallest angle in radians, and smallest distance relative to the size of the skeleton, that count as a change of a joint. Smaller
/// differences come from rounding world matrices to single precision.
const MIN_TURN: f64 = 2e-6;
const MIN_DISTANCE: f64 = 1e-6;

/// The text for a floor that followed the figure.
pub(super) const MOVED_FLOOR: &str = "the floor is at another place";

#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// The nodes whose transforms relative to their parents differ.
    pub(super) joints: BTreeMap<usize, JointChange>,
    /// Whether weights of morph targets or values of animated properties differ.
    pub(super) weights: bool,
    /// How the camera differs, as clauses. Empty if it is the same.
    pub(super) camera: Vec<String>,
    /// Names of parts that are only in the golden.
    pub(super) missing: Vec<String>,
    /// Names of parts that the character no longer has.
    pub(super) gone: Vec<String>,
    /// Names of parts that are not in the golden.
    pub(super) added: Vec<String>,
    /// The joints whose inverse bind matrices differ.
    pub(super) binds: BTreeSet<usize>,
    /// Whether most inverse bind matrices differ, because a program has rewritten the file with other axes or units.
    pub(super) is_rewritten: bool,
    /// How the meshes of parts differ.
    pub(super) meshes: BTreeMap<u32, MeshChange>,
    /// The positions of the vertices of parts in the golden's image, if their order is the same.
    pub(super) seen: BTreeMap<u32, SeenVertices>,
    /// How the materials of parts differ.
    pub(super) materials: BTreeMap<u32, MaterialChange>,
    /// The settings that differ, as clauses, grouped into light, background and other settings.
    pub(super) light: Vec<String>,
    pub(super) background: Vec<String>,
    pub(super) other: Vec<String>,
}

/// How a material differs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MaterialChange {
    pub(super) name: String,
    pub(super) clause: String,
    /// Whether only the base colour differs, by less than a level.
    pub(super) is_slight: bool,
}

/// How the transform of a node relative to its parent differs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct JointChange {
    /// Angle between the rotations in radians.
    pub(super) angle: f32,
    /// Distance between the positions relative to the parent, in metres.
    pub(super) distance: f32,
}

impl Facts {
    /// Compares the current record of a puppet's scene with the record of a golden.
    pub(super) fn between(puppet: &Puppet, golden: &SceneRecord, actual: &SceneRecord) -> Self {
        let skeleton = &puppet.character().skeleton;
        let mut facts = Self {
            joints: joints(puppet, &golden.world_from_node(skeleton), &actual.world_from_node(skeleton)),
            weights: golden.weights != actual.weights,
            camera: camera(&golden.camera, &actual.camera),
            ..Self::default()
        };
        let labels = unique_labels(skeleton);
        let is_other = |node: &usize| {
            let bind = |record: &'_ SceneRecord| record.binds.get(labels.get(*node)?).cloned();
            bind(golden).zip(bind(actual)).is_some_and(|(was, is)| was != is)
        };
        facts.binds = (0..skeleton.nodes.len()).filter(is_other).collect();
        facts.is_rewritten = facts.binds.len() * 2 > actual.binds.len();
        facts.parts(puppet, golden, actual);
        facts.settings(golden, actual);
        facts
    }

    /// Returns whether parts, and thus their shadows, differ. On another machine, the shadows of single moved vertices cannot be
    /// distinguished from noise.
    pub(super) fn changes_shapes(&self, same_machine: bool) -> bool {
        let shapes =
            |change: &MeshChange| change.changes_the_shape() && (same_machine || !change.is_located());
        let shapes = self.meshes.values().any(shapes);
        shapes || !self.binds.is_empty() || !self.missing.is_empty() || !self.added.is_empty()
    }

    fn parts(&mut self, puppet: &Puppet, golden: &SceneRecord, actual: &SceneRecord) {
        let names = |record: &SceneRecord| -> BTreeSet<String> {
            record.parts.iter().map(|part| part.name.clone()).collect()
        };
        let (before, now) = (names(golden), names(actual));
        self.missing = before.difference(&now).cloned().collect();
        self.added = now.difference(&before).cloned().collect();
        let skeleton = &puppet.character().skeleton;
        let existing = part_names(puppet);
        self.gone = self.missing.iter().filter(|name| !existing.contains(name)).cloned().collect();
        for (index, name) in (0..).zip(existing) {
            let find = |record: &SceneRecord| record.parts.iter().find(|part| part.name == name).cloned();
            let Some((was, is)) = find(golden).zip(find(actual)) else { continue };
            // A joint without a name is identified by its inverse bind matrix, so the weights seem to differ if this matrix differs.
            let is_unnamed = |node: &usize| skeleton.nodes.get(*node).is_some_and(|node| node.name.is_none());
            let ignores_weights = self.binds.iter().any(is_unnamed);
            if let Some(change) = MeshChange::between(puppet, index, &was, &is, ignores_weights) {
                self.meshes.insert(index, change);
            }
            let part = puppet.parts().get(index as usize);
            if let Some((seen, part)) = was.seen.as_ref().zip(part) {
                let primitive = puppet.character().primitive(*part);
                let is_located = self.meshes.get(&index).is_some_and(MeshChange::is_located);
                if is_located || seen.has_order_of(primitive) {
                    self.seen.insert(index, seen.vertices(primitive));
                }
            }
            let materials = golden.materials.get(was.material).zip(actual.materials.get(is.material));
            // Names do not affect the look.
            let named = |record: &MaterialRecord| MaterialRecord {
                name: String::new(),
                numbers: None,
                ..record.clone()
            };
            let Some((was, is)) = materials.filter(|(was, is)| named(was) != named(is)) else { continue };
            let (before, now) = (color(was.color), color(is.color));
            let clause = if before != now {
                format!("its base colour is {now} instead of {before}")
            } else if was.color != is.color {
                "its base colour differs slightly".to_owned()
            } else if was.values != is.values {
                was.other_numbers(is).unwrap_or_else(|| "its values differ".to_owned())
            } else {
                "its textures differ".to_owned()
            };
            let is_slight = was.color != is.color && before == now && was.values == is.values;
            self.materials.insert(index, MaterialChange { name: is.name.clone(), clause, is_slight });
        }
    }

    fn settings(&mut self, golden: &SceneRecord, actual: &SceneRecord) {
        if let (Some(was), Some(is)) = (golden.floor, actual.floor)
            && !was.is_same(&is)
        {
            self.background.push(MOVED_FLOOR.to_owned());
        }
        let names: BTreeSet<&String> = golden.settings.keys().chain(actual.settings.keys()).collect();
        for name in names {
            let value = |record: &SceneRecord| record.settings.get(name).cloned().unwrap_or_default();
            let (was, is) = (value(golden), value(actual));
            if was == is {
                continue;
            }
            let clause = match name.as_str() {
                // The values of these settings are digests.
                "file lights" | "overlays" => format!("other {name}"),
                "ghosts" => ghosts(&was, &is),
                "floor" => format!("{} floor", if is == NO_FLOOR { "no" } else { "a" }),
                "light rotation" => format!("{name} {} instead of {}", degrees(&is), degrees(&was)),
                _ => format!("{name} {is} instead of {was}"),
            };
            match name.as_str() {
                "background" | "floor" => self.background.push(clause),
                "overlays" | "ghosts" | "samples" | "skinning" => self.other.push(clause),
                _ => self.light.push(clause),
            }
        }
    }

    /// Returns the changed joint that has moved a surface. `nodes` are the nodes that move it, largest weight first. For each of them in
    /// this order, the function looks for the nearest changed node among the node itself and its ancestors. Returns the first one found, or
    /// `None`.
    pub(super) fn cause(&self, puppet: &Puppet, nodes: &[usize]) -> Option<usize> {
        let skeleton = &puppet.character().skeleton;
        let changed = |node: &usize| skeleton.ancestors(*node).find(|n| self.joints.contains_key(n));
        nodes.iter().find_map(changed)
    }
}

/// Compares the transforms of all nodes relative to their parents.
fn joints(puppet: &Puppet, golden: &[Affine3A], actual: &[Affine3A]) -> BTreeMap<usize, JointChange> {
    let mut changes = BTreeMap::new();
    if golden == actual || golden.len() != actual.len() {
        return changes;
    }
    let positions = golden.iter().map(|world| Vec3::from(world.translation));
    let size = crate::view::Bounds::around(positions).sphere().1.max(f32::MIN_POSITIVE);
    let worlds = |worlds: &[Affine3A]| worlds.iter().map(Affine3A::as_daffine3).collect::<Vec<DAffine3>>();
    let (was, is) = (worlds(golden), worlds(actual));
    for &(node, parent) in &puppet.character().skeleton.parents_first {
        let local = |worlds: &[DAffine3]| {
            let world = worlds.get(node).copied()?;
            let above = parent.and_then(|parent| worlds.get(parent));
            Some(above.map_or(world, |above| above.inverse() * world))
        };
        let Some((before, now)) = local(&was).zip(local(&is)) else { continue };
        let angle = angle_between(&before, &now);
        // The scale of a parent changes the world length of a distance in its space.
        let scale =
            parent.and_then(|p| is.get(p)).map_or(1.0, |above| above.matrix3.determinant().abs().cbrt());
        let distance = before.translation.distance(now.translation) * scale;
        if angle > MIN_TURN || distance > MIN_DISTANCE * f64::from(size) {
            #[expect(clippy::cast_possible_truncation, reason = "poses have single precision")]
            changes.insert(node, JointChange { angle: angle as f32, distance: distance as f32 });
        }
    }
    changes
}

/// Returns the angle between the rotations of two transforms in radians. Unlike the arc cosine, the arc tangent is exact for small
/// angles.
fn angle_between(was: &DAffine3, is: &DAffine3) -> f64 {
    let rotation = |local: &DAffine3| local.to_scale_rotation_translation().1;
    let DQuat { x, y, z, w } = rotation(was).inverse() * rotation(is);
    let angle = 2.0 * DVec3::new(x, y, z).length().atan2(w.abs());
    if angle.is_finite() { angle } else { 0.0 }
}

pub(super) fn camera(golden: &CameraRecord, actual: &CameraRecord) -> Vec<String> {
    let mut clauses = Vec::new();
    if golden.shows_the_same(actual) {
        return clauses;
    }
    let (was, is) = (golden.camera(), actual.camera());
    let distance = was.position.distance(is.position);
    if distance > 0.0 {
        clauses.push(format!("its position differs by {}", super::words::length(distance)));
    }
    let turn = was.direction().angle_between(is.direction()).to_degrees();
    if turn > 1e-4 {
        clauses.push(format!("its direction differs by {turn:.2}°"));
    }
    match (golden.fov, actual.fov, golden.height, actual.height) {
        (Some(was), Some(is), ..) if was != is => {
            clauses.push(format!(
                "its field of view is {:.2}° instead of {:.2}°",
                is.to_degrees(),
                was.to_degrees()
            ));
        }
        (_, _, Some(was), Some(is)) if was != is => {
            clauses.push(format!("its height is {is:.3} m instead of {was:.3} m"));
        }
        (was, is, ..) if was.is_some() != is.is_some() => clauses.push("its projection differs".into()),
        _ => {}
    }
    if clauses.is_empty() {
        clauses.push("its target or up direction differs".into());
    }
    clauses
}

/// Returns text that says which ghosts differ. The values are digests of the ghosts' poses.
fn ghosts(golden: &str, actual: &str) -> String {
    let list = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<String>>();
    let (was, is) = (list(golden), list(actual));
    if was.len() != is.len() {
        return format!("{} ghosts instead of {}", is.len(), was.len());
    }
    let differing = (1..).zip(was.iter().zip(&is)).filter(|(_, (was, is))| was != is);
    let numbers: Vec<String> = differing.map(|(number, _): (usize, _)| number.to_string()).collect();
    match &numbers[..] {
        [one] => format!("ghost {one} of {} has another pose", is.len()),
        _ => format!("ghosts {} of {} have other poses", numbers.join(", "), is.len()),
    }
}

/// Converts a recorded angle from radians to degrees, the unit that people type.
fn degrees(radians: &str) -> String {
    radians.parse::<f64>().map_or_else(|_| radians.to_owned(), |angle| format!("{:.2}°", angle.to_degrees()))
}

/// Returns a linear colour as sRGB in hexadecimal notation.
fn color([r, g, b, a]: [f32; 4]) -> String {
    let level = |linear: f32| {
        let linear = linear.clamp(0.0, 1.0);
        let encoded =
            if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 255")]
        let level = (encoded * 255.0).round() as u8;
        level
    };
    let hex = format!("#{:02x}{:02x}{:02x}", level(r), level(g), level(b));
    if a < 1.0 { format!("{hex} with alpha {a:.2}") } else { hex }
}
