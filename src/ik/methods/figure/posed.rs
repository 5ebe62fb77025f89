//! A figure in a pose, in world metres.

use glam::{DQuat, DVec3};

use crate::ik::body::{Stance, even_scale};
use crate::ik::limit::angle_between;
use crate::ik::rotation::rotation_vector;
use crate::ik::{Body, Goal, Limit};

/// A joint that exceeds its limit by more is outside it, radians.
const OUTSIDE: f64 = 1e-4;

/// A body in a pose. Positions are in world metres, so that a file's scale above the skeleton has no effect.
#[derive(Clone, Debug, Default)]
pub(super) struct Posed {
    /// The parents of the links.
    parents: Vec<Option<usize>>,
    /// Position of each link in its parent's frame, metres.
    pub(super) offsets: Vec<DVec3>,
    /// Metres per unit of each link's frame.
    pub(super) scales: Vec<f64>,
    /// Local rotations.
    pub(super) locals: Vec<DQuat>,
    /// World orientations.
    pub(super) spins: Vec<DQuat>,
    /// World positions.
    pub(super) positions: Vec<DVec3>,
    /// Orientation of the space above the base.
    above: DQuat,
}

impl Posed {
    /// Loads a body. Returns false if it is scaled unevenly or mirrored, so that its links have no fixed lengths.
    pub(super) fn load(&mut self, body: &Body, goals: &[Goal]) -> bool {
        let is_figure = body.poses_as_figure(goals);
        if is_figure {
            self.load_rotations(body);
        }
        is_figure
    }

    /// Loads a body of which only the orientations are needed. Its positions are wrong where it is scaled unevenly.
    pub(super) fn load_rotations(&mut self, body: &Body) {
        let scale = body.uniform_scale().unwrap_or(1.0);
        let links = body.links();
        self.parents.clear();
        self.offsets.clear();
        self.parents.extend(links.iter().map(|l| l.parent));
        self.scales.clear();
        for link in links {
            let above = link.parent.map_or(scale, |p| self.scales[p]);
            self.offsets.push(link.offset * above);
            self.scales.push(above * even_scale(link).unwrap_or(1.0));
        }
        self.spins.clear();
        self.spins.resize(links.len(), DQuat::IDENTITY);
        self.positions.clear();
        self.positions.resize(links.len(), DVec3::ZERO);
        self.above = body.world_from_base_rotation();
        self.set_pose(body, body.rotations(), body.root());
    }

    /// Sets the pose. `root` is the translation of the base in base space.
    pub(super) fn set_pose(&mut self, body: &Body, rotations: &[DQuat], root: DVec3) {
        self.locals.clear();
        self.locals.extend_from_slice(rotations);
        if let (Some(base), Some(link)) = (self.positions.first_mut(), body.links().first()) {
            *base = body.world_from_base().transform_point3(link.offset + root);
        }
        self.forward();
    }

    /// Copies a figure. Allocates nothing once the buffers have grown.
    pub(super) fn copy(&mut self, from: &Self) {
        self.parents.clone_from(&from.parents);
        self.offsets.clone_from(&from.offsets);
        self.scales.clone_from(&from.scales);
        self.locals.clone_from(&from.locals);
        self.spins.clone_from(&from.spins);
        self.positions.clone_from(&from.positions);
        self.above = from.above;
    }

    /// Sets the pose to a stance.
    pub(super) fn set_stance(&mut self, body: &Body, stance: &Stance) {
        self.set_pose(body, &stance.rotations, stance.root);
    }

    /// Number of links.
    pub(super) fn len(&self) -> usize {
        self.locals.len()
    }

    /// Returns the parent of a link.
    pub(super) fn parent(&self, link: usize) -> Option<usize> {
        self.parents[link]
    }

    /// Computes the world orientation and position of a link from those of its parent. The position of the base stays.
    pub(super) fn forward_link(&mut self, link: usize) {
        match self.parents[link] {
            Some(p) => {
                self.spins[link] = self.spins[p] * self.locals[link];
                self.positions[link] = self.positions[p] + self.spins[p] * self.offsets[link];
            }
            None => self.spins[link] = self.above * self.locals[link],
        }
    }

    /// Computes all world orientations and positions.
    pub(super) fn forward(&mut self) {
        (0..self.len()).for_each(|link| self.forward_link(link));
    }

    /// Returns the world orientation of the parent of a link.
    pub(super) fn spin_above(&self, link: usize) -> DQuat {
        self.parents[link].map_or(self.above, |p| self.spins[p])
    }

    /// Returns the world position of a point of a link.
    pub(super) fn point(&self, link: usize, offset: DVec3) -> DVec3 {
        self.positions[link] + self.spins[link] * offset
    }

    /// Returns the links from one link up to the base, both included.
    pub(super) fn up(&self, link: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(link), |&l| self.parents[l])
    }

    /// Writes the pose into a body.
    pub(super) fn write(&self, body: &mut Body) {
        let base = body.base_from_world().transform_point3(self.positions[0]);
        let offset = body.links()[0].offset;
        body.set_root(base - offset);
        for (link, &rotation) in self.locals.iter().enumerate() {
            body.set_rotation(link, rotation);
        }
    }
}

/// The limits of a body, or none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits<'a> {
    pub(super) body: &'a Body,
    pub(super) apply: bool,
}

impl Limits<'_> {
    /// Returns the limit of a link.
    pub(super) fn of(&self, link: usize) -> Limit {
        if self.apply { self.body.coupled_limit(link) } else { Limit::Free }
    }

    /// Returns the allowed local rotation that is nearest to a given one.
    pub(super) fn nearest(&self, link: usize, local: DQuat) -> DQuat {
        let limit = self.of(link);
        if limit == Limit::Free {
            return local;
        }
        let rest = self.body.links()[link].rest;
        rest * limit.nearest(rest.conjugate() * local)
    }

    /// Returns the local rotation of a joint that turns from one rotation towards another by about `max` at most, radians.
    pub(super) fn slowed(&self, link: usize, (from, to): (DQuat, DQuat), max: f64) -> DQuat {
        let turn = rotation_vector(to * from.conjugate());
        if turn.length() <= max {
            return to;
        }
        let turned = (DQuat::from_scaled_axis(turn.clamp_length_max(max)) * from).normalize();
        // A joint that begins outside its limit comes back at the same pace.
        let outside = self.violation(link, from);
        if outside > OUTSIDE && self.violation(link, turned) < outside {
            return turned;
        }
        // A limit may take the joint elsewhere, because the allowed rotations of a wide cone are far apart behind it.
        let mut max = max;
        for _ in 0..4 {
            let turned = DQuat::from_scaled_axis(turn.clamp_length_max(max)) * from;
            let allowed = self.nearest(link, turned.normalize());
            if angle_between(from, allowed) <= 1.1 * max {
                return allowed;
            }
            max *= 0.5;
        }
        from
    }

    /// Returns the angle in radians by which a local rotation exceeds the limit.
    pub(super) fn violation(&self, link: usize, local: DQuat) -> f64 {
        let limit = self.of(link);
        limit.limit_violation(self.body.links()[link].rest.conjugate() * local)
    }
}
