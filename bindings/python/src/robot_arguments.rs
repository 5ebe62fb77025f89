//! Reads the arguments of a robot's methods: joint values, links and targets.

use glam::DVec3;
use pyo3::prelude::*;
use sinew::ik;

use crate::arrays::unit;
use crate::error::{OrRaise, error};
use crate::robot::Robot;
use crate::robot_arrays::{self, Batch, common};

/// A link, given by name or index.
#[derive(FromPyObject)]
pub(crate) enum LinkName {
    Name(String),
    Index(i64),
}

impl Robot {
    /// Reads joint values. Messages name the joint.
    pub(crate) fn values(&self, what: &str, value: &Bound<'_, PyAny>) -> PyResult<Batch> {
        let joints = self.robot.joints();
        let joint = |column: usize| joints.get(column).map(|joint| format!("joint \"{}\"", joint.name));
        Batch::with_names(what, value, joints.len(), &joint)
    }

    /// Reads the joint values of one pose, without a leading axis.
    pub(crate) fn row(&self, what: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
        let batch = self.values(what, value)?;
        if batch.count.is_some() {
            return Err(error(format!("{what} must have the shape ({},)", self.robot.joints().len())));
        }
        Ok(batch.values)
    }

    /// Reads the joint values from which a path starts. The default is the rest pose.
    pub(crate) fn start(&self, q0: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<f64>> {
        q0.map_or_else(|| Ok(self.robot.rest()), |q0| self.row("q0", q0))
    }

    pub(crate) fn link(&self, link: LinkName) -> PyResult<ik::LinkIndex> {
        let count = self.robot.links().len();
        match link {
            LinkName::Name(name) => self.robot.link(&name).or_raise(),
            LinkName::Index(index) => {
                let link = usize::try_from(index).ok().filter(|link| *link < count);
                link.map(ik::LinkIndex)
                    .ok_or_else(|| error(format!("link {index} does not exist; the robot has {count}")))
            }
        }
    }

    /// Returns the goals of each solve, and the number of solves if an array has a leading axis.
    pub(crate) fn goals(
        &self,
        link: LinkName,
        positions: Option<&Bound<'_, PyAny>>,
        orientations: Option<&Bound<'_, PyAny>>,
        start: &Option<Batch>,
    ) -> PyResult<(Vec<Vec<ik::Goal>>, Option<usize>)> {
        let link = self.link(link)?;
        if positions.is_none() && orientations.is_none() {
            return Err(error("positions or orientations are missing"));
        }
        let positions = positions.map(|positions| Batch::new("positions", positions, 3)).transpose()?;
        let orientations =
            orientations.map(|all| robot_arrays::orientations("orientations", all)).transpose()?;
        let count = common(&[("positions", &positions), ("orientations", &orientations), ("q0", start)])?;
        let goal = |index: usize| {
            let mut goal = ik::Goal::position(link, DVec3::ZERO);
            goal.position = positions.as_ref().map(|all| DVec3::from_slice(all.row(index)));
            let wanted = orientations.as_ref().map(|all| <[f64; 4]>::try_from(all.row(index)));
            let wanted = wanted.transpose().map_err(|_| error("orientations is empty"))?;
            goal.orientation = wanted.map(|xyzw| unit("orientations", xyzw)).transpose()?;
            Ok(vec![goal])
        };
        let goals = (0..count.unwrap_or(1)).map(goal).collect::<PyResult<Vec<_>>>()?;
        Ok((goals, count))
    }
}
