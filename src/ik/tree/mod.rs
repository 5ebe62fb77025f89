//! A body as the solvers see it: only the joints that turn and matter, and the points that shall be somewhere.

mod measure;
mod moves;

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::body::{nearest, own, unit};
use super::rotation::{any_perpendicular, rotation_vector, shortest_arc};

use super::{Body, Goal, Limit};
pub(super) use measure::Measure;
use measure::{RADIAN, some};

/// A joint that turns and has a goal's point below it.
///
/// ```text
/// base space ──fixed──▶ frame ──rotation──▶ ──scale──▶ turned ──fixed──▶ frame of the next joint
/// ```
#[derive(Clone, Copy, Debug)]
pub(super) struct Joint {
    /// Index of its link in the body.
    pub(super) link: usize,
    pub(super) parent: Option<usize>,
    /// From the parent's turned frame (the base space, if there is none) to this joint before it turns: the links
    /// between the two that never turn.
    fixed: DAffine3,
    /// The product of their rotations.
    fixed_spin: DQuat,
    pub(super) rotation: DQuat,
    pub(super) rest: DQuat,
    /// Where the secondary task of a given posture leads.
    pub(super) posture: DQuat,
    scale: DVec3,
    pub(super) limit: Limit,
    reversed: bool,
    pub(super) weight: f64,
    /// Where it is in base space.
    pub(super) position: DVec3,
    /// `base_from_frame`, before turning, the linear part.
    frame: DMat3,
    /// Its inverse, in a body with scale.
    unframe: DMat3,
    /// The product of the rotations that lead to the frame; kept where something asks for orientations.
    spin: DQuat,
    /// `base_from_turned`, the linear part.
    turned: DMat3,
    /// Where the tips below it stand in [`Tree::below`].
    below: (usize, usize),
    /// Where the first joint or tip that hangs on it is, in the turned frame.
    child: Option<DVec3>,
}

impl Joint {
    /// A place in the turned frame, as seen before turning.
    pub(super) fn turn(&self, local: DVec3) -> DVec3 {
        self.rotation * (self.scale * local)
    }

    /// The rotation next to one that the limit allows.
    pub(super) fn allowed(&self, rotation: DQuat) -> DQuat {
        nearest(&self.limit, self.rest, self.reversed, rotation)
    }

    /// The rotation in the middle of its limit.
    pub(super) fn centre(&self) -> DQuat {
        let own = self.limit.centre();
        if self.reversed { own.conjugate() * self.rest } else { self.rest * own }
    }

    /// Whether it stands at the border of its limit, within some radians.
    pub(super) fn is_at_border(&self, margin: f64) -> bool {
        self.limit.is_at_border(own(self.rest, self.reversed, self.rotation), margin)
    }

    /// The linear part of the way from its parent's turned frame.
    pub(super) fn fixed_linear(&self) -> DMat3 {
        self.fixed.matrix3
    }

    /// The axis of a hinge, in the frame before turning.
    pub(super) fn hinge_axis(&self) -> Option<DVec3> {
        self.limit.hinge_axis().map(|axis| if self.reversed { axis } else { self.rest * axis })
    }
}

/// A point that shall be somewhere, and a frame that shall be turned some way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tip {
    /// The last joint above it; `None`: nothing moves it.
    pub(super) joint: Option<usize>,
    /// The first joint above it that moves no other tip.
    pub(super) limb: Option<usize>,
    /// Where it is in that joint's turned frame (in base space, if there is none).
    pub(super) local: DVec3,
    /// How its link is turned there.
    local_spin: DQuat,
    /// Where it is, in base space.
    pub(super) position: DVec3,
    /// How its link is turned, in base space.
    pub(super) spin: DQuat,
    /// Where it shall be, in base space.
    pub(super) target: Option<DVec3>,
    /// How it shall be turned, in base space.
    pub(super) orientation: Option<DQuat>,
    /// The axis in the link's frame and the place in base space that it shall point at.
    pub(super) aim: Option<(DVec3, DVec3)>,
    /// Where its limb bends to, base space.
    pub(super) pole: Option<DVec3>,
    pub(super) weight: f64,
    pub(super) pinned: bool,
    /// World metres within which it counts as there.
    pub(super) tolerance: f64,
    /// World metres of the chain above it.
    pub(super) length: f64,
    /// Base-space metres that a radian of its turn counts for.
    pub(super) radian: f64,
}

impl Tip {
    /// The turn that it still needs for its orientation, a rotation vector in base space.
    pub(super) fn orientation_error(&self) -> Option<DVec3> {
        self.orientation.map(|target| rotation_vector(target * self.spin.conjugate()))
    }

    /// Where its axis points and where it should, unit vectors in base space.
    pub(super) fn aim_directions(&self) -> Option<(DVec3, DVec3)> {
        let (axis, at) = self.aim?;
        Some((self.spin * axis, (at - self.position).try_normalize()?))
    }

    /// The turn that its axis still needs, a rotation vector in base space.
    pub(super) fn aim_error(&self) -> Option<DVec3> {
        let (now, wanted) = self.aim_directions()?;
        Some(rotation_vector(shortest_arc(now, wanted, any_perpendicular(now))))
    }
}

/// The joints, parents first, and the tips, one a goal. All buffers are kept from solve to solve.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    pub(super) joints: Vec<Joint>,
    pub(super) tips: Vec<Tip>,
    /// Indices of tips, those below each joint together.
    below: Vec<usize>,
    /// (joint, tip) for every joint above a tip.
    above: Vec<(usize, usize)>,
    /// For each link: the joint whose turned frame `post` leads to, that way, and the rotations on it.
    posts: Vec<(Option<usize>, DAffine3, DQuat)>,
    taken: Vec<bool>,
    /// Links that their limit holds at rest.
    locked: Vec<(usize, DQuat)>,
    world_from_base: DMat3,
    base_from_world: DAffine3,
    /// How far the base has moved, base space.
    pub(super) root: DVec3,
    /// Whether no joint or link between joints scales.
    pub(super) rigid: bool,
    /// Whether those that scale do so the same to all sides: lengths then never change.
    even: bool,
    /// Whether orientations are kept up.
    spins: bool,
    /// Whether the base moves: nothing is then out of reach.
    pub(super) root_moves: bool,
    /// Radians within which an orientation counts as met.
    pub(super) angle_tolerance: f64,
}

impl Tree {
    /// Takes over a body's pose and goals, checked before.
    pub(super) fn set(&mut self, body: &Body, goals: &[Goal], limits: bool) {
        self.world_from_base = body.world_from_base().matrix3;
        self.base_from_world = body.base_from_world();
        self.root = body.root();
        self.take(body, goals);
        self.joints.clear();
        self.posts.clear();
        self.locked.clear();
        (self.rigid, self.even) = (true, true);
        for (index, (link, &rotation)) in body.links().iter().zip(body.rotations()).enumerate() {
            let (joint, post, spin) =
                link.parent.map_or((None, DAffine3::IDENTITY, DQuat::IDENTITY), |p| self.posts[p]);
            let pre = DAffine3 { translation: post.transform_point3(link.offset), ..post };
            if self.taken[index] {
                self.rigid &= link.scale == DVec3::ONE;
                let sizes = link.scale.abs();
                self.even &= sizes.max_element() - sizes.min_element() <= 1e-6 * sizes.max_element();
            }
            let limit = if limits { link.limit } else { Limit::Free };
            if self.taken[index] && link.weight > 0.0 && limit != Limit::Locked {
                self.posts.push((Some(self.joints.len()), DAffine3::IDENTITY, DQuat::IDENTITY));
                self.joints.push(Joint {
                    link: index,
                    parent: joint,
                    fixed: pre,
                    fixed_spin: spin,
                    rotation: nearest(&limit, link.rest, link.reversed, rotation),
                    rest: link.rest,
                    posture: body.posture().and_then(|p| p.get(index)).copied().unwrap_or(link.rest),
                    scale: link.scale,
                    limit,
                    reversed: link.reversed,
                    weight: link.weight,
                    position: DVec3::ZERO,
                    frame: DMat3::IDENTITY,
                    unframe: DMat3::IDENTITY,
                    spin: DQuat::IDENTITY,
                    turned: DMat3::IDENTITY,
                    below: (0, 0),
                    child: None,
                });
                if let Some(parent) = joint.and_then(|j| self.joints.get_mut(j)) {
                    parent.child = parent.child.or(Some(pre.translation));
                }
            } else {
                // What is locked is at rest; what has no weight stays as it is.
                let rotation = if limit == Limit::Locked { link.rest } else { rotation };
                if limit == Limit::Locked {
                    self.locked.push((index, rotation));
                }
                let linear = DMat3::from_quat(rotation) * DMat3::from_diagonal(link.scale);
                let post = DAffine3 { matrix3: pre.matrix3 * linear, translation: pre.translation };
                self.posts.push((joint, post, spin * rotation));
            }
        }
        let turned = |g: &Goal| g.orientation.is_some() || g.aim.is_some();
        self.spins = !self.rigid || goals.iter().any(turned);
        self.set_tips(body, goals);
        self.forward();
        for tip in 0..self.tips.len() {
            let lengths = self.lengths(tip);
            (self.tips[tip].length, self.tips[tip].radian) =
                (some(lengths.world), RADIAN * some(lengths.sum));
        }
    }

    /// Marks the links whose own rotation or scale moves a goal's point.
    fn take(&mut self, body: &Body, goals: &[Goal]) {
        let links = body.links();
        self.taken.clear();
        self.taken.resize(links.len(), false);
        for goal in goals {
            // Turning a link does not move its own joint, only points beside it.
            let mut next = if goal.turns_own() { Some(goal.link) } else { links[goal.link].parent };
            while let Some(link) = next.filter(|&l| !self.taken[l]) {
                self.taken[link] = true;
                next = links[link].parent;
            }
        }
    }

    fn set_tips(&mut self, body: &Body, goals: &[Goal]) {
        self.tips.clear();
        self.above.clear();
        let base_from_world = body.base_from_world();
        let unspin = body.world_from_base_rotation().conjugate();
        // Only the proportions of weights matter.
        let weights = goals.iter().filter(|g| !g.pinned).map(|g| g.weight);
        let largest = weights.fold(0.0, f64::max);
        for goal in goals {
            let (joint, local, local_spin) = if goal.turns_own() {
                let (joint, post, spin) = self.posts[goal.link];
                (joint, post.transform_point3(goal.offset), spin)
            } else {
                let link = &body.links()[goal.link];
                let none = (None, DAffine3::IDENTITY, DQuat::IDENTITY);
                let (joint, post, spin) = link.parent.map_or(none, |p| self.posts[p]);
                (joint, post.transform_point3(link.offset), spin * body.rotations()[goal.link])
            };
            let mut next = joint;
            while let Some(j) = next {
                self.above.push((j, self.tips.len()));
                next = self.joints[j].parent;
            }
            if let Some(joint) = joint.and_then(|j| self.joints.get_mut(j)) {
                joint.child = joint.child.or(Some(local));
            }
            let inside = |place: DVec3| base_from_world.transform_point3(place);
            self.tips.push(Tip {
                joint,
                limb: None,
                local,
                local_spin,
                position: local,
                spin: local_spin,
                target: goal.position.map(inside),
                orientation: goal.orientation.map(|q| unspin * unit(q)),
                aim: goal.aim.map(|aim| (aim.axis.normalize(), inside(aim.at))),
                pole: goal.pole.map(inside),
                weight: match goal.pinned {
                    true => 1.0,
                    false if largest > 0.0 => goal.weight / largest,
                    false => 0.0,
                },
                pinned: goal.pinned,
                tolerance: 0.0,
                length: 0.0,
                radian: 0.0,
            });
        }
        self.above.sort_unstable();
        self.below.clear();
        self.below.extend(self.above.iter().map(|&(_, tip)| tip));
        let mut start = 0;
        for (index, joint) in self.joints.iter_mut().enumerate() {
            let end = start + self.above[start..].iter().take_while(|(j, _)| *j == index).count();
            joint.below = (start, end);
            if let [only] = self.below[start..end] {
                let limb = &mut self.tips[only].limb;
                *limb = limb.or(Some(index));
            }
            start = end;
        }
    }

    /// Forward kinematics of all joints and tips.
    pub(super) fn forward(&mut self) {
        for index in 0..self.joints.len() {
            self.place(index);
        }
        self.place_tips();
    }

    /// Forward kinematics of one joint, whose parent has its place.
    pub(super) fn place(&mut self, index: usize) {
        let (rigid, spins, root) = (self.rigid, self.spins, self.root);
        let (before, rest) = self.joints.split_at_mut(index);
        let Some(joint) = rest.first_mut() else { return };
        match joint.parent.map(|p| &before[p]) {
            Some(parent) => {
                joint.position = parent.position + parent.turned * joint.fixed.translation;
                joint.frame = parent.turned * joint.fixed.matrix3;
                if spins {
                    joint.spin = parent.spin * parent.rotation * joint.fixed_spin;
                }
            }
            None => {
                joint.position = joint.fixed.translation + root;
                joint.frame = joint.fixed.matrix3;
                joint.spin = joint.fixed_spin;
            }
        }
        joint.turned = joint.frame * DMat3::from_quat(joint.rotation);
        if !rigid {
            joint.turned *= DMat3::from_diagonal(joint.scale);
            joint.unframe = joint.frame.inverse();
        }
    }

    pub(super) fn place_tips(&mut self) {
        for tip in &mut self.tips {
            match tip.joint.map(|j| &self.joints[j]) {
                Some(joint) => {
                    tip.position = joint.position + joint.turned * tip.local;
                    tip.spin = joint.spin * joint.rotation * tip.local_spin;
                }
                None => (tip.position, tip.spin) = (tip.local + self.root, tip.local_spin),
            }
        }
    }

    /// How a tip's link is turned, by the present place of the joint that it hangs on.
    pub(super) fn spin_of(&self, joint: &Joint, tip: &Tip) -> DQuat {
        joint.spin * joint.rotation * tip.local_spin
    }

    /// A place of the world in base space.
    pub(super) fn inside(&self, place: DVec3) -> DVec3 {
        self.base_from_world.transform_point3(place)
    }

    /// The world's up in base space: across all that is level there.
    pub(super) fn up(&self) -> DVec3 {
        (self.world_from_base.transpose() * DVec3::Y).normalize_or_zero()
    }

    /// A vector of base space as seen from a joint's frame, before it turns.
    pub(super) fn to_frame(&self, joint: &Joint, vector: DVec3) -> DVec3 {
        if self.rigid { joint.frame.transpose_mul_vec3(vector) } else { joint.unframe * vector }
    }

    /// Back to base space.
    pub(super) fn out_of_frame(joint: &Joint, vector: DVec3) -> DVec3 {
        joint.frame * vector
    }

    /// An axis to turn about, from base space into a joint's frame.
    pub(super) fn axis_to_frame(&self, joint: &Joint, axis: DVec3) -> DVec3 {
        if self.rigid { joint.frame.transpose_mul_vec3(axis) } else { joint.spin.conjugate() * axis }
    }

    /// Axes to turn about, from a joint's frame to base space.
    pub(super) fn base_from_axes(&self, joint: &Joint) -> DMat3 {
        if self.rigid { joint.frame } else { DMat3::from_quat(joint.spin) }
    }

    /// The turn of a joint, in its frame, that turns what hangs on it about a direction of base space. In a mirrored frame
    /// turns go the other way round.
    pub(super) fn turn_about(&self, joint: &Joint, direction: DVec3, angle: f64) -> DQuat {
        let Some(axis) = self.to_frame(joint, direction).try_normalize() else { return DQuat::IDENTITY };
        DQuat::from_axis_angle(axis, if joint.frame.determinant() < 0.0 { -angle } else { angle })
    }

    /// How a point at `arm` from a joint moves as the joint turns: base space, ∂point/∂(rotation vector).
    pub(super) fn lever(&self, joint: &Joint, arm: DVec3) -> DMat3 {
        if self.rigid {
            return skew(-arm);
        }
        // Between the two, the joint's frame may be squashed.
        joint.frame * skew(-(joint.unframe * arm)) * DMat3::from_quat(joint.spin.conjugate())
    }

    /// The joints above a tip, the nearest first.
    pub(super) fn above(&self, tip: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.tips[tip].joint, |&j| self.joints[j].parent)
    }

    /// Indices of the tips below a joint, as places for [`Tree::tip_at`].
    pub(super) fn tips_below(&self, joint: usize) -> std::ops::Range<usize> {
        let (start, end) = self.joints[joint].below;
        start..end
    }

    /// The tip at a place of [`Tree::tips_below`].
    pub(super) fn tip_at(&self, place: usize) -> usize {
        self.below[place]
    }

    /// Where a joint is in its parent's turned frame.
    pub(super) fn local(&self, joint: usize) -> DVec3 {
        self.joints[joint].fixed.translation
    }

    /// Writes the joints' rotations and the base's place into the body.
    pub(super) fn write(&self, body: &mut Body) {
        for joint in &self.joints {
            body.set_rotation(joint.link, joint.rotation);
        }
        self.locked.iter().for_each(|&(link, rotation)| body.set_rotation(link, rotation));
        body.set_root(self.root);
    }
}

/// The matrix of a cross product: `skew(a) b = a × b`.
pub(super) fn skew(a: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, a.z, -a.y), DVec3::new(-a.z, 0.0, a.x), DVec3::new(a.y, -a.x, 0.0))
}
