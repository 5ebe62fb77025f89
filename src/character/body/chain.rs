//! Inverse kinematics of chains by cyclic coordinate descent (Wang & Chen 1991) with a fixed number of passes and a maximum rotation per
//! step: the CPU twin of `shaders/crowd/chain.wgsl`.

use glam::{Quat, Vec3, Vec4};

use super::frames::{from_parent, to_parent};
use super::{CrowdChain, Figure, LINKS};
use crate::mathematics::single::{normalize, shortest_arc};

const CHAIN_PASSES: usize = 12;
/// Sine of half the maximum rotation in a step, about 30°.
const LARGEST_TURN: f32 = 0.25;

fn damped(q: Quat) -> Quat {
    let sine = q.xyz().length();
    if sine <= LARGEST_TURN {
        return q;
    }
    let w = (1.0 - LARGEST_TURN * LARGEST_TURN).sqrt();
    Quat::from_vec4((q.xyz() * (LARGEST_TURN / sine)).extend(w))
}

impl Figure<'_> {
    /// Moves the end of a chain towards a point. The point is given in model space before the hips move.
    pub(super) fn solve_chain(&mut self, chain: &CrowdChain, target: Vec3) {
        let links = (chain.links as usize).min(LINKS);
        if links == 0 || !target.is_finite() {
            return;
        }
        let mut points: [Vec3; LINKS + 1] =
            std::array::from_fn(|i| if i <= links { self.position(chain.joints[i]) } else { Vec3::ZERO });
        // The rotation of each joint relative to the pose of the clip, in model space.
        let mut turns = [Quat::IDENTITY; LINKS];
        let least = 1e-8 * self.body.parts.size * self.body.parts.size;
        for i in (0..CHAIN_PASSES).flat_map(|_| (0..links).rev()) {
            let joint = chain.joints[i];
            let (from, to) = (points[links] - points[i], target - points[i]);
            if !(from.dot(from) > least && to.dot(to) > least) {
                continue;
            }
            let arc = damped(shortest_arc(from, to));
            let parent = if i > 0 { turns[i - 1] } else { Quat::IDENTITY };
            let above = self.parent_rows(joint);
            let turn = to_parent(&above, parent.conjugate() * (arc * turns[i]));
            let rotation = self.turned(joint, &chain.limits[i], turn);
            let made = parent * from_parent(&above, rotation * self.rotation(joint).conjugate());
            let change = normalize(Vec4::from(made * turns[i].conjugate()));
            for k in i..links {
                turns[k] = normalize(Vec4::from(change * turns[k]));
                points[k + 1] = points[i] + change * (points[k + 1] - points[i]);
            }
        }
        let mut parent = Quat::IDENTITY;
        for (&joint, &turn) in chain.joints.iter().zip(&turns).take(links) {
            let step = to_parent(&self.parent_rows(joint), parent.conjugate() * turn);
            self.set_rotation(joint, step * self.rotation(joint));
            parent = turn;
        }
    }
}
