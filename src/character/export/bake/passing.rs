//! Moves feet in the air outwards where a leg would pass through the other leg.
//!
//! Contacts keep a foot on its path, even in the air. A leg that meets the other leg there can only turn about the line from its hip to its
//! ankle, so it jumps from one side of that line to the other. Feet in the air are therefore allowed to yield first, to determine how far
//! they must move. Their paths then move outwards by that distance, and contacts keep the feet on them. The soles keep their heights and
//! orientations, so they do not sink into the floor.

use glam::Vec3;

use crate::asset::NotFinite;
use crate::files::Progress;
use crate::motion::{ContactConstraint, RetargetedFrame};
use crate::pose::Pose;
use crate::puppet::Puppet;

use super::corrections::{is_loop, window};

/// Time in seconds in which a foot moves outwards before the frames that need it, and back after them.
const ASIDE: f32 = 0.1;
/// Maximum number of times that paths are moved. A leg that yields also turns, so its foot moves only part of the way each time.
const ROUNDS: usize = 3;
/// Distance in metres, at human size, below which a yielding foot is considered clear of the other leg. Keeping the arms out of the body
/// also moves the hips slightly.
const SAME_PLACE: f32 = 2e-3;

/// The path of a foot over the frames of a clip.
struct Path {
    node: usize,
    /// The joints of its leg, starting at the hip.
    joints: Vec<usize>,
    /// For each frame, the horizontal direction away from the other leg, and how far the foot is moved along it in metres.
    outwards: Vec<Vec3>,
    shifts: Vec<f32>,
    /// For each frame, whether the foot is in the air, so that it may yield.
    in_air: Vec<bool>,
}

/// The paths of the feet of a clip.
struct Paths<'a> {
    frames: &'a [RetargetedFrame],
    feet: Vec<Path>,
    same_place: f32,
}

/// Returns the contacts of all frames. None of them yields, and feet in the air are placed so that the legs pass each other. The body
/// clearance of the puppet must be on.
///
/// # Errors
/// Fails if a pose is not finite. The error contains the time of that pose.
pub(super) fn firm_contacts(
    puppet: &mut Puppet,
    frames: &[RetargetedFrame],
    times: &[f32],
    progress: &Progress,
) -> Result<Vec<Vec<ContactConstraint>>, (f32, NotFinite)> {
    let poses: Vec<&Pose> = frames.iter().map(|frame| &frame.pose).collect();
    let is_loop = is_loop(&poses);
    let mut paths = Paths::new(puppet, frames);
    let mut open: Vec<usize> =
        (0..frames.len()).filter(|&i| paths.feet.iter().any(|p| p.in_air[i])).collect();
    for _ in 0..ROUNDS {
        let mut needed = vec![vec![0.0; frames.len()]; paths.feet.len()];
        for (&i, &time) in open.iter().filter_map(|i| Some((i, times.get(*i)?))) {
            if progress.is_stopped() {
                break;
            }
            let own = paths.needed(puppet, i).map_err(|source| (time, source))?;
            needed.iter_mut().zip(own).for_each(|(needed, metres)| needed[i] = metres);
        }
        open.retain(|&i| needed.iter().any(|needed| needed[i] > 0.0));
        for (foot, needed) in paths.feet.iter_mut().zip(&needed) {
            let more = smooth_in_air(needed, &foot.in_air, times, is_loop);
            foot.shifts.iter_mut().zip(more).for_each(|(shift, more)| *shift += more);
        }
    }
    Ok((0..frames.len()).map(|i| paths.contacts(i, false)).collect())
}

impl<'a> Paths<'a> {
    /// Returns the original paths of the leg contacts.
    fn new(puppet: &Puppet, frames: &'a [RetargetedFrame]) -> Self {
        let path = |joints: &Vec<usize>| {
            let is_own = |contact: &&ContactConstraint| joints.contains(&contact.node);
            let node = frames.iter().flat_map(|frame| &frame.contacts).find(is_own)?.node;
            let yields = |frame: &RetargetedFrame| frame.contacts.iter().any(|c| c.node == node && c.yields);
            Some(Path {
                node,
                joints: joints.clone(),
                outwards: vec![Vec3::ZERO; frames.len()],
                shifts: vec![0.0; frames.len()],
                in_air: frames.iter().map(yields).collect(),
            })
        };
        let feet = puppet.rig.legs().filter_map(|leg| path(&leg.joints)).collect();
        Self { frames, feet, same_place: SAME_PLACE * puppet.rig.body.as_ref().map_or(1.0, |body| body.size) }
    }

    /// Returns the contacts of a frame, moved onto the paths. If `may_yield` is set, contacts of feet in the air yield.
    fn contacts(&self, frame: usize, may_yield: bool) -> Vec<ContactConstraint> {
        let contact = |contact: &ContactConstraint| {
            let path = self.feet.iter().find(|path| path.node == contact.node);
            let shift = path.map_or(Vec3::ZERO, |path| path.outwards[frame] * path.shifts[frame]);
            let yields = may_yield && path.is_some_and(|path| path.in_air[frame]);
            ContactConstraint { position: contact.position + shift, yields, ..*contact }
        };
        self.frames[frame].contacts.iter().map(contact).collect()
    }

    /// Returns the distance in metres by which each foot in the air must move outwards from its path in a frame. Sets the outward
    /// directions of the frame.
    fn needed(&mut self, puppet: &mut Puppet, frame: usize) -> Result<Vec<f32>, NotFinite> {
        // Feet yield from a pose that keeps all contacts, so that they move only to avoid other parts of the body.
        puppet.options.solver.full_body.clear = false;
        let solved = puppet.follow(&self.frames[frame].pose, &self.contacts(frame, false));
        puppet.options.solver.full_body.clear = true;
        solved?;
        let hip = |path: &Path| place(puppet, path.joints.first().copied().unwrap_or(path.node));
        let hips: Vec<Vec3> = self.feet.iter().map(hip).collect();
        for (path, own) in self.feet.iter_mut().zip(&hips) {
            let away: Vec3 = hips.iter().map(|other| *own - *other).sum();
            path.outwards[frame] = away.with_y(0.0).normalize_or_zero();
        }
        let kept = puppet.pose().clone();
        let on_path: Vec<Vec3> = self.feet.iter().map(|path| place(puppet, path.node)).collect();
        let needed = self.yielded(puppet, &kept, &on_path, frame)?;
        if needed.iter().all(|metres| *metres == 0.0) {
            return Ok(needed);
        }
        // The arms may have moved far out of the body and disturbed the legs, so this step is repeated with the moved arms.
        let mut stance = puppet.pose().clone();
        for &joint in self.feet.iter().flat_map(|path| &path.joints) {
            stance.locals[joint] = kept.locals[joint];
        }
        self.yielded(puppet, &stance, &on_path, frame)
    }

    /// Lets the feet in the air yield from a stance. Returns their outward distances from the paths, with negligible distances set to zero.
    fn yielded(
        &self,
        puppet: &mut Puppet,
        stance: &Pose,
        on_path: &[Vec3],
        frame: usize,
    ) -> Result<Vec<f32>, NotFinite> {
        puppet.follow(stance, &self.contacts(frame, true))?;
        let outwards = |(path, on_path): (&Path, &Vec3)| {
            let metres = (place(puppet, path.node) - *on_path).dot(path.outwards[frame]);
            if path.in_air[frame] && metres > self.same_place { metres } else { 0.0 }
        };
        Ok(self.feet.iter().zip(on_path).map(outwards).collect())
    }
}

/// Returns the world position of a node.
fn place(puppet: &Puppet, node: usize) -> Vec3 {
    puppet.world_from_node().get(node).map_or(Vec3::ZERO, |matrix| matrix.translation.into())
}

/// Returns values that change smoothly over time and are at least the given values. They fade to zero only near frames that are not in the
/// air.
fn smooth_in_air(values: &[f32], in_air: &[bool], times: &[f32], is_loop: bool) -> Vec<f32> {
    let windows: Vec<_> = (0..values.len()).map(|i| window(i, times, ASIDE, is_loop)).collect();
    let largest = |near: &Vec<(usize, f32)>| near.iter().map(|&(i, _)| values[i]).fold(0.0, f32::max);
    let largest: Vec<f32> = windows.iter().map(largest).collect();
    let smooth = |near: &Vec<(usize, f32)>| {
        let total: f32 = near.iter().map(|(_, weight)| weight).sum();
        let sum: f32 = near.iter().map(|&(i, weight)| largest[i] * weight).sum();
        // The weight of a frame falls with its distance in time, so the largest weight belongs to the nearest contact.
        let contact = near.iter().filter(|(i, _)| !in_air[*i]).map(|(_, weight)| *weight).fold(0.0, f32::max);
        let away = 1.0 - contact;
        sum / total.max(f32::MIN_POSITIVE) * away * away * (3.0 - 2.0 * away)
    };
    windows.iter().map(smooth).collect()
}

#[cfg(test)]
mod tests {
    use super::super::solve;
    use super::*;
    use crate::asset;

    /// Number of frames in a swing, and in each stance before and after it.
    const SWING: u8 = 48;
    const STANDS: u8 = 12;

    /// Returns the frames in which the left foot swings past the standing right foot. The paths of the two ankles are 4 cm apart.
    fn swing(puppet: &Puppet) -> (Vec<RetargetedFrame>, Vec<f32>) {
        let skeleton = &puppet.character().skeleton;
        let feet = ["leftFoot", "rightFoot"].map(|bone| skeleton.find(bone).unwrap());
        let [left, right] = feet.map(|node| Vec3::from(puppet.world_from_node()[node].translation));
        let mut pose = Pose::rest(skeleton);
        // The knees are bent, so that each leg could turn about the line from its hip to its ankle.
        pose.locals[skeleton.find("hips").unwrap()].translation.y -= 0.05;
        let frame = |i: u8| {
            let part = f32::from(i.clamp(STANDS, STANDS + SWING) - STANDS) / f32::from(SWING);
            let raised = (part * std::f32::consts::PI).sin();
            let at = Vec3::new(right.x + 0.04, left.y + 0.1 * raised, left.z + 0.7 * (part - 0.5));
            let contact = |(node, position): (usize, Vec3)| ContactConstraint {
                node,
                offset: Vec3::ZERO,
                position,
                orientation: Some(crate::pose::orientation(skeleton, &pose, node).as_quat()),
                on: None,
                weight: 1.0,
                yields: node == feet[0] && part > 0.0 && part < 1.0,
                pulls: false,
            };
            let contacts = [(feet[0], at), (feet[1], right)].map(contact).to_vec();
            RetargetedFrame { pose: pose.clone(), contacts }
        };
        let count = 2 * STANDS + SWING + 1;
        ((0..count).map(frame).collect(), (0..count).map(|i| f32::from(i) / 60.0).collect())
    }

    /// Regression test: a foot in the air was held on its path as firmly as a standing foot. Legs that passed each other turned about the
    /// lines from hips to ankles and jumped from one side to the other. The standing leg's thigh jumped by 10 degrees in a frame.
    #[test]
    fn legs_that_pass_each_other_do_not_jump() {
        let mut puppet = Puppet::new(asset::mannequin().unwrap(), 0);
        puppet.options.solver.full_body.clear = true;
        let thigh = puppet.character().skeleton.find("rightUpperLeg").unwrap();
        let (frames, times) = swing(&puppet);
        let mut largest_turn = |frames: &[RetargetedFrame]| {
            let poses = solve(&mut puppet, frames, &times, &mut Vec::new(), &Progress::default()).unwrap();
            let turn = |pair: &[Pose]| {
                pair[0].locals[thigh].rotation.angle_between(pair[1].locals[thigh].rotation).to_degrees()
            };
            poses[30..51].windows(2).map(turn).fold(0.0, f32::max)
        };
        let mut firm = frames.clone();
        firm.iter_mut().flat_map(|frame| &mut frame.contacts).for_each(|contact| contact.yields = false);
        let [before, now] = [&firm, &frames].map(|frames| largest_turn(frames));
        assert!(before > 5.0 && now < 1.0, "{before}° before, {now}° now");
    }

    /// A foot moves outwards smoothly while it is in the air. It remains on its path while it stands, and at all times if the legs do not
    /// meet.
    #[test]
    fn only_feet_in_the_air_move_outwards() {
        let mut puppet = Puppet::new(asset::mannequin().unwrap(), 0);
        puppet.options.solver.full_body.clear = true;
        let (mut frames, times) = swing(&puppet);
        let mut moved = |frames: &[RetargetedFrame]| -> Vec<[Vec3; 2]> {
            let contacts = firm_contacts(&mut puppet, frames, &times, &Progress::default()).unwrap();
            let moved = |(now, frame): (&Vec<ContactConstraint>, &RetargetedFrame)| {
                [0, 1].map(|i| now[i].position - frame.contacts[i].position)
            };
            assert!(contacts.iter().flatten().all(|contact| !contact.yields));
            contacts.iter().zip(frames).map(moved).collect()
        };
        let paths = moved(&frames);
        assert!(paths.iter().all(|[left, right]| *right == Vec3::ZERO && left.y == 0.0 && left.x >= 0.0));
        assert!(paths.iter().any(|[left, _]| left.x > 0.01));
        let stands = |(i, _): &(usize, &[Vec3; 2])| !frames[*i].contacts[0].yields;
        assert!(paths.iter().enumerate().filter(stands).all(|(_, [left, _])| *left == Vec3::ZERO));
        let largest_step = paths.windows(2).map(|pair| pair[0][0].distance(pair[1][0])).fold(0.0, f32::max);
        assert!(largest_step < 0.005, "{largest_step} m in a frame");
        // With the feet hip-width apart, the legs do not meet.
        frames.iter_mut().for_each(|frame| frame.contacts[0].position.x += 0.15);
        assert!(moved(&frames).iter().flatten().all(|shift| *shift == Vec3::ZERO));
    }

    /// In a loop that ends while a foot is displaced, the foot is equally displaced at the start.
    #[test]
    fn a_path_of_a_loop_closes() {
        let times: Vec<f32> = (0..61_u8).map(|i| f32::from(i) / 60.0).collect();
        let mut needed = [0.0; 61];
        (needed[0], needed[60]) = (0.02, 0.02);
        let in_air: Vec<bool> = (0..61).map(|i| !(25..35).contains(&i)).collect();
        let path = smooth_in_air(&needed, &in_air, &times, true);
        assert!((path[0] - 0.02).abs() < 1e-6 && (path[60] - 0.02).abs() < 1e-6, "{path:?}");
        assert!((path[1] - path[59]).abs() < 1e-6 && path[25..35].iter().all(|shift| *shift == 0.0));
        // Shortly after it leaves the floor, a foot is displaced only partially.
        needed[36] = 0.02;
        let path = smooth_in_air(&needed, &in_air, &times, true);
        assert!(path[36] > 0.0 && path[36] < 0.01, "{}", path[36]);
    }
}
