//! Live characters.

use std::path::PathBuf;
use std::sync::Arc;

use glam::Mat4;
use numpy::PyArray3;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use sinew::asset::gltf;
use sinew::export;
use sinew::files::atomic;
use sinew::motion::Motion;
use sinew::puppet::{self, Pin};
use sinew::skin::Skinned;

use crate::arrays::{matrices, read_only};
use crate::character::{Character, Source, check_time, find_node, joined, part_index, skinning};
use crate::error::{OrRaise, error};
use crate::mesh::Mesh;
use crate::node::Key;
use crate::options;
use crate::pose::Pose;
use crate::report::GoalReport;
use crate::target::Target;

/// A character with a motion, and the pose that results from the motion and the targets.
///
/// `rig` is the path of a .rig.toml file with chains and limits. Without this path, `NAME.rig.toml` beside the character is used, or the
/// rig is detected.
#[pyclass(module = "sinew")]
pub(crate) struct Puppet {
    pub(crate) puppet: puppet::Puppet,
    /// The character.
    #[pyo3(get)]
    character: Py<Character>,
}

#[pymethods]
impl Puppet {
    #[new]
    #[pyo3(signature = (character, *, rig = None))]
    fn new(py: Python<'_>, character: Py<Character>, rig: Option<PathBuf>) -> PyResult<Self> {
        let loaded = Arc::clone(&character.get().character);
        let source = character.get();
        let puppet = py.detach(|| {
            let rig = source.rig(rig.as_deref())?;
            let scene = loaded.default_scene;
            PyResult::Ok(puppet::Puppet::with_rig(loaded, scene, rig))
        })?;
        Ok(Self { puppet, character })
    }

    /// Plays a clip, given by its name or index, and sets its time in seconds. The pose changes with the next `update`.
    #[pyo3(signature = (clip, time = 0.0, *, looping = false))]
    fn play(&mut self, py: Python<'_>, clip: Key, time: f32, looping: bool) -> PyResult<()> {
        check_time(time)?;
        let clip = self.character.get().clip(py, &clip)?;
        self.puppet.play(clip, time);
        self.puppet.options.looping = looping;
        Ok(())
    }

    /// Stops playing, so that the character returns to its rest pose or to the `held` pose.
    fn stop(&mut self) {
        self.puppet.motion = Motion::default();
        self.puppet.time = 0.0;
    }

    /// The current time of the motion in seconds.
    #[getter]
    fn time(&self) -> f32 {
        self.puppet.time
    }

    #[setter]
    fn set_time(&mut self, time: f32) -> PyResult<()> {
        check_time(time)?;
        self.puppet.time = time;
        Ok(())
    }

    /// The pose on which the motion is played and from which solves start. None stands for the rest pose.
    #[getter]
    fn held(&self) -> Option<Pose> {
        self.puppet.held.as_ref().map(|pose| Pose { pose: pose.clone() })
    }

    #[setter]
    fn set_held(&mut self, pose: Option<PyRef<'_, Pose>>) -> PyResult<()> {
        if let Some(pose) = &pose {
            self.character.get().check(pose)?;
        }
        self.puppet.held = pose.map(|pose| pose.pose.clone());
        Ok(())
    }

    /// The skinning method: `linear` or `dual-quaternion`.
    #[getter]
    fn skinning(&self) -> &'static str {
        self.puppet.options.skinning.name()
    }

    #[setter]
    fn set_skinning(&mut self, name: &str) -> PyResult<()> {
        self.puppet.options.skinning = skinning(name)?;
        Ok(())
    }

    /// Samples the motion, solves for targets, and returns a report for each target and pin.
    ///
    /// `pins` are nodes that must stay in place with priority over all targets. The other arguments are the same as for `Body.solve`, but
    /// the default method comes from the rig. The result does not depend on earlier calls.
    #[pyo3(signature = (targets = vec![], *, pins = vec![], method = None, tolerance = None, iterations = None, options = None))]
    fn update(
        &mut self,
        py: Python<'_>,
        targets: Vec<Target>,
        pins: Vec<Key>,
        method: Option<&str>,
        tolerance: Option<f64>,
        iterations: Option<i64>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<GoalReport>> {
        let character = &self.character.get().character;
        let targets = targets.iter().map(|target| target.bind(py, character)).collect::<PyResult<_>>()?;
        let pins = pins.iter().map(|pin| find_node(py, character, pin).map(Pin::from));
        let pins = pins.collect::<PyResult<_>>()?;
        let mut all = sinew::ik::Options::default();
        self.puppet.rig.options.apply(&mut all);
        options::apply(&mut all, method, tolerance, iterations, options)?;
        let puppet = &mut self.puppet;
        (puppet.targets, puppet.pins, puppet.options.solver) = (targets, pins, all);
        let reports = py.detach(|| puppet.update().map(<[_]>::to_vec)).or_raise()?;
        let named =
            |report: &puppet::GoalReport| GoalReport::new(report, character.skeleton.label(report.node));
        Ok(reports.iter().map(named).collect())
    }

    /// The pose after the last `update`.
    #[getter]
    fn pose(&self) -> Pose {
        Pose { pose: self.puppet.pose().clone() }
    }

    /// The `world_from_node` matrices after the last `update`, shape (nodes, 4, 4), float32.
    #[getter]
    fn world_matrices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let columns = self.puppet.world_from_node().iter().map(|m| Mat4::from(*m).to_cols_array());
        let array: Bound<'py, PyArray3<f32>> = matrices(py, columns)?;
        read_only(&array)
    }

    /// Returns the world position of a node in metres after the last `update`.
    fn position(&self, py: Python<'_>, node: Key) -> PyResult<(f32, f32, f32)> {
        let node = find_node(py, self.puppet.character(), &node)?;
        let matrix = self.puppet.world_from_node().get(node);
        matrix.map(|m| m.translation.to_array().into()).ok_or_else(|| error("the pose has no such node"))
    }

    /// Skins a part on the CPU in the pose of the last `update`. Without `part`, the mesh contains all visible parts in order.
    #[pyo3(signature = (*, part = None))]
    fn skin(&self, py: Python<'_>, part: Option<i64>) -> PyResult<Mesh> {
        let puppet = &self.puppet;
        let count = puppet.parts().len();
        let selected: Vec<usize> = match part {
            Some(part) => vec![part_index(part, count)?],
            None => (0..count).filter(|part| !puppet.is_hidden(*part)).collect(),
        };
        let skinned = selected.into_iter().filter_map(|index| {
            let mut skinned = Skinned::default();
            puppet.skin(index, &mut skinned);
            Some((*puppet.parts().get(index)?, skinned))
        });
        joined(py, puppet.character(), skinned)
    }

    /// Returns a copy of the character's file in the pose of the last `update`, as the bytes of a .glb file.
    fn to_glb<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.glb(py)?))
    }

    /// Writes the result of `to_glb` to a file.
    fn save_glb(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let glb = self.glb(py)?;
        py.detach(|| atomic::write(&path, &glb)).map_err(|e| error(format!("{}: {e}", path.display())))
    }

    fn __repr__(&self) -> String {
        format!("Puppet({})", self.character.get().repr())
    }
}

impl Puppet {
    fn glb(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        let (puppet, source) = (&self.puppet, self.character.get().source.clone());
        let character = puppet.character();
        let copy = move || match &source {
            Source::BuiltIn => export::posed_copy(puppet, None),
            Source::File(path, _) => export::posed_copy(puppet, Some(path)),
            Source::Bytes(bytes) => {
                let (skeleton, pose) = (&character.skeleton, puppet.pose());
                gltf::posed_copy(&character.path, bytes, None, skeleton, &pose.locals, &pose.weights, &[])
            }
        };
        py.detach(copy).or_raise()
    }
}
