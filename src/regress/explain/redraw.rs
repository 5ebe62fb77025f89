//! Redraws the scene of a golden. If another driver drew the golden, its noise hides small changes, whereas two images from the current
//! driver have the same noise.

use glam::Vec3;

use crate::asset::{Material, Part};
use crate::puppet::Puppet;
use crate::record::{FloorRecord, MaterialRecord, SceneRecord, part_names, values_digest};
use crate::render::{Draw, Floor, Frame, Grid, Instance, Light};
use crate::skin::Palette;
use crate::view::Bounds;

/// Settings that a record contains only as digests.
const UNKNOWN: [&str; 3] = ["file lights", "overlays", "ghosts"];

/// A golden's pose, camera, light and materials, to be drawn with the current meshes and textures.
pub(crate) struct Redraw {
    record: SceneRecord,
    palette: Palette,
    /// The materials of parts that differ from the current ones.
    materials: Vec<Option<Material>>,
}

impl Redraw {
    /// Prepares to redraw a golden's scene. Returns `None` if the image would show the same as the current scene, or if the record lacks
    /// something that drawing needs.
    pub(crate) fn of(puppet: &Puppet, golden: &SceneRecord, actual: &SceneRecord) -> Option<Self> {
        let golden = golden.named_like(actual);
        let setting = |record: &SceneRecord, name: &str| record.settings.get(name).cloned();
        let is_unknown = |name: &&str| setting(&golden, name) != setting(actual, name);
        let has_image = setting(&golden, "light").as_deref() == Some("image");
        let is_other_light = has_image && setting(&golden, "light") != setting(actual, "light");
        let is_other_pose = golden.weights.len() != actual.weights.len();
        if UNKNOWN.iter().any(is_unknown) || is_other_light || is_other_pose {
            return None;
        }
        let mut record = SceneRecord {
            camera: golden.camera.clone(),
            floor: golden.floor,
            sphere: golden.sphere,
            joints: golden.joints.clone(),
            weights: golden.weights.clone(),
            settings: golden.settings.clone(),
            ..actual.clone()
        };
        let materials = restored_materials(puppet, &golden, &mut record);
        if record == *actual {
            return None;
        }
        let character = puppet.character();
        let mut palette = Palette::new(character, puppet.parts());
        palette.update(character, &record.world_from_node(&character.skeleton), record.skinning());
        Some(Self { record, palette, materials })
    }

    pub(crate) fn record(&self) -> &SceneRecord {
        &self.record
    }

    /// Returns the frame to draw. `frame` is the frame of the current scene.
    pub(crate) fn frame<'a>(&'a self, puppet: &'a Puppet, mut frame: Frame<'a>) -> Frame<'a> {
        // The depth range is restored too, because it may decide which of two coincident surfaces is visible.
        frame.camera = self.record.camera.camera();
        frame.ground = self.record.floor.map(|FloorRecord { center, radius }| {
            let grid = frame.ground.map_or(Grid::Faint, |floor| floor.grid);
            Floor { center: center.into(), radius, grid }
        });
        if let Some([x, y, z, radius]) =
            self.record.sphere.filter(|sphere| sphere.iter().all(|x| x.is_finite()))
        {
            frame.sphere = (Vec3::new(x, y, z), radius);
        }
        if let Some(first) = frame.instances.first_mut() {
            let boxes = puppet.part_boxes_of(&self.palette, &self.record.weights);
            let draws = first.draws.iter().map(|draw| self.draw(puppet, *draw, &boxes)).collect();
            *first = Instance { draws, palette: &self.palette.matrices, ..first.clone() };
        }
        let setting = |name: &str| self.record.settings.get(name).map(String::as_str).unwrap_or_default();
        let is_on = |name: &str, now: bool| match setting(name) {
            "" => now,
            value => value == "on",
        };
        let number = |name: &str| setting(name).parse().ok().filter(|number: &f32| number.is_finite());
        let Light { source, rotation, exposure, tone, file_lights } = frame.light;
        frame.light = Light {
            source: setting("light").parse().unwrap_or(source),
            rotation: number("light rotation").unwrap_or(rotation),
            exposure: number("exposure").unwrap_or(exposure),
            tone: setting("tone map").parse().unwrap_or(tone),
            file_lights,
        };
        frame.mode = setting("mode").parse().unwrap_or(frame.mode);
        frame.background = setting("background").parse().unwrap_or(frame.background);
        frame.samples =
            setting("samples").parse().ok().filter(|n| [1, 4].contains(n)).unwrap_or(frame.samples);
        frame.shadow = is_on("shadow", frame.shadow);
        frame.ambient_occlusion = is_on("ambient occlusion", frame.ambient_occlusion);
        frame
    }

    fn draw<'a>(&'a self, puppet: &'a Puppet, draw: Draw<'a>, boxes: &[Bounds]) -> Draw<'a> {
        let node = puppet.parts().get(draw.part).map(|part| part.node);
        let node = node.and_then(|node| puppet.character().skeleton.nodes.get(node));
        let weights = node.and_then(|node| self.record.weights.get(node.morph_weights.clone()));
        Draw {
            first_matrix: self.palette.first_matrix(draw.part),
            dual: self.palette.is_dual(draw.part),
            mirrored: self.palette.is_mirrored(draw.part),
            morph_weights: weights.unwrap_or_default(),
            material: self.materials.get(draw.part).and_then(Option::as_ref).or(draw.material),
            bounds: boxes.get(draw.part).copied().unwrap_or_default(),
            ..draw
        }
    }
}

/// Returns the materials of a golden that are fully known, and adds them to the record.
fn restored_materials(
    puppet: &Puppet,
    golden: &SceneRecord,
    record: &mut SceneRecord,
) -> Vec<Option<Material>> {
    let restored: Vec<Option<Restored>> = part_names(puppet)
        .iter()
        .zip(puppet.parts())
        .map(|(name, part)| Restored::of(puppet, *part, golden.material(name)?, record.material(name)?))
        .collect();
    for (name, restored) in part_names(puppet).iter().zip(&restored) {
        let part = record.parts.iter_mut().find(|part| part.name == *name);
        if let (Some(part), Some(restored)) = (part, restored) {
            part.material = record.materials.len();
            record.materials.push(restored.record.clone());
        }
    }
    restored.into_iter().map(|restored| Some(restored?.material)).collect()
}

/// A material as it was in a golden.
struct Restored {
    record: MaterialRecord,
    material: Material,
}

impl Restored {
    fn of(puppet: &Puppet, part: Part, was: &MaterialRecord, is: &MaterialRecord) -> Option<Self> {
        if was.textures != is.textures || was.color == is.color && was.values == is.values {
            return None;
        }
        let character = puppet.character();
        let of_file = character.primitive(part).material.and_then(|index| character.materials.get(index));
        let mut material = puppet.posed_material(part).or(of_file).cloned().unwrap_or_default();
        was.apply_to(&mut material);
        // If the digests differ, something has changed that the record does not contain.
        let is_same = values_digest(&material) == was.values;
        is_same.then(|| Self { record: MaterialRecord { name: is.name.clone(), ..was.clone() }, material })
    }
}
