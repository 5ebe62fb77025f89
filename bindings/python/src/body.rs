//! Bodies for inverse kinematics, independent of characters.

use glam::{DAffine3, DMat4, DQuat};
use numpy::{PyArray1, PyArray3};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sinew::ik::{self, LinkIndex, Options, Solver};

use crate::arrays::{Array, Size, affine, list, matrices, read_only, rows, unit, vector};
use crate::error::{OrRaise, error};
use crate::goal::Goal;
use crate::limit::Limit;
use crate::link::Link;
use crate::options;
use crate::pickle::NewArguments;
use crate::report::Report;

/// What changes when a body moves, for pickle: its rotations, its displacements and the translation of its base.
type State = (Vec<[f64; 4]>, Vec<f64>, [f64; 3]);

/// A tree of links with a pose that can be solved for goals. It starts in its rest pose.
///
/// `world_from_base` is an affine 4×4 matrix that maps the parent space of the base to the world.
#[pyclass(module = "sinew")]
pub(crate) struct Body {
    pub(crate) body: ik::Body,
    limits: Vec<Limit>,
    solver: Solver,
}

impl Body {
    fn from_links(links: Vec<Link>, world_from_base: DAffine3) -> PyResult<Self> {
        let limits = links.iter().map(|link| link.limit.clone()).collect();
        let body =
            ik::Body::new(links.into_iter().map(|link| link.link).collect(), world_from_base).or_raise()?;
        Ok(Self { body, limits, solver: Solver::default() })
    }
}

#[pymethods]
impl Body {
    #[new]
    #[pyo3(signature = (links, *, world_from_base = None))]
    fn new(links: Vec<Link>, world_from_base: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let above =
            world_from_base.map_or(Ok(DAffine3::IDENTITY), |matrix| affine("world_from_base", matrix))?;
        Self::from_links(links, above)
    }

    /// Creates a chain in which every link is the parent of the next one. `offsets` has the shape (links, 3). Each row is the
    /// position of a link in the frame of the previous one, in metres. The first row is the world position of the base.
    #[staticmethod]
    #[pyo3(signature = (offsets, *, limits = None))]
    fn chain(offsets: &Bound<'_, PyAny>, limits: Option<Vec<Limit>>) -> PyResult<Self> {
        let offsets = Array::new("offsets", offsets, &[Size::Any("links"), Size::Exactly(3)])?;
        let count = offsets.shape.first().copied().unwrap_or_default();
        let limits = limits.unwrap_or_else(|| vec![Limit::unlimited(); count]);
        if limits.len() != count {
            return Err(error(format!("limits must have {count} entries, but has {}", limits.len())));
        }
        let link = |(index, (offset, limit)): (usize, ([f64; 3], Limit))| {
            Link::at(index.checked_sub(1), offset.into(), limit)
        };
        Self::from_links(offsets.rows().zip(limits).enumerate().map(link).collect(), DAffine3::IDENTITY)
    }

    /// The links, base first.
    #[getter]
    fn links(&self) -> Vec<Link> {
        let pair = self.body.links().iter().zip(&self.limits);
        pair.map(|(link, limit)| Link { link: *link, limit: limit.clone() }).collect()
    }

    /// The local rotations as an array of quaternions (x, y, z, w), with the shape (links, 4).
    #[getter]
    fn rotations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        read_only(&rows(py, self.body.rotations().iter().map(DQuat::to_array))?)
    }

    #[setter]
    fn set_rotations(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let rotations = rotations_of("rotations", value, &[Size::Exactly(self.limits.len())])?;
        set_rotations(&mut self.body, &rotations);
        Ok(())
    }

    /// The displacements of prismatic joints in metres as an array of shape (links,). Other joints have 0.
    #[getter]
    fn displacements<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        read_only(&list(py, displacements(&self.body)))
    }

    #[setter]
    fn set_displacements(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let array = Array::new("displacements", value, &[Size::Exactly(self.limits.len())])?;
        for (link, displacement) in array.values.into_iter().enumerate() {
            self.body.set_displacement(LinkIndex(link), displacement);
        }
        Ok(())
    }

    /// The translation by which solves with the option `root_motion` have moved the base, as an array of shape (3,).
    #[getter]
    fn root<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let root: Bound<'py, PyArray1<f64>> = list(py, self.body.root().to_array().to_vec());
        read_only(&root)
    }

    #[setter]
    fn set_root(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.body.set_root(vector("root", value)?);
        Ok(())
    }

    /// The world positions of the links in metres as an array of shape (links, 3).
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        read_only(&rows(py, self.world().map(|matrix| matrix.translation.to_array()))?)
    }

    /// The world orientations of the links as an array of quaternions (x, y, z, w), with the shape (links, 4).
    #[getter]
    fn orientations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let links = 0..self.limits.len();
        read_only(&rows(
            py,
            links.filter_map(|link| self.body.orientation(LinkIndex(link))).map(|q| q.to_array()),
        )?)
    }

    /// The `world_from_link` matrices as an array of shape (links, 4, 4).
    #[getter]
    fn world_matrices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let columns = self.world().map(|matrix| DMat4::from(matrix).to_cols_array());
        let array: Bound<'py, PyArray3<f64>> = matrices(py, columns)?;
        read_only(&array)
    }

    /// Resets the body to its rest pose.
    fn reset(&mut self) {
        self.body.reset();
    }

    /// Returns an independent copy in the same pose.
    fn copy(&self) -> Self {
        Self { body: self.body.clone(), limits: self.limits.clone(), solver: Solver::default() }
    }

    fn __copy__(&self) -> Self {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.copy()
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<NewArguments<'py, (Vec<Link>,)>> {
        let matrix = DMat4::from(self.body.world_from_base()).transpose().to_cols_array_2d();
        let named = PyDict::new(py);
        named.set_item("world_from_base", matrix)?;
        Ok(((self.links(),), named))
    }

    fn __getstate__(&self) -> State {
        let rotations = self.body.rotations().iter().map(DQuat::to_array).collect();
        (rotations, displacements(&self.body), self.body.root().to_array())
    }

    fn __setstate__(&mut self, state: State) {
        let (rotations, displacements, root) = state;
        let rotations: Vec<DQuat> = rotations.into_iter().map(DQuat::from_array).collect();
        set_rotations(&mut self.body, &rotations);
        for (link, displacement) in displacements.into_iter().enumerate() {
            self.body.set_displacement(LinkIndex(link), displacement);
        }
        self.body.set_root(root.into());
    }

    /// Moves the links so that the goals are met as closely as the method can meet them. The body is then in the solved pose. The
    /// result depends only on the current pose, the goals and the options.
    ///
    /// `tolerance` is in metres, and None means a ten-thousandth of the length of the longest chain. `options` maps the
    /// keys of the solver options to values, for example `{"ccd.step": "5deg"}`.
    #[pyo3(signature = (goals, *, method = "auto", tolerance = None, iterations = None, options = None))]
    fn solve(
        &mut self,
        py: Python<'_>,
        goals: Vec<Goal>,
        method: &str,
        tolerance: Option<f64>,
        iterations: Option<i64>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Report> {
        let mut all = Options::default();
        options::apply(&mut all, Some(method), tolerance, iterations, options)?;
        let goals: Vec<ik::Goal> = goals.into_iter().map(|goal| goal.goal).collect();
        let Self { body, solver, .. } = self;
        py.detach(|| solver.solve(body, &goals, &all).map(Report::from)).or_raise()
    }

    fn __len__(&self) -> usize {
        self.limits.len()
    }

    fn __repr__(&self) -> String {
        format!("Body({} links)", self.limits.len())
    }
}

impl Body {
    fn world(&self) -> impl Iterator<Item = DAffine3> + '_ {
        (0..self.limits.len()).filter_map(|link| self.body.world_from_link(LinkIndex(link)))
    }
}

/// Returns the displacements of all links, in metres.
pub(crate) fn displacements(body: &ik::Body) -> Vec<f64> {
    (0..body.links().len()).map(|link| body.displacement(LinkIndex(link))).collect()
}

/// Reads quaternions of any length except zero. `sizes` are the lengths of all axes except the last one.
pub(crate) fn rotations_of(what: &str, value: &Bound<'_, PyAny>, sizes: &[Size]) -> PyResult<Vec<DQuat>> {
    let sizes: Vec<Size> = sizes.iter().copied().chain([Size::Exactly(4)]).collect();
    let array = Array::new(what, value, &sizes)?;
    array.rows().map(|xyzw| unit(what, xyzw)).collect()
}

/// Sets the rotations of the first links.
pub(crate) fn set_rotations(body: &mut ik::Body, rotations: &[DQuat]) {
    for (link, rotation) in rotations.iter().enumerate() {
        body.set_rotation(LinkIndex(link), *rotation);
    }
}
