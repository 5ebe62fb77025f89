//! Collisions of a body with itself and with obstacles.
//!
//! Links have capsules, and obstacles are spheres, capsules, boxes or convex hulls.
//! [`Solver::solve_clear`](crate::Solver::solve_clear) keeps them apart.

mod distance;
mod error;
mod hull;
mod obstacle;
mod sweep;
#[cfg(test)]
mod tests;

use std::fmt;

use glam::{DAffine3, DVec3};

use crate::{Body, BodyCapsule, Limit, Link, LinkIndex};

use distance::{Capsule, Contact, capsule_and_hull, capsules};
pub use error::CollisionError;
pub use obstacle::Obstacle;
use obstacle::Placed;

/// A link or an obstacle of a [`CollisionModel`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollisionBody {
    /// A link of the body, by its index.
    Link(LinkIndex),
    /// An obstacle, by its index in the order of [`CollisionModel::add_obstacle`].
    Obstacle(usize),
}

impl fmt::Display for CollisionBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Link(link) => write!(f, "link {link}"),
            Self::Obstacle(obstacle) => write!(f, "obstacle {obstacle}"),
        }
    }
}

/// The smallest distance of a pose.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Clearance {
    /// The distance between the surfaces in metres. A negative value is the depth of the penetration.
    pub distance: f64,
    /// A link, and the link or obstacle that is nearest to it.
    pub pair: [CollisionBody; 2],
    /// The nearest points of the two surfaces, in world metres.
    pub points: [DVec3; 2],
    /// Unit vector in world space from the second surface to the first.
    pub normal: DVec3,
}

/// The shapes of a body and of its surroundings, and the pairs that must not touch.
///
/// ```
/// use sinew_ik::glam::{DAffine3, DVec3};
/// use sinew_ik::{Body, BodyCapsule, CollisionBody, CollisionModel, Limit, Link, LinkIndex, Obstacle};
///
/// // An arm of two bones of one metre, each a capsule of 0.1 m, and a ball beside its tip.
/// let hinge = Limit::hinge(DVec3::Z, -3.0..=3.0);
/// let links = vec![Link::base().with_limit(hinge), Link::child(LinkIndex(0), DVec3::X).with_limit(hinge)];
/// let arm = Body::new(links, DAffine3::IDENTITY)?;
/// let bone = |link| BodyCapsule { link: LinkIndex(link), ends: [DVec3::ZERO, DVec3::X], radius: 0.1 };
/// let mut model = CollisionModel::new(&arm, vec![bone(0), bone(1)])?;
/// model.add_obstacle(Obstacle::sphere(DVec3::new(2.0, 0.5, 0.0), 0.2))?;
/// let nearest = model.clearance(&arm).ok_or("no pair")?;
/// assert!((nearest.distance - 0.2).abs() < 1e-9);
/// assert_eq!(nearest.pair, [CollisionBody::Link(LinkIndex(1)), CollisionBody::Obstacle(0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CollisionModel {
    capsules: Vec<BodyCapsule>,
    obstacles: Vec<Placed>,
    /// For each link, the topmost link of its rigid part. Links between which nothing moves share a part.
    parts: Vec<usize>,
    /// Whether the base turns or slides, so that no part stands still.
    base_moves: bool,
    /// Indices of two capsules, or of a capsule and an obstacle. The index of an obstacle follows the last capsule.
    pairs: Vec<[usize; 2]>,
    margin: f64,
}

/// A gap that is smaller than a given distance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gap {
    pub(crate) distance: f64,
    /// Unit vector in world space from the second shape to the first.
    pub(crate) normal: DVec3,
    /// The link of each shape, if it is not an obstacle, and the point of it that is nearest, in world space.
    pub(crate) sides: [(Option<usize>, DVec3); 2],
    pair: [usize; 2],
    radii: [f64; 2],
}

impl CollisionModel {
    /// Creates a model from capsules in the frames of their links. Each capsule must keep clear of all others, except those of its own
    /// link, of links that cannot move relative to it, and of the links next to these in the tree.
    ///
    /// # Errors
    /// [`CollisionError`] if a capsule's link does not exist, or if a capsule is not finite or has no positive radius.
    pub fn new(body: &Body, capsules: Vec<BodyCapsule>) -> Result<Self, CollisionError> {
        let links = body.links();
        for BodyCapsule { link, ends, radius } in &capsules {
            if link.0 >= links.len() {
                return Err(CollisionError::Link { link: *link, count: links.len() });
            }
            let body = CollisionBody::Link(*link);
            if !ends.iter().all(|end| end.is_finite()) {
                return Err(CollisionError::Shape { body, why: "the ends of a capsule must be finite" });
            }
            if !(radius.is_finite() && *radius > 0.0) {
                let why = "the radius of a capsule must be finite and greater than 0";
                return Err(CollisionError::Shape { body, why });
            }
        }
        let parts = rigid_parts(links);
        let part = |link: usize| parts.get(link).copied().unwrap_or_default();
        let above = |link: usize| links.get(part(link)).and_then(Link::parent_index).map(part);
        let mut pairs = Vec::new();
        for (b, second) in capsules.iter().enumerate() {
            for (a, first) in capsules.iter().enumerate().take(b) {
                let [first, second] = [first.link.0, second.link.0];
                let is_next = above(first) == Some(part(second)) || above(second) == Some(part(first));
                if part(first) != part(second) && !is_next {
                    pairs.push([a, b]);
                }
            }
        }
        let base_moves = links.first().is_some_and(moves);
        Ok(Self { capsules, obstacles: Vec::new(), parts, base_moves, pairs, margin: 0.0 })
    }

    /// Adds an obstacle, and returns its index. Every link that can move must keep clear of it.
    ///
    /// # Errors
    /// [`CollisionError::Shape`] if the obstacle has no positive size, or if it is not finite.
    pub fn add_obstacle(&mut self, obstacle: Obstacle) -> Result<usize, CollisionError> {
        let index = self.obstacles.len();
        let body = CollisionBody::Obstacle(index);
        let placed = obstacle.placed().map_err(|why| CollisionError::Shape { body, why })?;
        self.obstacles.push(placed);
        let own = self.capsules.len() + index;
        let moves = |capsule: &BodyCapsule| self.base_moves || self.parts.get(capsule.link.0) != Some(&0);
        let moving = (0..self.capsules.len()).filter(|place| self.capsules.get(*place).is_some_and(moves));
        self.pairs.extend(moving.map(|place| [place, own]));
        Ok(index)
    }

    /// Removes all obstacles.
    pub fn clear_obstacles(&mut self) {
        let count = self.capsules.len();
        self.obstacles.clear();
        self.pairs.retain(|[_, second]| *second < count);
    }

    /// Sets the distance in metres that all pairs must keep. The default is 0.
    ///
    /// # Errors
    /// [`CollisionError::Margin`] if the margin is negative or not finite.
    pub fn set_margin(&mut self, margin: f64) -> Result<(), CollisionError> {
        if !(margin.is_finite() && margin >= 0.0) {
            return Err(CollisionError::Margin { margin });
        }
        self.margin = margin;
        Ok(())
    }

    /// Returns the distance in metres that all pairs must keep.
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// Returns the capsules of the links.
    pub fn capsules(&self) -> &[BodyCapsule] {
        &self.capsules
    }

    /// Returns whether there are pairs that must not touch.
    pub fn has_pairs(&self) -> bool {
        !self.pairs.is_empty()
    }

    /// Returns the number of links of the body.
    pub fn link_count(&self) -> usize {
        self.parts.len()
    }

    /// Returns the pairs that must not touch, each once, in ascending order.
    pub fn pairs(&self) -> Vec<[CollisionBody; 2]> {
        let mut pairs: Vec<_> = self.pairs.iter().map(|pair| self.bodies(*pair)).collect();
        let key = |body: CollisionBody| match body {
            CollisionBody::Link(link) => (0, link.0),
            CollisionBody::Obstacle(index) => (1, index),
        };
        pairs.sort_unstable_by_key(|pair| pair.map(key));
        pairs.dedup();
        pairs
    }

    /// Lets two bodies touch, in either order.
    pub fn allow(&mut self, first: CollisionBody, second: CollisionBody) {
        let (capsules, count) = (&self.capsules, self.capsules.len());
        self.pairs.retain(|pair| {
            let [a, b] = pair.map(|index| body_of(capsules, count, index));
            [a, b] != [first, second] && [b, a] != [first, second]
        });
    }

    /// Lets all pairs of links touch that overlap in the pose of a body. Capsules are larger than the shapes inside them, so links that are
    /// near each other may overlap in every pose. Obstacles do not count.
    pub fn allow_overlaps(&mut self, body: &Body) {
        let frames = body.world_from_links();
        let overlaps = |gap: &Gap| gap.distance < self.margin && gap.sides[1].0.is_some();
        let mut gaps = Vec::new();
        self.gaps(&frames, self.margin, &mut gaps);
        let found: Vec<_> =
            gaps.iter().filter(|gap| overlaps(gap)).map(|gap| self.bodies(gap.pair)).collect();
        found.into_iter().for_each(|[first, second]| self.allow(first, second));
    }

    /// Returns the pair with the smallest distance in the pose of a body, or `None` if there are no pairs. The body must have the links for
    /// which the model was created.
    pub fn clearance(&self, body: &Body) -> Option<Clearance> {
        let mut least: Option<Gap> = None;
        // Only gaps that are smaller than the smallest one so far are measured exactly.
        self.visit(&body.world_from_links(), f64::INFINITY, |gap| least.insert(gap).distance);
        Some(self.describe(&least?))
    }

    /// Returns the derivative of a pair's distance with respect to the degrees of freedom of a body, in the order of
    /// [`Body::jacobian`]: metres per radian or per metre. The clearance must belong to the pose of the body.
    pub fn gradient(&self, body: &Body, clearance: &Clearance) -> Vec<f64> {
        let mut slope = Vec::new();
        for ((side, at), sign) in clearance.pair.iter().zip(clearance.points).zip([1.0, -1.0]) {
            let CollisionBody::Link(link) = *side else { continue };
            let Some(world_from_link) = body.world_from_link(link) else { continue };
            let Some(jacobian) = body.jacobian(link, world_from_link.inverse().transform_point3(at)) else {
                continue;
            };
            slope.resize(jacobian.columns().len(), 0.0);
            for (sum, column) in slope.iter_mut().zip(jacobian.columns()) {
                *sum += sign * clearance.normal.dot(column.linear);
            }
        }
        slope
    }

    /// Sets `gaps` to the gaps that are smaller than `within` metres, in the order of the pairs.
    pub(crate) fn gaps(&self, frames: &[DAffine3], within: f64, gaps: &mut Vec<Gap>) {
        gaps.clear();
        self.visit(frames, within, |gap| {
            gaps.push(gap);
            within
        });
    }

    /// Visits the gaps that are smaller than `within` metres, in the order of the pairs. `visit` returns the new value of `within`.
    fn visit(&self, frames: &[DAffine3], mut within: f64, mut visit: impl FnMut(Gap) -> f64) {
        let place = |capsule: &BodyCapsule| {
            let world_from_link = frames.get(capsule.link.0).copied().unwrap_or_default();
            let ends = capsule.ends.map(|end| world_from_link.transform_point3(end));
            Capsule { ends, radius: capsule.radius }
        };
        let placed: Vec<Capsule> = self.capsules.iter().map(place).collect();
        let links = placed.iter().map(Capsule::bounds);
        let bounds: Vec<(DVec3, f64)> = links.chain(self.obstacles.iter().map(Placed::bounds)).collect();
        for &pair in &self.pairs {
            let [Some(a), Some(b)] = pair.map(|index| bounds.get(index)) else { continue };
            if a.0.distance(b.0) - a.1 - b.1 >= within {
                continue;
            }
            let Some(&first) = placed.get(pair[0]) else { continue };
            let obstacle = pair[1].checked_sub(placed.len()).and_then(|index| self.obstacles.get(index));
            let contact = match (placed.get(pair[1]), obstacle) {
                (Some(&second), _) => Some(capsules(first, second)),
                (None, Some(Placed::Capsule(second))) => Some(capsules(first, *second)),
                (None, Some(Placed::Hull(hull))) => capsule_and_hull(first, hull, within),
                (None, None) => None,
            };
            if let Some(contact) = contact.filter(|contact| contact.distance < within) {
                within = visit(self.gap(pair, &contact));
            }
        }
    }

    fn gap(&self, pair: [usize; 2], contact: &Contact) -> Gap {
        let link = |index: usize| self.capsules.get(index).map(|capsule| capsule.link.0);
        let [a, b] = pair.map(link);
        let [x, y] = contact.points;
        let Contact { distance, normal, radii, .. } = *contact;
        Gap { distance, normal, sides: [(a, x), (b, y)], pair, radii }
    }

    /// Returns a gap with the points on the surfaces.
    pub(crate) fn describe(&self, gap: &Gap) -> Clearance {
        let [(_, a), (_, b)] = gap.sides;
        let points = [a - gap.normal * gap.radii[0], b + gap.normal * gap.radii[1]];
        Clearance { distance: gap.distance, pair: self.bodies(gap.pair), points, normal: gap.normal }
    }

    /// Returns the two bodies of a pair.
    pub(crate) fn bodies(&self, pair: [usize; 2]) -> [CollisionBody; 2] {
        pair.map(|index| body_of(&self.capsules, self.capsules.len(), index))
    }
}

fn body_of(capsules: &[BodyCapsule], count: usize, index: usize) -> CollisionBody {
    let link = capsules.get(index).map(|capsule| CollisionBody::Link(capsule.link));
    link.unwrap_or(CollisionBody::Obstacle(index.saturating_sub(count)))
}

/// Returns whether the joint of a link can move.
fn moves(link: &Link) -> bool {
    link.limit != Limit::Locked && (link.weight > 0.0 || link.mimic.is_some())
}

/// Returns for each link the topmost link to which only locked joints lead.
fn rigid_parts(links: &[Link]) -> Vec<usize> {
    let mut parts: Vec<usize> = Vec::with_capacity(links.len());
    for (index, link) in links.iter().enumerate() {
        let above =
            link.parent_index().filter(|_| !moves(link)).and_then(|parent| parts.get(parent).copied());
        parts.push(above.unwrap_or(index));
    }
    parts
}
