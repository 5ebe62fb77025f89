//! The swivel of a limb.

use sinew_ik::{Goal, LimbOptions, LinkIndex, Method, Solver, Swivel};
use wasm_bindgen::prelude::*;

use crate::{Body, error};

#[wasm_bindgen]
impl Body {
    /// Returns the swivel of the two-bone limb that ends in a link (Tolani, Goswami & Badler 2000, section 3): its turn about the line from
    /// its first link to its end, in radians from −π to π. It is measured from the pose that the option `limb.swivel=angle:0` gives with
    /// the other options, and is 0 for a straight limb.
    ///
    /// # Errors
    /// If there is no such link, or if it has fewer than two ancestors.
    pub fn swivel(&self, end: usize) -> Result<f64, JsError> {
        let end = LinkIndex(end);
        let above = |link: LinkIndex| self.links.get(link.0).and_then(|link| link.parent);
        let Some((middle, first)) = above(end).and_then(|middle| Some((middle, above(middle)?))) else {
            return Err(error(format!("link {end} does not end a limb of two bones")));
        };
        let (start, elbow, target) = (self.place(first)?, self.place(middle)?, self.place(end)?);
        let limb = LimbOptions::default().with_swivel(Swivel::Angle(0.0));
        let options = self.options.with_method(Method::TwoBone).with_limb(limb).with_trace(false);
        let mut body = self.body.clone();
        Solver::default().solve(&mut body, &[Goal::position(end, target)], &options).map_err(error)?;
        let reference = body.world_from_link(middle).map_or(elbow, |world| world.translation);
        let Some(axis) = (target - start).try_normalize() else { return Ok(0.0) };
        let [from, to] = [reference, elbow].map(|point| (point - start).reject_from_normalized(axis));
        Ok(axis.dot(from.cross(to)).atan2(from.dot(to)))
    }
}
