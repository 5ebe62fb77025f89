//! The collisions of a robot: the shapes of its links, the obstacles, and the smallest distance of a pose.

use std::path::{Path, PathBuf};

use glam::DVec3;
use pyo3::prelude::*;
use pyo3::types::PyMapping;
use sinew::asset;
use sinew::ik::BodyCapsule;
use sinew::robot::{self, Collisions};

use crate::arrays::{list, read_only, rows, vector};
use crate::error::{OrRaise, error};
use crate::obstacle::Obstacle;
use crate::pickle::{Reduced, reduce};
use crate::robot::Robot;
use crate::robot_arguments::LinkName;

type Vector = (f64, f64, f64);

/// A capsule of a link: the name of the link, the start, the end and the radius.
pub(crate) type Capsule = (String, Vector, Vector, f64);
/// A capsule as the caller gives it.
pub(crate) type GivenCapsule<'py> = (LinkName, Bound<'py, PyAny>, Bound<'py, PyAny>, f64);
/// The fields of [`CollisionData`] in order, for pickle.
pub(crate) type CollisionState =
    (Vec<Capsule>, Option<(String, String)>, Vec<(String, String)>, Vec<(String, Obstacle)>, f64);

/// The URDF file with the shapes of the links.
#[derive(FromPyObject)]
pub(crate) enum Meshes {
    /// Whether to use the file from which the robot was read.
    OfRobot(bool),
    Of(PathBuf),
}

/// The parts of a robot's collisions. They are kept for pickle, because files may be missing where a robot is unpickled.
pub(crate) struct CollisionData {
    pub(crate) capsules: Vec<BodyCapsule>,
    /// The name and the text of a SRDF file.
    pub(crate) srdf: Option<(String, String)>,
    pub(crate) allowed: Vec<(String, String)>,
    pub(crate) obstacles: Vec<(String, Obstacle)>,
    pub(crate) margin: f64,
}

impl CollisionData {
    /// Returns a robot that avoids these collisions.
    pub(crate) fn add_to(&self, robot: robot::Robot) -> PyResult<robot::Robot> {
        let mut all = Collisions::from_capsules(&robot, self.capsules.clone()).or_raise()?;
        if let Some((file, text)) = &self.srdf {
            all = all.with_srdf(text).map_err(|cause| in_file(file, &cause))?;
        }
        for (first, second) in &self.allowed {
            all = all.with_allowed(first, second).or_raise()?;
        }
        for (name, obstacle) in &self.obstacles {
            all = all.with_obstacle(name, obstacle.obstacle.clone()).or_raise()?;
        }
        let all = all.with_margin(self.margin).or_raise()?;
        robot.with_collisions(all).or_raise()
    }

    pub(crate) fn state(&self, robot: &robot::Robot) -> CollisionState {
        let capsules = self.capsules.iter().map(|capsule| named(robot, capsule)).collect();
        (capsules, self.srdf.clone(), self.allowed.clone(), self.obstacles.clone(), self.margin)
    }

    pub(crate) fn from_state(robot: &robot::Robot, state: CollisionState) -> PyResult<Self> {
        let (capsules, srdf, allowed, obstacles, margin) = state;
        let capsule = |(link, start, end, radius): Capsule| {
            let (link, ends) = (robot.link(&link).or_raise()?, [start.into(), end.into()]);
            Ok(BodyCapsule { link, ends, radius })
        };
        let capsules = capsules.into_iter().map(capsule).collect::<PyResult<Vec<_>>>()?;
        Ok(Self { capsules, srdf, allowed, obstacles, margin })
    }
}

/// Returns the capsules of a robot's links.
pub(crate) fn capsules(robot: &robot::Robot) -> Vec<Capsule> {
    let capsules = robot.collisions().map_or(&[][..], Collisions::capsules);
    capsules.iter().map(|capsule| named(robot, capsule)).collect()
}

fn named(robot: &robot::Robot, capsule: &BodyCapsule) -> Capsule {
    let link = robot.links().get(capsule.link.0).cloned().unwrap_or_default();
    let [start, end] = capsule.ends.map(Vector::from);
    (link, start, end, capsule.radius)
}

/// Returns the capsules of links from the arguments of `Robot.with_collisions`.
pub(crate) fn read_capsules(
    py: Python<'_>,
    robot: &Robot,
    meshes: Option<Meshes>,
    capsules: Option<Vec<GivenCapsule<'_>>>,
) -> PyResult<Vec<BodyCapsule>> {
    let file = match meshes {
        None | Some(Meshes::OfRobot(false)) => None,
        Some(Meshes::OfRobot(true)) => {
            let cause = "meshes=True needs a robot that was read from a file; give the path of its URDF file";
            Some(robot.file.clone().ok_or_else(|| error(cause))?)
        }
        Some(Meshes::Of(file)) => Some(file),
    };
    match (file, capsules.filter(|capsules| !capsules.is_empty())) {
        (Some(_), Some(_)) => Err(error("meshes and capsules cannot be given together")),
        (Some(file), None) => fit(py, &file, &robot.robot),
        (None, Some(capsules)) => {
            let capsule = |(index, (link, start, end, radius)): (usize, GivenCapsule<'_>)| {
                let start = vector(&format!("capsules[{index}] start"), &start)?;
                let end = vector(&format!("capsules[{index}] end"), &end)?;
                Ok(BodyCapsule { link: robot.link(link)?, ends: [start, end], radius })
            };
            capsules.into_iter().enumerate().map(capsule).collect::<PyResult<Vec<_>>>()
        }
        (None, None) => Err(error("the links have no shapes; meshes or capsules must be given")),
    }
}

/// Fits capsules to the shapes in a URDF file. Python warns about each shape that cannot be read.
fn fit(py: Python<'_>, file: &Path, robot: &robot::Robot) -> PyResult<Vec<BodyCapsule>> {
    let name = file.display().to_string();
    if !file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("urdf")) {
        return Err(error(format!("{name}: meshes are read only from .urdf files")));
    }
    // The file may list the links in another order, so it is also read as a robot.
    let (warnings, links, fitted) = py.detach(|| {
        let character = asset::load(file).or_raise()?;
        let other = robot::Robot::new(&character).map_err(|cause| in_file(&name, &cause))?;
        let fitted = Collisions::from_character(&other, &character);
        let fitted = fitted.map_err(|cause| in_file(&name, &cause))?.capsules().to_vec();
        PyResult::Ok((character.warnings, other.links().to_vec(), fitted))
    })?;
    // Other warnings are about colours and joints.
    for warning in warnings.iter().filter(|warning| warning.starts_with("link \"")) {
        py.import("warnings")?.call_method1("warn", (format!("{name}: {warning}"),))?;
    }
    if fitted.is_empty() {
        return Err(error(format!("{name}: no link has a shape; capsules must be given")));
    }
    let own = |capsule: BodyCapsule| {
        let link = links.get(capsule.link.0).map_or("", String::as_str);
        let link = robot.link(link).map_err(|cause| in_file(&name, &cause))?;
        Ok(BodyCapsule { link, ..capsule })
    };
    fitted.into_iter().map(own).collect::<PyResult<Vec<_>>>()
}

/// Returns the name and the text of a SRDF file.
pub(crate) fn read_srdf(py: Python<'_>, file: &Path) -> PyResult<(String, String)> {
    let name = file.display().to_string();
    let text = py.detach(|| std::fs::read_to_string(file)).map_err(|e| error(format!("{name}: {e}")))?;
    Ok((name, text))
}

/// Returns obstacles with their names, in the order of the mapping.
pub(crate) fn read_obstacles(all: Option<&Bound<'_, PyMapping>>) -> PyResult<Vec<(String, Obstacle)>> {
    let Some(all) = all else { return Ok(Vec::new()) };
    let items = all.items()?;
    items.extract()
}

fn in_file(name: &str, cause: &robot::RobotError) -> PyErr {
    let cause = cause.to_string();
    error(format!("{name}: {}", cause.strip_prefix("SRDF: ").unwrap_or(&cause)))
}

/// The smallest distance between the shapes of a pose, and the pair that has it.
#[pyclass(frozen, from_py_object, module = "sinew")]
#[derive(Clone, PartialEq)]
pub(crate) struct Clearance {
    /// The distance between the surfaces in metres. A negative value is the depth of the penetration.
    #[pyo3(get)]
    distance: f64,
    /// The names of a link, and of the link or obstacle that is nearest to it.
    #[pyo3(get)]
    pair: (String, String),
    points: [DVec3; 2],
    normal: DVec3,
}

impl From<&robot::RobotClearance> for Clearance {
    fn from(nearest: &robot::RobotClearance) -> Self {
        let [link, other] = nearest.pair.clone();
        let (points, normal) = (nearest.points, nearest.normal);
        Self { distance: nearest.distance, pair: (link, other), points, normal }
    }
}

#[pymethods]
impl Clearance {
    #[staticmethod]
    fn _from_state(distance: f64, pair: (String, String), points: (Vector, Vector), normal: Vector) -> Self {
        let points = [points.0.into(), points.1.into()];
        Self { distance, pair, points, normal: normal.into() }
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let own = slf.get();
        let [first, second] = own.points.map(Vector::from);
        let state = (own.distance, own.pair.clone(), (first, second), Vector::from(own.normal));
        reduce(slf, "_from_state", state)
    }

    /// The nearest points of the two surfaces in metres in the robot's frame, shape (2, 3).
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        read_only(&rows(py, self.points.map(|point| point.to_array()))?)
    }

    /// Unit vector in the robot's frame from the second surface to the first, shape (3,).
    #[getter]
    fn normal<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        read_only(&list(py, self.normal.to_array().to_vec()))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self == other
    }

    fn __repr__(&self) -> String {
        let (link, other) = (self.pair.0.escape_debug(), self.pair.1.escape_debug());
        format!("Clearance({}, '{link}' and '{other}')", self.distance)
    }
}
