//! Poses of the chains of a character whose body is not recognised.

use glam::Vec3;

use super::turn::Turns;
use super::{Range, RangePose};

/// Total angle by which a chain is bent or twisted, in degrees.
const CHAIN: f64 = 90.0;

impl Range<'_> {
    pub(super) fn chains(&self) -> Vec<RangePose> {
        self.rig.chains.iter().flat_map(|chain| self.chain(&chain.name, &chain.joints, chain.bend)).collect()
    }

    /// Returns poses in which a chain is bent in two directions, and twisted.
    fn chain(&self, name: &str, joints: &[usize], bend: Option<Vec3>) -> Vec<RangePose> {
        let (Some(&first), Some(&last)) = (joints.first(), joints.last()) else { return Vec::new() };
        let each = CHAIN / f64::from(u32::try_from(joints.len()).unwrap_or(u32::MAX));
        let whole = self.rest.displacement(first, last).try_normalize().unwrap_or(Vec3::Y);
        // The part below the middle swings to the side opposite to the bend direction.
        let towards = bend.map_or_else(|| whole.any_orthonormal_vector(), |bend| -bend);
        let aside = whole.cross(towards).try_normalize().unwrap_or_else(|| whole.any_orthonormal_vector());
        let pose = |word: &str, turn: &dyn Fn(&mut Turns<'_>, usize, Vec3)| {
            let mut turns = Turns::new(self);
            for (i, &joint) in joints.iter().enumerate() {
                turn(&mut turns, joint, self.bone(joints, i));
            }
            turns.pose(format!("{name} {word}"))
        };
        let bent = pose("bent", &|turns, joint, bone| {
            if !turns.bend(joint, 0.7) {
                turns.swing(joint, bone, towards, each);
            }
        });
        let poses = [
            bent,
            pose("bent aside", &|turns, joint, bone| turns.swing(joint, bone, aside, each)),
            pose("twisted", &|turns, joint, bone| turns.twist(joint, bone, each)),
        ];
        // A chain of hinges is bent in one direction only.
        let mut distinct: Vec<RangePose> = Vec::new();
        for pose in poses {
            if distinct.iter().all(|other| other.turns != pose.turns) {
                distinct.push(pose);
            }
        }
        distinct
    }
}
