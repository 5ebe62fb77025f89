//! Limits as a small set of active constraints.
//!
//! A joint that the solution would turn beyond its limit is moved to the limit and locked in that direction. The system
//! is then solved again for the other joints and the remaining error. A lock is released if its multiplier shows that
//! the solution would leave the limit again (Nocedal & Wright 2006, section 16.5). The border of a cone or of Euler
//! angles is linearised.

use glam::DVec3;

use crate::Limit;
use crate::rotation::rotation_vector;
use crate::tree::{Tree, retract};

use super::{Inverse, Jacobian};

/// Maximum number of rounds per iteration. A round locks the joints that reach their limits, releases the locked joints
/// that would move away from their limits, and solves for all joints that are not locked.
const ROUNDS: usize = 16;
/// Number of rounds that lock or release all affected joints at once. In most cases two or three rounds suffice. Later
/// rounds change only the last affected joint of the chain, because changing many at once may cycle (Júdice & Pires
/// 1994, section 3).
const BLOCK_ROUNDS: usize = 6;
/// Maximum number of rounds for methods that release no locks.
const ROUNDS_WITHOUT_RELEASE: usize = 8;
/// A turn that exceeds a limit by less than this angle, in radians, counts as a rounding error.
const MARGIN: f64 = 1e-9;
/// A direction counts as already locked if the length of its part perpendicular to the locked directions is at most
/// this fraction of its own length. The joint is then still beyond its limit only because the border is curved.
const ALREADY_LOCKED: f64 = 1e-4;
/// Two directions out of a joint's limit belong to the same border if the cosine of the angle between them is above
/// this value.
const SAME_BORDER: f64 = 0.7;

/// A direction in which a joint turns to its limit and no farther.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lock {
    pub(super) joint: usize,
    /// Unit vector in base space that points out of the limit.
    outward: DVec3,
    /// Turn along `outward` that leads to the limit, in radians.
    room: f64,
    /// The part of `outward` that is perpendicular to the earlier locks of the joint, as a unit vector.
    pub(super) direction: DVec3,
}

impl Jacobian {
    /// Computes the rotations that meet the tasks to first order within the limits.
    pub(crate) fn solve(&mut self, tree: &Tree, inverse: Inverse) {
        while let Some(lock) = self.locks.pop() {
            self.set_axes(tree, lock.joint);
        }
        self.released.clear();
        self.fixed.copy_from_slice(&self.offset);
        // Other inverses do not minimise a sum of squares, so y is not a multiplier and no lock is released.
        let releases = matches!(inverse, Inverse::Damped(_) | Inverse::Pseudo);
        let rounds = if releases { ROUNDS } else { ROUNDS_WITHOUT_RELEASE };
        for round in 1..=rounds {
            self.solve_open(tree, inverse);
            let single = releases && round > BLOCK_ROUNDS;
            if round == rounds || !self.update_locks(tree, releases, single) {
                return;
            }
        }
    }

    /// Releases locks if `releases` is set, and adds locks. If `single` is set, only one joint is changed. Returns
    /// whether any joint was changed.
    fn update_locks(&mut self, tree: &Tree, releases: bool, single: bool) -> bool {
        let scale = self.step_scale();
        let mut changed = false;
        for (index, joint) in tree.joints.iter().enumerate().rev() {
            if joint.limit == Limit::Free || self.turns[index] == DVec3::ZERO {
                continue;
            }
            let released = releases && self.release(tree, index);
            let locked = if joint.only_axis().is_some() {
                let axis = self.axes[self.columns[index].axes];
                // The axis of a locked joint is zero.
                let turn = self.turns[index].dot(axis) * scale;
                let room = joint.room(turn, MARGIN);
                room.is_some_and(|room| self.lock(tree, index, axis * turn.signum(), room))
            } else {
                self.lock_at_border(tree, index, scale)
            };
            changed |= released || locked;
            if changed && single {
                break;
            }
        }
        changed
    }

    /// Locks the direction in which a joint with a cone or with Euler angles would leave its limit.
    fn lock_at_border(&mut self, tree: &Tree, index: usize, scale: f64) -> bool {
        let (joint, turn) = (&tree.joints[index], self.turns[index] * scale);
        let requested = (retract(tree.axis_to_frame(joint, turn)) * joint.rotation).normalize();
        let beyond = rotation_vector(requested * joint.allowed(requested).conjugate());
        if beyond.length() < MARGIN {
            return false;
        }
        let beyond = tree.axis_from_frame(joint, beyond);
        if self.open_part(index, beyond).length() <= ALREADY_LOCKED * beyond.length() {
            return false;
        }
        let outward = beyond.normalize();
        let room = (turn - beyond).dot(outward);
        // Along a curved border, the outward direction changes from round to round. The new direction replaces the
        // earlier one.
        let near = |lock: &Lock| lock.joint == index && lock.outward.dot(outward) > SAME_BORDER;
        if let Some(place) = self.locks.iter().position(near) {
            (self.locks[place].outward, self.locks[place].room) = (outward, room);
            self.update_joint(tree, index);
            return true;
        }
        self.lock(tree, index, outward, room)
    }

    /// Locks a direction of a joint.
    ///
    /// If the tasks have already released the joint, the posture has brought it back to its limit. The posture has the
    /// lowest priority, so it is dropped for this iteration instead.
    fn lock(&mut self, tree: &Tree, joint: usize, outward: DVec3, room: f64) -> bool {
        if self.released.contains(&joint) && self.pull.iter().any(|pull| *pull != DVec3::ZERO) {
            self.pull.fill(DVec3::ZERO);
            return true;
        }
        self.locks.push(Lock { joint, outward, room, direction: outward });
        self.update_joint(tree, joint);
        true
    }

    /// Releases each lock of a joint if the joint would not reach its limit even without the lock. With the turn x
    /// along the locked direction u, the multiplier of the damped problem is u·Jᵀy − x/w, which is positive if the
    /// solution pushes against the limit.
    fn release(&mut self, tree: &Tree, joint: usize) -> bool {
        let count = self.locks.len();
        for place in (0..count).rev() {
            let lock = self.locks[place];
            if lock.joint != joint {
                continue;
            }
            let mut push = 0.0;
            self.responses(tree, joint, lock.outward, |block, change| {
                push += change.dot(DVec3::from_slice(&self.y[3 * block..]));
            });
            let wanted = self.offset[joint].dot(lock.outward) + self.columns[joint].weight * push;
            if wanted < lock.room - MARGIN {
                self.locks.remove(place);
                self.released.push(joint);
            }
        }
        let released = self.locks.len() < count;
        if released {
            self.update_joint(tree, joint);
        }
        released
    }

    /// Computes the axes and the fixed rotation of a joint whose locks have changed.
    fn update_joint(&mut self, tree: &Tree, joint: usize) {
        let mut fixed = self.offset[joint];
        for place in 0..self.locks.len() {
            let lock = self.locks[place];
            if lock.joint != joint {
                continue;
            }
            let earlier = self.locks[..place].iter().filter(|lock| lock.joint == joint);
            let open = earlier.fold(lock.outward, |v, lock| v - lock.direction * v.dot(lock.direction));
            // Three borders may meet at a small angle. The first two then imply the third one.
            let direction = if open.length() > ALREADY_LOCKED { open.normalize() } else { DVec3::ZERO };
            self.locks[place].direction = direction;
            if direction != DVec3::ZERO {
                fixed += direction * ((lock.room - fixed.dot(lock.outward)) / open.length());
            }
        }
        self.fixed[joint] = fixed;
        self.set_axes(tree, joint);
    }

    /// Returns the part of a joint's turn that its locks allow.
    pub(super) fn open_part(&self, joint: usize, turn: DVec3) -> DVec3 {
        let locks = self.locks.iter().filter(|lock| lock.joint == joint);
        locks.fold(turn, |turn, lock| turn - lock.direction * turn.dot(lock.direction))
    }
}
