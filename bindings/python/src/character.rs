//! Loads characters, and computes everything that depends only on a pose.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::{Affine3A, Mat4, Vec3};
use numpy::PyArray3;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use sinew::asset;
use sinew::export::bake;
use sinew::motion::Playhead;
use sinew::pose;
use sinew::rig::{self, Rig};
use sinew::skin::{Palette, Skinned, Skinning, skin};

use crate::arrays::matrices;
use crate::error::{OrRaise, error};
use crate::mesh::{Mesh, Part};
use crate::node::{Clip, Key, Node};
use crate::pickle::Reduced;
use crate::pose::Pose;

/// The name used in messages for a character that was loaded from memory.
const FROM_MEMORY: &str = "<bytes>";

/// The source of a character, which is needed to write copies of its file.
#[derive(Clone)]
pub(crate) enum Source {
    BuiltIn,
    /// The path, and the length of a BVH unit in metres if the caller set it.
    File(PathBuf, Option<f64>),
    Bytes(Arc<[u8]>),
}

/// A character: the nodes, skins, meshes, materials and clips of one file. It does not change. `sinew.load` and
/// `sinew.mannequin` create it.
#[pyclass(frozen, module = "sinew")]
pub(crate) struct Character {
    pub(crate) character: Arc<asset::Character>,
    pub(crate) source: Source,
    /// The character without added clips, and the character whose clips were added.
    parents: Option<(Py<Character>, Py<Character>)>,
}

/// A file: its path, or its contents.
#[derive(FromPyObject)]
pub(crate) enum FileOrBytes<'py> {
    #[pyo3(transparent)]
    Bytes(Bound<'py, PyBytes>),
    #[pyo3(transparent)]
    Path(PathBuf),
}

/// Loads a character from a path, or from the bytes of a .glb, .gltf or .vrm file.
///
/// The path may also name a .bvh file. `units` is the length of a BVH unit in metres. None means that sinew estimates the length.
#[pyfunction]
#[pyo3(signature = (file, *, units = None))]
pub(crate) fn load(py: Python<'_>, file: FileOrBytes<'_>, units: Option<f64>) -> PyResult<Character> {
    match file {
        FileOrBytes::Path(path) => {
            let loaded = py.detach(|| asset::load_in_units(&path, units)).or_raise()?;
            Ok(Character::new(loaded, Source::File(path, units)))
        }
        FileOrBytes::Bytes(_) if units.is_some() => {
            Err(error("units apply only to BVH files because other formats define their unit"))
        }
        FileOrBytes::Bytes(bytes) => {
            let bytes: Arc<[u8]> = bytes.as_bytes().into();
            let load = || asset::gltf::load_bytes(Path::new(FROM_MEMORY), &bytes, None);
            let loaded = py.detach(load).or_raise()?;
            Ok(Character::new(loaded, Source::Bytes(bytes)))
        }
    }
}

/// Returns the built-in character, a stylised human about 1.75 m tall that faces +Z.
#[pyfunction]
pub(crate) fn mannequin(py: Python<'_>) -> PyResult<Character> {
    let loaded = py.detach(asset::mannequin).or_raise()?;
    Ok(Character::new(loaded, Source::BuiltIn))
}

impl Character {
    fn new(character: asset::Character, source: Source) -> Self {
        Self { character: Arc::new(character), source, parents: None }
    }

    /// Reads a rig, or finds or detects the rig of the character.
    pub(crate) fn rig(&self, file: Option<&Path>) -> PyResult<Rig> {
        match (file, &self.source) {
            (None, Source::Bytes(_)) => Ok(rig::detect(&self.character)),
            (file, _) => rig::load(&self.character, file).or_raise(),
        }
    }

    /// Returns the index of a node.
    pub(crate) fn node(&self, py: Python<'_>, key: &Key) -> PyResult<usize> {
        find_node(py, &self.character, key)
    }

    pub(crate) fn clip(&self, py: Python<'_>, key: &Key) -> PyResult<usize> {
        let named = match key {
            Key::Name(name) => self.character.find_clip(name),
            Key::Index(_) => None,
        };
        let names = self.character.clips.iter().map(|clip| clip.name.as_deref());
        named.map_or_else(|| key.find(py, "clip", names), Ok)
    }

    /// Returns a one-line description.
    pub(crate) fn repr(&self) -> String {
        let asset::Character { path, skeleton, clips, .. } = &*self.character;
        format!("Character({path:?}, {} nodes, {} clips)", skeleton.nodes.len(), clips.len())
    }

    fn all_parts(&self) -> Vec<asset::Part> {
        self.character.posable_parts(self.character.default_scene)
    }

    fn is_joint(&self, node: usize) -> bool {
        self.character.skins.iter().any(|skin| skin.joints.contains(&node))
    }

    /// Returns the world matrices of a pose.
    fn world(&self, pose: &Pose) -> PyResult<Vec<Affine3A>> {
        self.check(pose)?;
        let mut world = Vec::new();
        pose::world_matrices(&self.character.skeleton, &pose.pose, &mut world);
        Ok(world)
    }

    /// Checks that a pose has as many nodes and weights as the character.
    pub(crate) fn check(&self, pose: &Pose) -> PyResult<()> {
        let skeleton = &self.character.skeleton;
        let fits = pose.pose.locals.len() == skeleton.nodes.len()
            && pose.pose.weights.len() == skeleton.rest_weights.len();
        let refused = || {
            let (own, given) = (skeleton.nodes.len(), pose.pose.locals.len());
            error(format!("the pose is one of another character: it has {given} nodes, not {own}"))
        };
        if fits { Ok(()) } else { Err(refused()) }
    }

    fn palette(&self, pose: &Pose, skinning: Skinning) -> PyResult<(Vec<asset::Part>, Palette)> {
        let (parts, world) = (self.all_parts(), self.world(pose)?);
        let mut palette = Palette::new(&self.character, &parts);
        palette.update(&self.character, &world, skinning);
        Ok((parts, palette))
    }
}

#[pymethods]
impl Character {
    /// Path of the file, or a description if the character is built in or was loaded from bytes.
    #[getter]
    fn path(&self) -> PathBuf {
        self.character.path.clone()
    }

    /// All nodes, in the order of the file.
    #[getter]
    fn nodes(&self) -> Vec<Node> {
        let nodes = self.character.skeleton.nodes.iter().enumerate();
        nodes.map(|(index, node)| Node::new(index, node, self.is_joint(index))).collect()
    }

    /// The nodes that move the skin.
    #[getter]
    fn joints(&self) -> Vec<Node> {
        let nodes = self.character.skeleton.nodes.iter().enumerate();
        let joints = nodes.filter(|(index, _)| self.is_joint(*index));
        joints.map(|(index, node)| Node::new(index, node, true)).collect()
    }

    /// The animation clips.
    #[getter]
    fn clips(&self) -> Vec<Clip> {
        self.character.clips.iter().enumerate().map(|(index, clip)| Clip::new(index, clip)).collect()
    }

    /// The surfaces that the default scene shows.
    #[getter]
    fn parts(&self) -> Vec<Part> {
        let parts = self.all_parts().into_iter().enumerate();
        parts.map(|(index, part)| Part::new(Arc::clone(&self.character), index, part)).collect()
    }

    /// Problems in the file and how they were handled, one line each.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.character.warnings.clone()
    }

    /// Returns the index of the first node with this name.
    fn find(&self, py: Python<'_>, name: String) -> PyResult<usize> {
        self.node(py, &Key::Name(name))
    }

    /// Returns the rest pose of the file.
    fn rest(&self) -> Pose {
        Pose { pose: pose::Pose::rest(&self.character.skeleton) }
    }

    /// Samples a clip at a time in seconds. Outside its keys, a clip holds its first or last key. Values that the clip does not animate
    /// come from the pose `base`, or from the rest pose.
    #[pyo3(signature = (clip, time, *, base = None))]
    fn sample(&self, py: Python<'_>, clip: Key, time: f32, base: Option<PyRef<'_, Pose>>) -> PyResult<Pose> {
        let index = self.clip(py, &clip)?;
        check_time(time)?;
        let mut pose = match base {
            Some(base) => self.check(&base).map(|()| base.pose.clone())?,
            None => pose::Pose::rest(&self.character.skeleton),
        };
        if let Some(clip) = self.character.clips.get(index) {
            Playhead::default().sample(clip, time, &self.character.skeleton, &mut pose);
        }
        Ok(Pose { pose })
    }

    /// Returns the `world_from_node` matrices of a pose, shape (nodes, 4, 4), float32.
    fn world_matrices<'py>(
        &self,
        py: Python<'py>,
        pose: PyRef<'_, Pose>,
    ) -> PyResult<Bound<'py, PyArray3<f32>>> {
        matrices(py, self.world(&pose)?.into_iter().map(|m| Mat4::from(m).to_cols_array()))
    }

    /// Returns the skin matrices `world_from_mesh` of a part in a pose, one for each of its `skin_nodes`, shape
    /// (joints, 4, 4), float32.
    fn skin_matrices<'py>(
        &self,
        py: Python<'py>,
        pose: PyRef<'_, Pose>,
        part: i64,
    ) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let (parts, palette) = self.palette(&pose, Skinning::Linear)?;
        let part = part_index(part, parts.len())?;
        matrices(py, palette.of_part(part).iter().map(Mat4::to_cols_array))
    }

    /// Skins a part on the CPU, or all parts one after the other. `method` is `linear` or `dual-quaternion`.
    #[pyo3(signature = (pose, *, part = None, method = "linear"))]
    fn skin(&self, py: Python<'_>, pose: PyRef<'_, Pose>, part: Option<i64>, method: &str) -> PyResult<Mesh> {
        let (parts, palette) = self.palette(&pose, skinning(method)?)?;
        let selected = match part {
            Some(part) => part_index(part, parts.len()).map(|part| part..part + 1)?,
            None => 0..parts.len(),
        };
        let (skeleton, weights) = (&self.character.skeleton, &pose.pose.weights);
        let skinned = selected.filter_map(|index| {
            let part = *parts.get(index)?;
            let morph_weights = skeleton.nodes.get(part.node)?.morph_weights.clone();
            let mut skinned = Skinned::default();
            let weights = weights.get(morph_weights).unwrap_or_default();
            skin(self.character.primitive(part), palette.matrices(index)?, weights, &mut skinned);
            Some((part, skinned))
        });
        joined(py, &self.character, skinned)
    }

    /// Returns a copy of the character to which the clips of another one, for example of a .bvh file, are added. The clips are retargeted:
    /// they fit this character's proportions and rest pose, and feet that stand on the ground stay in place. A clip without a name is
    /// named after its file. If the name of a clip is in use, the file's name is put in front of it.
    fn with_clips(slf: Bound<'_, Self>, source: Bound<'_, Self>) -> PyResult<Self> {
        let (own, from) = (slf.get(), source.get());
        let character = slf.py().detach(|| {
            let rig = own.rig(None)?;
            let added = bake::retarget_clips(&from.character, &own.character, &rig).or_raise()?;
            let stem = from.character.path.file_stem().unwrap_or_default().to_string_lossy();
            let mut character = asset::Character::clone(&own.character);
            for mut clip in added.clips {
                clip.name = Some(bake::unique_clip_name(&character.clips, clip.name.as_deref(), &stem));
                character.clips.push(clip);
            }
            PyResult::Ok(character)
        })?;
        let made = Self::new(character, own.source.clone());
        Ok(Self { parents: Some((slf.unbind(), source.unbind())), ..made })
    }

    /// A file is pickled as its path, so it must still be there.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let (py, own) = (slf.py(), slf.get());
        if let Some((character, clips)) = &own.parents {
            let arguments = (clips,).into_pyobject(py)?.into_any();
            return Ok((character.bind(py).getattr("with_clips")?, arguments));
        }
        let module = py.import("sinew")?;
        let load = module.getattr("load")?;
        let (function, arguments) = match &own.source {
            Source::BuiltIn => (module.getattr("mannequin")?, PyTuple::empty(py)),
            Source::Bytes(bytes) => (load, (PyBytes::new(py, bytes),).into_pyobject(py)?),
            Source::File(path, None) => (load, (path,).into_pyobject(py)?),
            Source::File(path, Some(units)) => {
                let named = PyDict::new(py);
                named.set_item("units", units)?;
                let partial = py.import("functools")?.getattr("partial")?.call((load,), Some(&named))?;
                (partial, (path,).into_pyobject(py)?)
            }
        };
        Ok((function, arguments.into_any()))
    }

    fn __repr__(&self) -> String {
        self.repr()
    }
}

/// Returns the index of a node.
pub(crate) fn find_node(py: Python<'_>, character: &asset::Character, key: &Key) -> PyResult<usize> {
    key.find(py, "node", character.skeleton.nodes.iter().map(|node| node.name.as_deref()))
}

pub(crate) fn skinning(name: &str) -> PyResult<Skinning> {
    let known = || Skinning::ALL.map(Skinning::name).join(" or ");
    let found = Skinning::ALL.into_iter().find(|method| method.name() == name);
    found.ok_or_else(|| error(format!("unknown skinning method {name:?}; use {}", known())))
}

/// Checks that a time is a number.
pub(crate) fn check_time(time: f32) -> PyResult<()> {
    if time.is_finite() { Ok(()) } else { Err(error("time is not finite")) }
}

/// Checks the index of a part.
pub(crate) fn part_index(part: i64, count: usize) -> PyResult<usize> {
    let found = usize::try_from(part).ok().filter(|part| *part < count);
    found.ok_or_else(|| error(format!("part {part} does not exist; the character has {count}")))
}

/// Joins skinned parts into one mesh. The mesh has normals if all parts have normals.
pub(crate) fn joined(
    py: Python<'_>,
    character: &asset::Character,
    parts: impl Iterator<Item = (asset::Part, Skinned)>,
) -> PyResult<Mesh> {
    let (mut positions, mut normals, mut triangles) = (Vec::<Vec3>::new(), Vec::new(), Vec::new());
    for (part, skinned) in parts {
        let first =
            u32::try_from(positions.len()).map_err(|_| error("the character has too many vertices"))?;
        let shifted = character.primitive(part).triangles.iter().map(|t| t.map(|vertex| vertex + first));
        triangles.extend(shifted);
        positions.extend(skinned.positions);
        normals.extend(skinned.normals);
    }
    Mesh::new(py, positions, normals, triangles)
}
