//! The solvers of sinew for JavaScript: a [`Body`] of links, and goals for some of them.

mod jacobian;
mod limb;
mod many;
mod options;
mod trace;

use sinew_ik as ik;
use sinew_ik::glam::{DAffine3, DQuat, DVec3};
use sinew_ik::{Goal, Limit, Link, LinkIndex, Options, Report, Solver};
use wasm_bindgen::prelude::*;

pub use jacobian::Ellipsoid;
pub use many::Results;
pub use trace::Step;

/// A posed tree of links, and a solver for it. Lengths may be in any unit, angles are in radians, and rotations are quaternions (x, y, z,
/// w).
#[wasm_bindgen]
pub struct Body {
    links: Vec<Link>,
    body: ik::Body,
    solver: Solver,
    options: Options,
    /// The result of the last solve.
    report: Report,
    /// The body before the last solve with a trace.
    before: ik::Body,
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
    /// Creates a body. `parents` contains the parent of each link, or -1 for the first link. A parent must come before its link. `offsets`
    /// has three numbers for each link: its position in the frame of its parent in the rest pose. The first one is the position of the
    /// body.
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
            links.push(Link::child(LinkIndex(parent), offset));
        }
        let body = create(&links, *root)?;
        Ok(Self {
            links,
            before: body.clone(),
            body,
            solver: Solver::default(),
            options: Options::default(),
            report: Report::default(),
        })
    }

    /// Lets a link rotate about only one axis, between two angles.
    ///
    /// # Errors
    /// If there is no such link, or if the limit is invalid.
    pub fn hinge(&mut self, link: usize, x: f64, y: f64, z: f64, from: f64, to: f64) -> Result<(), JsError> {
        self.limit(link, Limit::hinge(DVec3::new(x, y, z), from..=to))
    }

    /// Lets a link swing up to a maximum angle, and twist about its axis between two angles.
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

    /// Keeps three Euler angles of a link within ranges. `order` is one of `xyz`, `xzy`, `yxz`, `yzx`, `zxy` and `zyx`. `min` and `max` have
    /// the three angles in this order. The middle angle should stay from -π/2 to π/2.
    ///
    /// # Errors
    /// The same as for [`Body::hinge`], and if there is no such order, or if there are not three angles.
    pub fn euler(&mut self, link: usize, order: &str, min: &[f64], max: &[f64]) -> Result<(), JsError> {
        let unknown = || error(format!("unknown order {order:?}; use xyz, xzy, yxz, yzx, zxy or zyx"));
        let order = ik::shared::euler_order(order).ok_or_else(unknown)?;
        let three = |angles: &[f64]| {
            <[f64; 3]>::try_from(angles).map_err(|_| error("min and max have three angles each"))
        };
        let (min, max) = (three(min)?, three(max)?);
        self.limit(link, Limit::Euler { order, min, max })
    }

    /// Keeps a link from rotating. A locked link has no column in [`Body::jacobian`].
    ///
    /// # Errors
    /// If there is no such link.
    pub fn lock(&mut self, link: usize) -> Result<(), JsError> {
        self.limit(link, Limit::Locked)
    }

    fn limit(&mut self, link: usize, limit: Limit) -> Result<(), JsError> {
        let mut links = self.links.clone();
        let limited = links.get_mut(link).ok_or_else(|| missing(LinkIndex(link)))?;
        *limited = limited.with_limit(limit);
        let mut body = create(&links, self.body.root())?;
        turn_links(&mut body, self.body.rotations());
        (self.links, self.before, self.body) = (links, body.clone(), body);
        self.report = Report::default();
        self.solver.reset();
        Ok(())
    }

    /// Rotates the links so that the given ones reach their targets (three numbers each). Returns the largest remaining distance.
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
        let goal = |(&link, target): (&u32, DVec3)| Goal::position(LinkIndex(link as usize), target);
        let goals: Vec<Goal> = links.iter().zip(targets).map(goal).collect();
        if self.options.trace {
            self.before.clone_from(&self.body);
        }
        self.report = Report::default();
        self.report.clone_from(self.solver.solve(&mut self.body, &goals, &self.options).map_err(error)?);
        Ok(self.report.position_error())
    }

    /// Returns the number of iterations of the last solve.
    pub fn iterations(&self) -> usize {
        self.report.iterations
    }

    /// Returns the outcome of the last solve for its first goal, for example `reached` or `out-of-reach`. Empty before the
    /// first solve.
    pub fn outcome(&self) -> String {
        self.report.goals.first().map_or_else(String::new, |goal| goal.outcome.to_string())
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
        turn_links(&mut self.body, &rotations);
        Ok(())
    }

    /// Sets the angle of a hinge from rest, in radians. The limits of the hinge do not apply.
    ///
    /// # Errors
    /// If there is no such hinge, or if the angle is not finite.
    #[wasm_bindgen(js_name = setAngle)]
    pub fn set_angle(&mut self, link: usize, angle: f64) -> Result<(), JsError> {
        self.body.set_joint_value(LinkIndex(link), angle).map_err(error)
    }

    /// Returns the world position of a link.
    ///
    /// # Errors
    /// If there is no such link.
    pub fn position(&self, link: usize) -> Result<Vec<f64>, JsError> {
        Ok(self.place(LinkIndex(link))?.to_array().to_vec())
    }

    /// Returns the world positions of all links, three numbers each.
    pub fn positions(&self) -> Vec<f64> {
        positions(&self.body)
    }

    fn place(&self, link: LinkIndex) -> Result<DVec3, JsError> {
        Ok(self.body.world_from_link(link).ok_or_else(|| missing(link))?.translation)
    }
}

fn missing(link: LinkIndex) -> JsError {
    error(format!("link {link} does not exist"))
}

fn positions(body: &ik::Body) -> Vec<f64> {
    body.world_from_links().iter().flat_map(|world| world.translation.to_array()).collect()
}

fn turn_links(body: &mut ik::Body, rotations: &[DQuat]) {
    for (link, rotation) in rotations.iter().enumerate() {
        body.set_rotation(LinkIndex(link), *rotation);
    }
}

fn create(links: &[Link], root: DVec3) -> Result<ik::Body, JsError> {
    ik::Body::new(links.to_vec(), DAffine3::from_translation(root)).map_err(error)
}
