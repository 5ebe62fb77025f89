//! A body as the solvers see it: only the joints that turn and matter, and the points that shall be somewhere.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::rotation::{any_perpendicular, shortest_arc};
use super::{Body, Goal};

/// A joint that turns and has a goal's point below it.
///
/// ```text
/// base space ──fixed──▶ frame ──rotation──▶ ──scale──▶ turned ──fixed──▶ frame of the next joint
/// ```
#[derive(Clone, Copy, Debug)]
pub(super) struct Joint {
    /// Index of its link in the body.
    link: usize,
    pub(super) parent: Option<usize>,
    /// From the parent's turned frame (the base space, if there is none) to this joint before it turns: the links
    /// between the two that never turn.
    fixed: DAffine3,
    pub(super) rotation: DQuat,
    rest: DQuat,
    scale: DVec3,
    /// `base_from_frame`, before turning.
    frame: DAffine3,
    /// The inverse of its linear part.
    unframe: DMat3,
    /// `base_from_turned`.
    turned: DAffine3,
    /// Where the tips below it stand in [`Tree::below`].
    below: (usize, usize),
}

impl Joint {
    /// Where it is in base space.
    pub(super) fn position(&self) -> DVec3 {
        self.frame.translation
    }

    /// A place in base space as seen from the joint, before it turns.
    pub(super) fn to_frame(self, place: DVec3) -> DVec3 {
        self.unframe * (place - self.frame.translation)
    }

    /// Back to base space.
    pub(super) fn out_of_frame(self, vector: DVec3) -> DVec3 {
        self.frame.transform_point3(vector)
    }

    /// A place in the turned frame, as seen before turning.
    pub(super) fn turn(self, local: DVec3) -> DVec3 {
        self.rotation * (self.scale * local)
    }
}

/// A point that shall be somewhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tip {
    /// The last joint above it; `None`: nothing moves it.
    pub(super) joint: Option<usize>,
    /// Where it is in that joint's turned frame (in base space, if there is none).
    pub(super) local: DVec3,
    /// Where it is, in base space.
    pub(super) position: DVec3,
    /// Where it shall be, in base space.
    pub(super) target: DVec3,
    pub(super) weight: f64,
    /// World metres within which it counts as there.
    pub(super) tolerance: f64,
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
    /// For each link: the joint whose turned frame `post` leads to, and that way.
    posts: Vec<(Option<usize>, DAffine3)>,
    taken: Vec<bool>,
    world_from_base: DMat3,
    /// Whether no joint or link between joints scales.
    pub(super) rigid: bool,
    /// Whether those that scale do so the same to all sides: lengths then never change.
    pub(super) even: bool,
}

impl Tree {
    /// Takes over a body's pose and goals, checked before.
    pub(super) fn set(&mut self, body: &Body, goals: &[Goal]) {
        self.world_from_base = body.world_from_base().matrix3;
        self.take(body, goals);
        self.joints.clear();
        self.posts.clear();
        (self.rigid, self.even) = (true, true);
        for (index, link) in body.links().iter().enumerate() {
            let (joint, post) = match link.parent {
                Some(parent) => self.posts[parent],
                None => (None, DAffine3::IDENTITY),
            };
            let pre = post * DAffine3::from_translation(link.offset);
            if self.taken[index] {
                self.rigid &= link.scale == DVec3::ONE;
                let sizes = link.scale.abs();
                self.even &= sizes.max_element() - sizes.min_element() <= 1e-6 * sizes.max_element();
            }
            if self.taken[index] && link.weight > 0.0 {
                self.posts.push((Some(self.joints.len()), DAffine3::IDENTITY));
                self.joints.push(Joint {
                    link: index,
                    parent: joint,
                    fixed: pre,
                    rotation: link.rotation,
                    rest: link.rest,
                    scale: link.scale,
                    frame: DAffine3::IDENTITY,
                    unframe: DMat3::IDENTITY,
                    turned: DAffine3::IDENTITY,
                    below: (0, 0),
                });
            } else {
                let own = DAffine3 { translation: DVec3::ZERO, ..link.to_affine() };
                self.posts.push((joint, pre * own));
            }
        }
        self.set_tips(body, goals);
        self.forward();
    }

    /// Marks the links whose own rotation or scale moves a goal's point.
    fn take(&mut self, body: &Body, goals: &[Goal]) {
        let links = body.links();
        self.taken.clear();
        self.taken.resize(links.len(), false);
        for goal in goals {
            // Turning a link does not move its own joint, only points beside it.
            let own = if goal.offset == DVec3::ZERO { links[goal.link].parent } else { Some(goal.link) };
            let mut next = own;
            while let Some(link) = next.filter(|&l| !self.taken[l]) {
                self.taken[link] = true;
                next = links[link].parent;
            }
        }
    }

    fn set_tips(&mut self, body: &Body, goals: &[Goal]) {
        self.tips.clear();
        self.above.clear();
        for goal in goals {
            let (joint, local) = if goal.offset == DVec3::ZERO {
                let link = &body.links()[goal.link];
                let (joint, post) = link.parent.map_or((None, DAffine3::IDENTITY), |p| self.posts[p]);
                (joint, post.transform_point3(link.offset))
            } else {
                let (joint, post) = self.posts[goal.link];
                (joint, post.transform_point3(goal.offset))
            };
            let target = body.base_from_world().transform_point3(goal.target);
            let mut next = joint;
            while let Some(j) = next {
                self.above.push((j, self.tips.len()));
                next = self.joints[j].parent;
            }
            let weight = goal.weight;
            self.tips.push(Tip { joint, local, position: local, target, weight, tolerance: 0.0 });
        }
        self.above.sort_unstable();
        self.below.clear();
        self.below.extend(self.above.iter().map(|&(_, tip)| tip));
        let mut start = 0;
        for (index, joint) in self.joints.iter_mut().enumerate() {
            let end = start + self.above[start..].iter().take_while(|(j, _)| *j == index).count();
            joint.below = (start, end);
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
        let joint = self.joints[index];
        let frame = match joint.parent {
            Some(parent) => self.joints[parent].turned * joint.fixed,
            None => joint.fixed,
        };
        let own = DMat3::from_quat(joint.rotation);
        let own = if self.rigid { own } else { own * DMat3::from_diagonal(joint.scale) };
        let turned = DAffine3 { matrix3: frame.matrix3 * own, translation: frame.translation };
        let unframe = if self.rigid { frame.matrix3.transpose() } else { frame.matrix3.inverse() };
        let joint = &mut self.joints[index];
        (joint.frame, joint.unframe, joint.turned) = (frame, unframe, turned);
    }

    pub(super) fn place_tips(&mut self) {
        for tip in &mut self.tips {
            tip.position = match tip.joint {
                Some(joint) => self.joints[joint].turned.transform_point3(tip.local),
                None => tip.local,
            };
        }
    }

    /// Indices of the tips below a joint.
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

    /// World metres from a tip to its target.
    pub(super) fn error(&self, tip: usize) -> f64 {
        let tip = &self.tips[tip];
        (self.world_from_base * (tip.target - tip.position)).length()
    }

    /// Whether a tip is within its tolerance, or counts for nothing.
    pub(super) fn is_done(&self, tip: usize) -> bool {
        self.tips[tip].weight == 0.0 || self.error(tip) <= self.tips[tip].tolerance
    }

    /// The weighted sum of squared errors, world metres, and whether all tips are done.
    pub(super) fn errors(&self) -> (f64, bool) {
        (0..self.tips.len()).fold((0.0, true), |(sum, done), tip| {
            let error = self.error(tip);
            (sum + self.tips[tip].weight * error * error, done && self.is_done(tip))
        })
    }

    /// Whether a tip cannot meet its target, whatever the others do.
    pub(super) fn is_out_of_reach(&self, tip: usize) -> bool {
        let lengths = self.lengths(tip);
        self.even && (lengths.too_far() || lengths.too_near())
    }

    /// The largest error of a tip that counts, world metres.
    pub(super) fn largest_error(&self) -> f64 {
        let counts = |tip: &usize| self.tips[*tip].weight > 0.0;
        (0..self.tips.len()).filter(counts).map(|tip| self.error(tip)).fold(0.0, f64::max)
    }

    /// Lengths of the stretches from the topmost joint to a tip, in base space and in world metres, and the longest of the former.
    pub(super) fn lengths(&self, tip: usize) -> Lengths {
        let tip = &self.tips[tip];
        let mut lengths = Lengths::default();
        let (mut end, mut next) = (tip.position, tip.joint);
        while let Some(joint) = next.map(|j| &self.joints[j]) {
            let stretch = end - joint.position();
            let length = stretch.length();
            lengths.sum += length;
            lengths.longest = lengths.longest.max(length);
            lengths.world += (self.world_from_base * stretch).length();
            (end, next) = (joint.position(), joint.parent);
        }
        lengths.to_target = (tip.target - end).length();
        lengths
    }

    /// Points every joint above a lone tip at its target: the pose that comes nearest to a target out of reach.
    pub(super) fn straighten(&mut self) {
        let Some(&tip) = self.tips.first() else { return };
        for index in 0..self.joints.len() {
            self.place(index);
            let joint = self.joints[index];
            // A lone tip's joints are a chain: the next joint is the child.
            let local = self.joints.get(index + 1).map_or(tip.local, |child| child.fixed.translation);
            let arc =
                shortest_arc(joint.turn(local), joint.to_frame(tip.target), self.bend_axis(index, local));
            self.joints[index].rotation = (arc * joint.rotation).normalize();
            self.place(index);
        }
        self.place_tips();
    }

    /// Turns every joint a little, all to the same side: the way out of a line, on which no method sees where to turn.
    pub(super) fn bend(&mut self, angle: f64) {
        for index in 0..self.joints.len() {
            let local = self.child_local(index);
            let axis = self.bend_axis(index, local);
            let joint = &mut self.joints[index];
            joint.rotation = (DQuat::from_axis_angle(axis, angle) * joint.rotation).normalize();
        }
        self.forward();
    }

    /// Where the first child (or tip) of a joint is in its turned frame.
    fn child_local(&self, index: usize) -> DVec3 {
        let child = self.joints.iter().find(|j| j.parent == Some(index)).map(|j| j.fixed.translation);
        child
            .or_else(|| self.tips.iter().find(|t| t.joint == Some(index)).map(|t| t.local))
            .unwrap_or(DVec3::Y)
    }

    /// The axis, before turning, about which a joint bends at rest; some perpendicular of its link if that is straight.
    fn bend_axis(&self, index: usize, local: DVec3) -> DVec3 {
        let joint = self.joints[index];
        let out = joint.rest * (joint.scale * local);
        let into = joint.fixed.matrix3.inverse() * joint.fixed.translation;
        let bend = into.cross(out);
        if joint.parent.is_some() && bend.length() > 1e-3 * into.length() * out.length() {
            bend.normalize()
        } else {
            any_perpendicular(joint.turn(local))
        }
    }

    /// Writes the joints' rotations into the body.
    pub(super) fn write(&self, body: &mut Body) {
        for joint in &self.joints {
            body.set_rotation(joint.link, joint.rotation);
        }
    }
}

/// How far a tip can get.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lengths {
    /// Sum of its stretches, base space.
    sum: f64,
    /// The longest of them.
    longest: f64,
    /// Sum of its stretches, world metres.
    pub(super) world: f64,
    /// From the topmost joint to the target, base space.
    to_target: f64,
}

impl Lengths {
    /// Whether a rigid chain ends before the target, even stretched.
    pub(super) fn too_far(&self) -> bool {
        self.to_target > self.sum
    }

    /// Whether a rigid chain cannot fold as near as the target is.
    fn too_near(&self) -> bool {
        self.to_target < 2.0 * self.longest - self.sum
    }
}
