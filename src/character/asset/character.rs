//! The contents of a loaded file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::api::Missing;

use super::{
    Camera, Clip, Constraint, CorrectedKeys, Expression, FaceTracks, Image, Light, LookAt, Material,
    MechanicalJoint, Mesh, PoseTarget, PoseValue, Primitive, References, Skeleton, Skin, SpringBones,
    Texture, Variants,
};

/// A character: the skeleton, skins, meshes, materials and clips of one file. It does not change after loading.
#[derive(Clone, Debug, Default)]
pub struct Character {
    /// Path of the file, as the user wrote it.
    pub path: PathBuf,
    /// Paths of the buffer and image files to which the file refers, resolved against its folder. Unreadable files are
    /// included.
    pub files: Vec<PathBuf>,
    /// Locations that referenced files may be read from, including when the character is copied or reloaded.
    pub references: References,
    /// Length in metres of one unit of the file, if its format does not define the unit. All lengths in a character are
    /// in metres.
    pub units: Option<f64>,
    /// The file's `asset.generator`.
    pub generator: Option<String>,
    /// The file's `extensionsUsed`.
    pub extensions: Vec<String>,
    /// All nodes of the file.
    pub skeleton: Skeleton,
    /// Scenes of the file. A file without scenes gets one that contains all root nodes.
    pub scenes: Vec<Scene>,
    /// Index of the scene that is shown by default.
    pub default_scene: usize,
    /// Joints and inverse bind matrices of the skinned meshes.
    pub skins: Vec<Skin>,
    /// Triangle meshes.
    pub meshes: Vec<Mesh>,
    /// Surface materials.
    pub materials: Vec<Material>,
    /// Images with their samplers.
    pub textures: Vec<Texture>,
    /// Alternative materials.
    pub variants: Variants,
    /// Encoded images.
    pub images: Vec<Image>,
    /// Lights of the file. They are not drawn.
    pub lights: Vec<Light>,
    /// Cameras of the file, in the order of its list of cameras.
    pub cameras: Vec<Camera>,
    /// Animation clips.
    pub clips: Vec<Clip>,
    /// Keys of clips that were corrected while the file was read.
    pub corrected_keys: Vec<CorrectedKeys>,
    /// Map from the bones of a human body to nodes, if the file has one.
    pub humanoid: Option<Humanoid>,
    /// Facial expressions of the file that change at least one morph target or material.
    pub expressions: Vec<Expression>,
    /// The values that follow the morph weights in a pose.
    pub values: Vec<PoseValue>,
    /// Spring bones: joints that swing.
    pub springs: SpringBones,
    /// The joints of a machine, keyed by the node that each joint moves. Empty for other characters.
    pub joints: BTreeMap<usize, MechanicalJoint>,
    /// Constraints of nodes that follow other nodes, in the order of evaluation.
    pub constraints: Vec<Constraint>,
    /// Facial expressions and gaze from the clips of a VRM animation.
    pub face_tracks: FaceTracks,
    /// How the eyes look at a point.
    pub look_at: Option<LookAt>,
    /// Warnings about problems in the file and how they were handled, one line each.
    pub warnings: Vec<String>,
}

/// Root nodes that are shown together.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// Name in the file.
    pub name: Option<String>,
    /// Node indices.
    pub roots: Vec<usize>,
}

/// Map from the bones of a human body to nodes, read from the file's VRM extension. The bones have their VRM 1.0 names (`hips`,
/// `leftUpperArm`, …).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Humanoid {
    /// Node index of each bone in the map.
    pub bones: BTreeMap<String, usize>,
    /// Major version of VRM. Version 0 faces −Z and version 1 faces +Z.
    pub vrm: u32,
}

/// A primitive on a node of a scene. It is skinned and drawn as a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Node index.
    pub node: usize,
    /// Mesh index.
    pub mesh: usize,
    /// Position in the mesh's list of primitives.
    pub primitive: usize,
    /// Index of the skin that deforms the primitive, or `None` if the primitive moves rigidly with its node.
    pub skin: Option<usize>,
}

impl Character {
    /// Creates a character from a skeleton, with one scene that contains all roots. Meshes, skins, clips and everything
    /// else can be set through its fields.
    ///
    /// The character has no file for the glTF exporters to copy. A clip can be exported as BVH
    /// ([`export::bvh::write`](crate::export::bvh::write)).
    ///
    /// ```
    /// use sinew_character::asset::{Channel, Character, Clip, Interpolation, Node, Skeleton, Transform, Values};
    /// use sinew_character::glam::{Quat, Vec3};
    /// use sinew_character::puppet::Puppet;
    ///
    /// // A flag that turns about its pole by 90 degrees within two seconds.
    /// let end = Transform::from_translation(Vec3::X);
    /// let skeleton = Skeleton::new(vec![Node::new("pole"), Node::child("end", 0, end)])?;
    /// let turn = vec![Quat::IDENTITY, Quat::from_rotation_y(90_f32.to_radians())];
    /// let mut character = Character::new(skeleton);
    /// character.clips.push(Clip {
    ///     seconds: 2.0,
    ///     timelines: vec![vec![0.0, 2.0]],
    ///     channels: vec![Channel {
    ///         node: 0,
    ///         timeline: 0,
    ///         interpolation: Interpolation::Linear,
    ///         values: Values::Rotation(turn),
    ///     }],
    ///     ..Clip::default()
    /// });
    ///
    /// let mut puppet = Puppet::new(character, 0);
    /// puppet.play(0, 2.0);
    /// puppet.update()?;
    /// let end = Vec3::from(puppet.world_from_node()[1].translation);
    /// assert!(end.abs_diff_eq(Vec3::NEG_Z, 1e-6));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(skeleton: Skeleton) -> Self {
        let scenes = vec![Scene { name: None, roots: skeleton.roots() }];
        Self { skeleton, scenes, ..Self::default() }
    }

    /// Returns for each node, in file order, whether a scene shows it. A scene shows its roots and all their
    /// descendants.
    pub fn visible(&self, scene: usize) -> Vec<bool> {
        let nodes = &self.skeleton.nodes;
        let mut visible = vec![false; nodes.len()];
        for &root in self.scenes.get(scene).map_or(&[][..], |s| &s.roots) {
            if let Some(v) = visible.get_mut(root) {
                *v = true;
            }
        }
        for &(node, parent) in &self.skeleton.parents_first {
            visible[node] |= parent.is_some_and(|p| visible[p]);
        }
        visible
    }

    /// Returns the primitives that a scene shows, in node order, then in primitive order. Hidden nodes are left out.
    ///
    /// A primitive without influences moves rigidly with its node even if the node has a skin.
    ///
    /// ```
    /// let mannequin = sinew_character::asset::mannequin()?;
    /// for part in mannequin.parts(mannequin.default_scene) {
    ///     let skin = part.skin.and_then(|skin| mannequin.skins.get(skin)).ok_or("the part is rigid")?;
    ///     let joints = mannequin.primitive(part).influences.iter().flat_map(|set| &set.joints).flatten();
    ///     assert!(joints.max().is_some_and(|joint| usize::from(*joint) < skin.joints.len()));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parts(&self, scene: usize) -> Vec<Part> {
        self.parts_except(scene, |node| self.skeleton.hidden.contains(&node))
    }

    /// Returns the primitives that a scene can show: the result of [`Self::parts`], plus hidden primitives that a clip can show.
    pub fn posable_parts(&self, scene: usize) -> Vec<Part> {
        let can_appear = |value: &PoseValue| match value.target {
            PoseTarget::Visibility(node) => Some(node),
            _ => None,
        };
        let can_appear: BTreeSet<usize> = self.values.iter().filter_map(can_appear).collect();
        self.parts_except(scene, |node| self.skeleton.hidden.contains(&node) && !can_appear.contains(&node))
    }

    fn parts_except(&self, scene: usize, is_hidden: impl Fn(usize) -> bool) -> Vec<Part> {
        let mut visible = self.visible(scene);
        let mut hidden = vec![false; visible.len()];
        for &(node, parent) in &self.skeleton.parents_first {
            hidden[node] = is_hidden(node) || parent.is_some_and(|p| hidden[p]);
            visible[node] &= !hidden[node];
        }
        let mut parts = Vec::new();
        for (index, node) in self.skeleton.nodes.iter().enumerate().filter(|(n, _)| visible[*n]) {
            // In a character that was built by a program, a node may refer to a missing mesh or skin.
            let Some((mesh, shape)) = node.mesh.and_then(|m| Some((m, self.meshes.get(m)?))) else {
                continue;
            };
            for (primitive, p) in shape.primitives.iter().enumerate() {
                let skin = node.skin.filter(|skin| !p.influences.is_empty() && *skin < self.skins.len());
                parts.push(Part { node: index, mesh, primitive, skin });
            }
        }
        parts
    }

    /// Selects a material variant by name, or the file's own materials for `None`. If several variants share the name, the first is
    /// selected.
    ///
    /// ```
    /// let mut mannequin = sinew_character::asset::mannequin()?;
    /// let error = mannequin.select_variant(Some("winter")).unwrap_err();
    /// assert_eq!(error.to_string(), "variant \"winter\" does not exist; the file has no variants with names");
    /// mannequin.select_variant(None)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Missing`] if no variant has the name. The character is then unchanged.
    pub fn select_variant(&mut self, name: Option<&str>) -> Result<(), Missing> {
        let selected = name.map(|name| self.variants.find(name)).transpose()?;
        self.variants.selected = selected;
        for part in &self.variants.parts {
            let material = selected.and_then(|v| part.materials.get(&v).copied()).or(part.default);
            let primitives = self.meshes.get_mut(part.mesh).map(|m| &mut m.primitives);
            if let Some(primitive) = primitives.and_then(|p| p.get_mut(part.primitive)) {
                primitive.material = material;
            }
        }
        Ok(())
    }

    /// Returns the primitive of a part.
    pub fn primitive(&self, part: Part) -> &Primitive {
        &self.meshes[part.mesh].primitives[part.primitive]
    }
}
