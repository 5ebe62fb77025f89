//! Reads URDF, the robot description format of ROS. A robot becomes a character of rigid parts: each link is a node that moves with its
//! parent joint, and the rig has the limits of the joints.
//!
//! URDF is right-handed, in metres and radians, with +Z up and +X forward (REP 103). The root node rotates the robot so that +Y is
//! up and +Z is forward.

mod collada;
mod geometry;
mod joints;
mod markup;
mod mesh_file;
mod obj;
pub(super) mod srdf;
mod stl;
mod structure;
mod surface;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use glam::{Affine3A, DQuat, DVec3, EulerRot, Quat, Vec3, Vec4};
use urdf_rs::{Geometry, Joint, Link, Pose, Robot};

use crate::api::Missing;
use crate::files::Progress;

use super::error::ObjectError;
use super::hierarchy;
use super::references::References;
use super::{Character, LoadError, Material, Mesh, Node, Primitive, Scene, Transform};
use mesh_file::MeshFiles;

/// Maximum size of a file in bytes. Robots with hundreds of links need less than one megabyte, and the parser reads about three
/// megabytes per second.
const MAX_BYTES: usize = 4 << 20;
/// Maximum size of all shapes in bytes. A small file can use the same mesh in thousands of links.
const MAX_SHAPE_BYTES: usize = 512 << 20;
/// Maximum number of links. The largest robots have a few hundred.
const MAX_LINKS: usize = 10_000;

/// Reads the text of a URDF file and the meshes that it references, from its folder or its package.
///
/// # Errors
/// [`LoadError`]. The message is one line with the file, the element in it and the cause.
pub(super) fn read_with(
    text: &str,
    path: &Path,
    references: &References,
    progress: &Progress,
) -> Result<Character, LoadError> {
    read_parts(text, path, Some(MeshFiles::new(path, references, progress)))
}

/// Reads the links and the joints of a URDF text, without their shapes. `path` names the text in errors.
///
/// # Errors
/// [`LoadError`], as for a file.
pub fn urdf_joints(text: &str, path: &Path) -> Result<Character, LoadError> {
    read_parts(text, path, None)
}

fn read_parts(text: &str, path: &Path, files: Option<MeshFiles<'_>>) -> Result<Character, LoadError> {
    let format = |cause: String| LoadError::Format { path: path.into(), cause };
    if text.len() > MAX_BYTES {
        return Err(format(format!("the file is larger than {} MiB", MAX_BYTES >> 20)));
    }
    markup::check(text).map_err(|cause| format(cause.into()))?;
    structure::check(text).map_err(|error| error.in_file(path))?;
    let text = &*markup::without_empty_textures(text);
    let robot =
        urdf_rs::read_from_string(text).map_err(|e| format(format!("not a valid URDF file ({e})")))?;
    if robot.links.len() > MAX_LINKS {
        return Err(format(format!("{} links exceed the limit of {MAX_LINKS}", robot.links.len())));
    }
    let mut reader =
        Reader { robot: &robot, files, remaining: MAX_SHAPE_BYTES, character: Character::default() };
    reader.read().map_err(|error| error.in_file(path))?;
    let mut character = reader.character;
    character.path = path.into();
    character.files = reader.files.map(|files| files.paths).unwrap_or_default();
    character.generator = Some(format!("URDF, robot {}", robot.name));
    character
        .skeleton
        .check_rest()
        .map_err(|(_, source)| LoadError::Format { path: path.into(), cause: source.to_string() })?;
    Ok(character)
}

struct Reader<'a> {
    robot: &'a Robot,
    /// `None` to skip the shapes.
    files: Option<MeshFiles<'a>>,
    /// Number of bytes that shapes may still use.
    remaining: usize,
    character: Character,
}

impl Reader<'_> {
    fn read(&mut self) -> Result<(), ObjectError> {
        let robot = self.robot;
        let mut by_name = HashMap::new();
        for (index, link) in robot.links.iter().enumerate() {
            if by_name.insert(&*link.name, index).is_some() {
                return Err(ObjectError::new(format!("link \"{}\"", link.name), "the name is not unique"));
            }
        }
        let above = joints_above(robot, &by_name)?;
        let roots: Vec<usize> = (0..robot.links.len()).filter(|link| !above.contains_key(link)).collect();
        let parent = |link: usize| by_name.get(&*above.get(&link)?.parent.link).copied();
        let mut children = hierarchy::children(robot.links.len(), parent);
        let order = hierarchy::sort_parents_first(robot.links.len(), parent, |link| {
            children.get(link).map_or(&[][..], Vec::as_slice)
        });
        let Some(order) = order.ok().filter(|_| !roots.is_empty()) else {
            return Err(ObjectError::new("robot", "the joints form a loop, or there are no links"));
        };
        if let [first, second, ..] = roots.as_slice() {
            let name = |link: &usize| robot.links.get(*link).map_or("", |link| &*link.name);
            let cause = format!("no joint connects the links \"{}\" and \"{}\"", name(first), name(second));
            return Err(ObjectError::new("robot", cause));
        }
        self.add_materials();
        // +Z up and +X forward become +Y up and +Z forward.
        let upright = Quat::from_mat3(&glam::Mat3::from_cols(Vec3::Z, Vec3::X, Vec3::Y));
        for (index, link) in robot.links.iter().enumerate() {
            let rest = match above.get(&index) {
                Some(joint) => transform(&joint.origin, &format!("joint \"{}\"", joint.name))?,
                None => Transform { rotation: upright, ..Transform::IDENTITY },
            };
            let mesh = if self.files.is_some() { self.add_mesh(link)? } else { None };
            self.character.skeleton.nodes.push(Node {
                name: Some(link.name.clone()),
                children: children.get_mut(index).map(std::mem::take).unwrap_or_default(),
                mesh,
                ..Node::unnamed(parent(index), rest)
            });
        }
        self.character.skeleton.parents_first = order;
        self.character.scenes = vec![Scene { name: Some(robot.name.clone()), roots }];
        let places = robot.joints.iter().enumerate().map(|(place, joint)| (&*joint.name, place)).collect();
        joints::add(&mut self.character, &above, &places)
    }

    fn add_materials(&mut self) {
        for material in &self.robot.materials {
            let color = material.color.as_ref().map(|color| color.rgba.0);
            self.character.materials.push(self::material(&material.name, color));
        }
    }

    /// Returns the index of the material of a visual element. A material without a colour refers to a material of the robot.
    fn material_of(&mut self, material: Option<&urdf_rs::Material>) -> Option<usize> {
        let material = material?;
        let known = |m: &Material| m.name.as_deref() == Some(&*material.name) && !material.name.is_empty();
        match (&material.color, self.character.materials.iter().position(known)) {
            (None, known) => known,
            (Some(color), _) => {
                self.character.materials.push(self::material(&material.name, Some(color.rgba.0)));
                Some(self.character.materials.len() - 1)
            }
        }
    }

    /// Adds the visual elements of a link as one mesh. If a visual element cannot be read, the collision elements, which are simpler and
    /// often have another format, are used instead.
    fn add_mesh(&mut self, link: &Link) -> Result<Option<usize>, ObjectError> {
        let (mut primitives, mut is_complete) = (Vec::new(), true);
        for (index, visual) in link.visual.iter().enumerate() {
            let at = format!("link \"{}\", visual {index}", link.name);
            let material = self.material_of(visual.material.as_ref());
            let shapes = self.shapes(&visual.geometry, &visual.origin, material, &at)?;
            is_complete &= shapes.is_some();
            primitives.extend(shapes.into_iter().flatten());
        }
        if !is_complete {
            let (mut simple, mut is_simple_complete) = (Vec::new(), true);
            for (index, collision) in link.collision.iter().enumerate() {
                let at = format!("link \"{}\", collision {index}", link.name);
                let shapes = self.shapes(&collision.geometry, &collision.origin, None, &at)?;
                is_simple_complete &= shapes.is_some();
                simple.extend(shapes.into_iter().flatten());
            }
            if is_simple_complete && !simple.is_empty() {
                self.warn(format!("link \"{}\": its collision shape is drawn", link.name));
                primitives = simple;
            }
        }
        if primitives.is_empty() {
            return Ok(None);
        }
        (0..).zip(&mut primitives).for_each(|(index, primitive)| primitive.index = index);
        self.character.meshes.push(Mesh {
            name: Some(link.name.clone()),
            primitives,
            weights: Vec::new(),
            target_names: Vec::new(),
        });
        Ok(Some(self.character.meshes.len() - 1))
    }

    /// Returns the shapes of an element in the frame of its link. If its mesh cannot be read, adds a warning and returns `None`.
    fn shapes(
        &mut self,
        geometry: &Geometry,
        origin: &Pose,
        material: Option<usize>,
        at: &str,
    ) -> Result<Option<Vec<Primitive>>, ObjectError> {
        let origin = transform(origin, at)?.to_affine();
        let mut shapes = match geometry {
            Geometry::Box { size } => vec![geometry::cuboid(size.0)],
            Geometry::Cylinder { radius, length } => vec![geometry::cylinder(*radius, *length)],
            Geometry::Capsule { radius, length } => vec![geometry::capsule(*radius, *length)],
            Geometry::Sphere { radius } => vec![geometry::capsule(*radius, 0.0)],
            Geometry::Mesh { filename, scale } => {
                let scale = scale.map_or(DVec3::ONE, |scale| DVec3::from_array(scale.0));
                let Some(files) = &mut self.files else { return Ok(None) };
                match files.read(&mut self.character, filename, scale, at)? {
                    Some(shapes) => shapes,
                    None => return Ok(None),
                }
            }
        };
        let bytes =
            shapes.iter().map(|s| s.vertices() * size_of::<[Vec3; 2]>() + s.triangles.len() * 12).sum();
        let remaining = self.remaining.checked_sub(bytes);
        self.remaining =
            remaining.ok_or_else(|| ObjectError::new(at, "all shapes together are too large"))?;
        for shape in &mut shapes {
            shape.material = material.or(shape.material);
            geometry::transform(shape, origin);
            if !shape.positions.iter().all(|p| p.is_finite()) {
                return Err(ObjectError::new(at, "the size is not finite"));
            }
        }
        Ok(Some(shapes))
    }

    fn warn(&mut self, warning: String) {
        self.character.warnings.push(warning);
    }
}

fn joints_above<'a>(
    robot: &'a Robot,
    by_name: &HashMap<&str, usize>,
) -> Result<BTreeMap<usize, &'a Joint>, ObjectError> {
    let mut above = BTreeMap::new();
    for joint in &robot.joints {
        let at = || format!("joint \"{}\"", joint.name);
        let link = |name: &str| {
            let index = by_name.get(name).copied();
            let missing = || Missing::name("link", name, by_name.keys().copied());
            index.ok_or_else(|| ObjectError::new(at(), missing().to_string()))
        };
        link(&joint.parent.link)?;
        if above.insert(link(&joint.child.link)?, joint).is_some() {
            let cause = format!("link \"{}\" is the child of two joints", joint.child.link);
            return Err(ObjectError::new(at(), cause));
        }
    }
    Ok(above)
}

fn material(name: &str, color: Option<[f64; 4]>) -> Material {
    #[expect(clippy::cast_possible_truncation, reason = "colours are single precision")]
    let color = color.map_or(Vec4::ONE, |rgba| Vec4::from_array(rgba.map(|c| c.clamp(0.0, 1.0) as f32)));
    Material {
        name: Some(name.to_owned()),
        base_color: color,
        metallic: 0.0,
        roughness: 0.6,
        ..Material::default()
    }
}

/// Converts a pose to a position and a rotation. The angles of the pose are roll, pitch and yaw about fixed axes.
fn pose(pose: &Pose, at: &str) -> Result<(DVec3, DQuat), ObjectError> {
    let [roll, pitch, yaw] = pose.rpy.0;
    let rotation = DQuat::from_euler(EulerRot::ZYX, yaw, pitch, roll).normalize();
    let translation = DVec3::from_array(pose.xyz.0);
    if !rotation.is_finite() || !translation.as_vec3().is_finite() {
        return Err(ObjectError::new(format!("{at}, origin"), "value is not finite"));
    }
    Ok((translation, rotation))
}

/// Converts a pose to a transform.
fn transform(origin: &Pose, at: &str) -> Result<Transform, ObjectError> {
    let (translation, rotation) = pose(origin, at)?;
    Ok(Transform { translation: translation.as_vec3(), rotation: rotation.as_quat(), ..Transform::IDENTITY })
}

fn mirrors(matrix: &Affine3A) -> bool {
    matrix.matrix3.determinant() < 0.0
}
