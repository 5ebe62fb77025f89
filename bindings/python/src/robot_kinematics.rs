//! Forward kinematics, Jacobians and manipulability of robots as arrays.

use glam::{DMat4, DVec3};
use pyo3::prelude::*;
use sinew::ik::LinkIndex;
use sinew::robot::Robot;

use crate::error::OrRaise;
use crate::robot_arrays::{Batch, shaped};

/// Returns the transforms of a link, shape (..., 4, 4), or of all links, shape (..., links, 4, 4).
pub(crate) fn fk<'py>(
    py: Python<'py>,
    robot: &Robot,
    q: &Batch,
    link: Option<LinkIndex>,
) -> PyResult<Bound<'py, PyAny>> {
    let values = py.detach(|| {
        let mut values = Vec::new();
        for row in 0..q.rows() {
            let matrices = match link {
                Some(link) => vec![robot.world_from_link(q.row(row), link).or_raise()?],
                None => robot.fk(q.row(row)).or_raise()?,
            };
            for matrix in matrices {
                values.extend(DMat4::from(matrix).transpose().to_cols_array());
            }
        }
        PyResult::Ok(values)
    })?;
    let links = robot.links().len();
    let shape = if link.is_some() { vec![4, 4] } else { vec![links, 4, 4] };
    shaped(py, values, q.count, &shape)
}

/// Returns the derivative of a point of a link, shape (..., 6, joints).
pub(crate) fn jacobian<'py>(
    py: Python<'py>,
    robot: &Robot,
    q: &Batch,
    (link, point): (LinkIndex, DVec3),
) -> PyResult<Bound<'py, PyAny>> {
    let mut values = Vec::new();
    for row in 0..q.rows() {
        let columns = robot.jacobian(q.row(row), link, point).or_raise()?;
        for axis in 0..3 {
            values.extend(
                columns.iter().map(|column| column.linear.to_array().get(axis).copied().unwrap_or_default()),
            );
        }
        for axis in 0..3 {
            values.extend(
                columns.iter().map(|column| column.angular.to_array().get(axis).copied().unwrap_or_default()),
            );
        }
    }
    shaped(py, values, q.count, &[6, robot.joints().len()])
}

/// Returns the manipulability of a link, shape (...,).
pub(crate) fn manipulability<'py>(
    py: Python<'py>,
    robot: &Robot,
    q: &Batch,
    (link, orientation): (LinkIndex, bool),
) -> PyResult<Bound<'py, PyAny>> {
    let value = |row: usize| robot.manipulability(q.row(row), link, orientation).or_raise();
    let values = (0..q.rows()).map(value).collect::<PyResult<Vec<f64>>>()?;
    shaped(py, values, q.count, &[])
}
