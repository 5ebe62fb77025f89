//! The solvers of sinew for JavaScript: a [`Body`] of links, and goals for some of them.

use sinew::glam::{DAffine3, DQuat, DVec3};
use sinew::ik::{self, Goal, Limit, Link, Method, Options, Solver};
use wasm_bindgen::prelude::*;

/// A posed tree of links, and a solver for it. Lengths are in any one unit, angles in radians, and rotations are quaternions (x, y, z, w).
#[wasm_bindgen]
pub struct Body {
    links: Vec<Link>,
    body: ik::Body,
    solver: Solver,
    options: Options,
}

fn error(cause: impl std::fmt::Display) -> JsError {
    JsError::new(&cause.to_string())
}

/// Reads points of three numbers each.
fn points(numbers: &[f64]) -> Result<Vec<DVec3>, JsError> {
    let (points, rest) = numbers.as_chunks::<3>();
    if !rest.is_empty() {
        return Err(error("a list of points must have three numbers for each"));
    }
    Ok(points.iter().copied().map(DVec3::from_array).collect())
}

#[wasm_bindgen]
impl Body {
    /// Creates a body. `parents` has the parent of each link, which must come before it, or -1 for the first link. `offsets` has three numbers
    /// for each link: its position in the frame of its parent while nothing is turned. The first one is where the body is.
    ///
    /// # Errors
    /// If there is no link, if a parent comes after its link, or if a number is not finite.
    #[wasm_bindgen(constructor)]
    pub fn new(parents: &[i32], offsets: &[f64]) -> Result<Body, JsError> {
        let offsets = points(offsets)?;
        let [-1, rest @ ..] = parents else { return Err(error("the first parent must be -1")) };
        let [root, offsets @ ..] = offsets.as_slice() else {
            return Err(error("the first link has no offset"));
        };
        if rest.len() != offsets.len() {
            return Err(error(format!(
                "{} parents need as many offsets, but {} were given",
                parents.len(),
                offsets.len() + 1
            )));
        }
        let mut links = vec![Link::base()];
        for (&parent, &offset) in rest.iter().zip(offsets) {
            let parent = usize::try_from(parent).map_err(|_| error("only the first parent may be -1"))?;
            links.push(Link::child(parent, offset));
        }
        let body = create(&links, *root)?;
        Ok(Self { links, body, solver: Solver::default(), options: Options::default() })
    }

    /// Lets a link turn around one axis only, between two angles.
    ///
    /// # Errors
    /// If there is no such link, or if the limit is invalid.
    pub fn hinge(&mut self, link: usize, x: f64, y: f64, z: f64, from: f64, to: f64) -> Result<(), JsError> {
        self.limit(link, Limit::hinge(DVec3::new(x, y, z), from..=to))
    }

    /// Lets a link swing by at most some angle, and twist around its axis between two angles.
    ///
    /// # Errors
    /// The same as for [`Body::hinge`].
    pub fn cone(
        &mut self,
        link: usize,
        axis: &[f64],
        swing: f64,
        twist_from: f64,
        twist_to: f64,
    ) -> Result<(), JsError> {
        let [axis] = points(axis)?[..] else { return Err(error("an axis has three numbers")) };
        let side = axis.any_orthogonal_vector();
        self.limit(link, Limit::Cone { axis, side, swing: [swing; 2], twist: [twist_from, twist_to] })
    }

    fn limit(&mut self, link: usize, limit: Limit) -> Result<(), JsError> {
        let mut links = self.links.clone();
        let limited = links.get_mut(link).ok_or_else(|| error(format!("link {link} does not exist")))?;
        *limited = limited.with_limit(limit);
        let mut body = create(&links, self.body.root())?;
        body.set_posture(self.body.rotations());
        (self.links, self.body) = (links, body);
        self.solver.reset();
        Ok(())
    }

    /// Chooses a method, for example `fabrik` or `auto`.
    ///
    /// # Errors
    /// If there is no such method.
    #[wasm_bindgen(js_name = setMethod)]
    pub fn set_method(&mut self, name: &str) -> Result<(), JsError> {
        self.options.method = name.parse::<Method>().map_err(error)?;
        self.solver.reset();
        Ok(())
    }

    /// Turns the links so that some of them are at points, three numbers each. Returns the largest distance that is left.
    ///
    /// # Errors
    /// If there is no such link, or if a number is not finite.
    pub fn solve(&mut self, links: &[u32], targets: &[f64]) -> Result<f64, JsError> {
        let targets = points(targets)?;
        if links.len() != targets.len() {
            return Err(error(format!(
                "{} links need as many targets, but {} were given",
                links.len(),
                targets.len()
            )));
        }
        let goals: Vec<Goal> =
            links.iter().zip(targets).map(|(&link, target)| Goal::position(link as usize, target)).collect();
        let report = self.solver.solve(&mut self.body, &goals, &self.options).map_err(error)?;
        Ok(report.position_error())
    }

    /// Returns the rotations of all links relative to their parents, four numbers each.
    pub fn rotations(&self) -> Vec<f64> {
        self.body.rotations().iter().flat_map(|rotation| rotation.to_array()).collect()
    }

    /// Sets the rotations that [`Body::rotations`] returns.
    ///
    /// # Errors
    /// If there are not four numbers for each link.
    #[wasm_bindgen(js_name = setRotations)]
    pub fn set_rotations(&mut self, rotations: &[f64]) -> Result<(), JsError> {
        let (rotations, rest) = rotations.as_chunks::<4>();
        if !rest.is_empty() || rotations.len() != self.links.len() {
            return Err(error(format!("{} links need four numbers each", self.links.len())));
        }
        let rotations: Vec<DQuat> = rotations.iter().copied().map(DQuat::from_array).collect();
        self.body.set_posture(&rotations);
        Ok(())
    }

    /// Returns where a link is.
    ///
    /// # Errors
    /// If there is no such link.
    pub fn position(&self, link: usize) -> Result<Vec<f64>, JsError> {
        let world =
            self.body.world_from_link(link).ok_or_else(|| error(format!("link {link} does not exist")))?;
        Ok(world.translation.to_array().to_vec())
    }
}

fn create(links: &[Link], root: DVec3) -> Result<ik::Body, JsError> {
    ik::Body::new(links.to_vec(), DAffine3::from_translation(root)).map_err(error)
}
