//! The backward sweep of forward and backward reaching over rigid segments, within limits: Aristidou, Chrysanthou &
//! Lasenby 2016, "Extending FABRIK with model constraints".

use glam::{DQuat, DVec3};

use crate::methods::ccd::best_turn_about;
use crate::methods::segments::{Attached, Segment, Segments, fit_pairs, keep_definite, push_frame};
use crate::rotation::{best_fit, shortest_arc};
use crate::tree::Tree;

/// Poses that the child segments propose for a segment.
#[derive(Clone, Debug, Default)]
pub(super) struct Proposals {
    all: Vec<Segment>,
}

impl Proposals {
    /// Sweeps from the effectors to the base. An effector's segment moves to the target position and orientation. Every other segment turns
    /// towards its old position as far as the limit of the joint to its child segment allows. It then moves so that the joint connects the
    /// two segments. The base segment is then away from the base, and the forward sweep ([`Segments::fit`]) brings it back.
    ///
    /// A sub-base, from which several chains branch, moves to the mean of the positions and of the orientations that
    /// these chains propose (Aristidou & Lasenby 2011, section 3.2).
    pub(super) fn sweep(&mut self, segments: &mut Segments, tree: &Tree) {
        for index in (0..segments.all.len()).rev() {
            self.all.clear();
            for place in 0..segments.attached(index).len() {
                let proposal = match segments.attached(index)[place] {
                    Attached::Joint(child) => from_child(segments, tree, index, child),
                    Attached::Effector(task) => from_goal(segments, tree, index, task),
                };
                self.all.push(proposal);
            }
            if let Some(mean) = self.mean(segments.all[index].rotation) {
                segments.all[index] = mean;
            }
        }
    }

    /// Returns the mean of the proposals, or `None` for an empty list. `rotation` is the old orientation.
    fn mean(&self, rotation: DQuat) -> Option<Segment> {
        match self.all[..] {
            [] => None,
            [only] => Some(only),
            ref several => {
                #[expect(clippy::cast_precision_loss, reason = "joints have few children")]
                let count = several.len() as f64;
                let position = several.iter().map(|s| s.position).sum::<DVec3>() / count;
                let axes = [DVec3::X, DVec3::Y, DVec3::Z];
                let pairs =
                    several.iter().flat_map(|s| axes.map(|axis| (rotation * axis, s.rotation * axis, 1.0)));
                Some(Segment { position, rotation: (best_fit(pairs) * rotation).normalize() })
            }
        }
    }
}

/// Returns the segment pose that an effector's goal proposes.
fn from_goal(segments: &mut Segments, tree: &Tree, index: usize, task: usize) -> Segment {
    let task = &tree.tasks[task];
    let Segment { position, rotation } = segments.all[index];
    let here = position + rotation * task.local;
    let target = tree.nearest_target(task, here);
    let there = target.map_or(here, |target| here.lerp(target, task.position_weight().min(1.0)));
    let weight = task.weight.min(1.0);
    let turned = if let Some(orientation) = task.nearest_orientation(rotation * task.local_rotation()) {
        let wanted = (orientation * task.local_rotation().conjugate()).normalize();
        rotation.slerp(wanted, task.orientation_weight().min(1.0))
    } else if let Some((axis, at)) = task.aim {
        let arc = shortest_arc(rotation * (task.local_rotation() * axis), at - there, DVec3::X);
        DQuat::IDENTITY.slerp(arc, weight) * rotation
    } else {
        collect_above(segments, tree, index, here, there);
        fit_pairs(&segments.pairs) * rotation
    };
    let rotation = turned.normalize();
    // If there is no target position, the segment turns in place.
    let position = if task.target.is_some() { there - rotation * task.local } else { position };
    Segment { position, rotation }
}

/// Returns the pose that the joint at the end of a segment proposes for the segment. The child segment has already
/// moved. The proposed pose is turned towards the old position of the segment as far as the joint's limit allows.
fn from_child(segments: &mut Segments, tree: &Tree, index: usize, child: usize) -> Segment {
    let (old, below) = (segments.all[index], segments.all[child]);
    let (joint, local) = (&tree.joints[child], tree.local(child));
    collect_above(segments, tree, index, old.point(local), below.position);
    let wanted = (fit_pairs(&segments.pairs) * old.rotation).normalize();
    let rotation = if let Some(axis) = joint.hinge_axis() {
        // Both vectors of a pair are in the frame before the joint turns. The joint turns the segment above it in the
        // opposite direction.
        let (from, to) = (
            (old.rotation * joint.fixed_rotation()).conjugate(),
            joint.rotation * below.rotation.conjugate(),
        );
        segments.pairs.iter_mut().for_each(|p| (p.0, p.1) = (from * p.0, to * p.1));
        push_frame(&mut segments.pairs, DQuat::IDENTITY, to * wanted * joint.fixed_rotation());
        best_turn_about(axis, &segments.pairs).conjugate() * joint.rotation
    } else {
        (wanted * joint.fixed_rotation()).conjugate() * below.rotation
    };
    let rotation = joint.allowed(rotation.normalize());
    let rotation = (below.rotation * (joint.fixed_rotation() * rotation).conjugate()).normalize();
    Segment { position: below.position - rotation * local, rotation }
}

/// Collects the vectors from a point of a segment to the joint of the segment. Also collects the vectors to the
/// ancestor joints that move with this joint because the joints in between are binding. The point moves from `here` to
/// `there`.
fn collect_above(segments: &mut Segments, tree: &Tree, index: usize, here: DVec3, there: DVec3) {
    segments.pairs.clear();
    let mut next = Some(index);
    while let Some(segment) = next {
        let position = segments.all[segment].position;
        segments.pairs.push((position - here, position - there, 1.0));
        next = tree.joints[segment].parent.filter(|_| segments.binding[segment]);
    }
    keep_definite(&mut segments.pairs);
}
