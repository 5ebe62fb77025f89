//! Adds known faults to clips, to measure how well the checks find them.

use glam::{DQuat, Quat, Vec3};

use crate::asset::{Clip, Interpolation, Values};

use super::checker::{CheckError, Checker};
use super::floating::lowest_points;
use super::kind::Check;
use super::mend::draft::Draft;
use super::mend::limb;
use super::options::CheckOptions;
use super::sampled::degrees_between;
use super::seam::{LoopKind, Seam, velocities_match};
use super::tracks::turning_nodes;
use crate::mathematics::spans::number;
use sinew_base::Random;

/// A fault that was added to a clip.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Seeded {
    /// The clip with the fault.
    pub clip: Clip,
    /// The clip without the fault.
    pub clean: Clip,
    /// The check that must find the fault.
    pub check: Check,
    /// Node index of the joint at fault.
    pub node: Option<usize>,
    /// First time of the fault in seconds.
    pub from: f32,
    /// Last time of the fault in seconds.
    pub to: f32,
}

/// The checks for which faults can be added.
pub const KINDS: [Check; 13] = [
    Check::FootSlide,
    Check::Penetration,
    Check::Floating,
    Check::SeamPosition,
    Check::SeamRotation,
    Check::SeamVelocity,
    Check::Flip,
    Check::Limit,
    Check::Jerk,
    Check::SelfPenetration,
    Check::RootSpeed,
    Check::Unnormalised,
    Check::Jump,
];

/// Adds a fault of random size at a random time, always the same for the same seed. Returns `None` if the clip cannot have such a fault, for
/// example because no foot stands in it.
///
/// # Errors
/// [`CheckError`] if the clip is too long.
pub fn seed(
    checker: &Checker<'_>,
    clip: &Clip,
    check: Check,
    seed: u64,
) -> Result<Option<Seeded>, CheckError> {
    let options = CheckOptions::default();
    let prepared = checker.prepare(clip, &options)?;
    let seam = prepared.seam.clone();
    let draft = Draft::new(checker, prepared);
    if draft.sampled.len() < 8 {
        return Ok(None);
    }
    let limit = options.limit(check, checker.anatomy.size);
    let mut random = Random(seed);
    let mut seeder = Seeder { draft, seam, limit, random: &mut random, clean: None };
    let found = match check {
        Check::FootSlide => seeder.slide(),
        Check::Penetration => seeder.heave(-1.0),
        Check::Floating => seeder.heave(1.0),
        Check::SeamPosition | Check::SeamRotation | Check::SeamVelocity => seeder.open_seam(check),
        Check::Flip => seeder.flip(),
        Check::Jump => seeder.jump(),
        Check::Limit => seeder.overbend(),
        Check::Jerk => seeder.pop(),
        Check::SelfPenetration => seeder.enter_body(),
        Check::RootSpeed => seeder.speed_up(clip),
        Check::Unnormalised => return Ok(unnormalise(clip, &mut random)),
        _ => None,
    };
    Ok(found.map(|(node, first, last)| {
        let (from, to) = seeder.draft.sampled.span(first, last);
        Seeded {
            clip: seeder.draft.clip(clip),
            clean: seeder.clean.unwrap_or_else(|| clip.clone()),
            check,
            node,
            from,
            to,
        }
    }))
}

/// The joint at fault, and the first and the last frame.
type Place = (Option<usize>, usize, usize);

struct Seeder<'a, 'b, 'c> {
    draft: Draft<'a, 'b>,
    seam: Seam,
    limit: f64,
    random: &'c mut Random,
    /// The clip without the fault, if it is not the original one.
    clean: Option<Clip>,
}

impl Seeder<'_, '_, '_> {
    fn last(&self) -> usize {
        self.draft.sampled.len() - 1
    }

    #[expect(clippy::cast_possible_truncation, reason = "lengths are single precision")]
    fn amount(&mut self, low: f64, high: f64) -> f32 {
        (self.limit * self.random.range(low, high)) as f32
    }

    /// A foot drifts while it stands, and returns while it is in the air.
    fn slide(&mut self) -> Option<Place> {
        let minimum = self.draft.sampled.frames_in(0.25);
        let contacts: Vec<_> =
            self.draft.contacts.feet.iter().flat_map(|f| f.contacts.iter().map(|c| (f.node, *c))).collect();
        let contacts: Vec<_> = contacts.into_iter().filter(|(_, (a, b))| b - a >= minimum).collect();
        let &(foot, (first, last)) = contacts.get(self.random.below(contacts.len()))?;
        // In a clip of walking in place, twice the limit is accepted. A foot that moves faster than the maximum contact speed is stepping.
        let factor = if self.draft.contacts.treadmill.is_some() { 2.0 } else { 1.0 };
        let amount = factor * self.amount(1.8, 3.5);
        let slowest = 1.6 * amount / (0.35 * self.draft.checker.anatomy.leg_size);
        let length = self.draft.sampled.frames_in(slowest.max(0.25));
        if length > last - first {
            return None;
        }
        let begin = first + self.random.below(last - first - length + 1);
        let end = begin + length;
        let across = self.random.direction().as_vec3();
        let way = Vec3::new(across.x, 0.0, across.z).normalize_or(Vec3::X) * amount;
        let frames: Vec<usize> = (begin..=end).collect();
        let ease = self.draft.sampled.frames_in(0.25);
        let part = |frame: usize| smooth(number(frame - begin) / number(length));
        let offsets = limb::eased(&frames, self.draft.sampled.len(), ease, |frame| way * part(frame));
        let before = self.draft.sampled.position(end, foot);
        limb::move_end(&mut self.draft, foot, &offsets);
        // If the leg is too short, the foot cannot slide this far.
        let moved = self.draft.sampled.position(end, foot).distance(before);
        (moved > 0.9 * amount).then_some((Some(foot), begin, end))
    }

    /// The body sinks or rises for some time.
    fn heave(&mut self, sign: f32) -> Option<Place> {
        let anatomy = &self.draft.checker.anatomy;
        if anatomy.feet.is_empty() {
            return None;
        }
        let lowest = lowest_points(anatomy, &self.draft.sampled, self.draft.floor);
        let length = self.draft.sampled.frames_in(0.9);
        let stands = |i: usize| lowest[i].abs() < 0.6 * self.limit;
        let begins: Vec<usize> =
            (0..lowest.len().saturating_sub(length)).filter(|b| (*b..=b + length).all(stands)).collect();
        let &begin = begins.get(self.random.below(begins.len()))?;
        let amount = sign * if sign > 0.0 { self.amount(1.7, 2.6) } else { self.amount(2.0, 4.0) };
        let root = self.draft.body_root();
        let ease = number(length) / 4.0;
        for frame in begin..=begin + length {
            let edge = number((frame - begin).min(begin + length - frame));
            let part = smooth(edge / ease);
            self.draft.shift(frame, root, Vec3::Y * (amount * part));
        }
        Some((None, begin, begin + length))
    }

    /// The end of a loop moves away from its start.
    fn open_seam(&mut self, check: Check) -> Option<Place> {
        if self.seam.kind == LoopKind::Once {
            return None;
        }
        let last = self.last();
        let window = self.draft.sampled.frames_in(0.3).min(last / 4);
        let begin = last - window;
        let u = |frame: usize| number(frame - begin) / number(window);
        if check == Check::SeamRotation {
            let node = self.turning_joint()?;
            let turn = self.random.direction() * f64::from(self.amount(2.0, 5.0)).to_radians();
            for frame in begin..=last {
                let rotation = self.draft.sampled.local(frame, node).rotation.as_dquat();
                let turned = rotation * DQuat::from_scaled_axis(turn * f64::from(smooth(u(frame))));
                self.draft.set_rotation(frame, node, turned.as_quat());
            }
            self.draft.refresh_all();
            return Some((Some(node), begin, last));
        }
        let root = self.draft.body_root();
        let way = self.random.direction().as_vec3();
        let amount = if check == Check::SeamPosition {
            self.amount(2.0, 4.0)
        } else {
            if !velocities_match(&self.seam) {
                return None;
            }
            // The jump is larger than the typical velocity change from frame to frame.
            let gap = self.seam.gaps.iter().find(|g| g.node == self.draft.checker.anatomy.hips)?;
            #[expect(clippy::cast_possible_truncation, reason = "lengths are single precision")]
            let least = (3.2 * gap.usual) as f32 + gap.velocity.length();
            (self.amount(2.0, 3.0) + least) * self.draft.sampled.step
        };
        for frame in begin..=last {
            let part = if check == Check::SeamPosition {
                smooth(u(frame))
            } else {
                // A bump that ends at zero with nonzero velocity.
                #[expect(clippy::cast_possible_truncation, reason = "a small number")]
                let bump = ((u(frame).powi(3) - u(frame).powi(2)) * number(window)) as f32;
                bump
            };
            self.draft.shift(frame, root, way * (amount * part));
        }
        Some((Some(root), begin, last))
    }

    fn turning_joint(&mut self) -> Option<usize> {
        let anatomy = &self.draft.checker.anatomy;
        let nodes = turning_nodes(&self.draft.sampled, &anatomy.joints);
        let nodes: Vec<usize> = nodes.into_iter().filter(|n| !anatomy.above_hips.contains(n)).collect();
        nodes.get(self.random.below(nodes.len())).copied()
    }

    /// Returns a joint and the first of `frames` frames in and around which the joint turns by less than `slow` degrees per frame.
    fn slow_place(&mut self, slow: f64, frames: usize) -> Option<(usize, usize)> {
        for _ in 0..20 {
            let node = self.turning_joint()?;
            let turn = |i: usize| {
                let of = |f: usize| self.draft.sampled.local(f, node).rotation;
                degrees_between(of(i), of(i + 1))
            };
            let calm = |first: &usize| (first - 3..first + frames + 3).all(|i| turn(i) < slow);
            let end = self.last().saturating_sub(frames + 3);
            let places: Vec<usize> = (3..end).filter(calm).collect();
            if let Some(&first) = places.get(self.random.below(places.len())) {
                return Some((node, first));
            }
        }
        None
    }

    /// A joint flips to another rotation within a frame, and back after a while.
    fn flip(&mut self) -> Option<Place> {
        let frames = 1 + self.random.below(8.min(self.last() / 3));
        let (node, first) = self.slow_place(12.0, frames)?;
        let jump = DQuat::from_axis_angle(self.random.direction(), self.random.range(2.1, 3.1));
        self.turn(node, first, frames, jump);
        Some((Some(node), first, first + frames))
    }

    /// The body is displaced for some frames.
    fn jump(&mut self) -> Option<Place> {
        let frames = 1 + self.random.below(8.min(self.last() / 3));
        let root = self.draft.body_root();
        let sampled = &self.draft.sampled;
        let moves = |i: usize| f64::from(sampled.position(i, root).distance(sampled.position(i + 1, root)));
        let calm = |first: &usize| (first - 3..first + frames + 3).all(|i| moves(i) < 0.1 * self.limit);
        let places: Vec<usize> = (3..self.last().saturating_sub(frames + 3)).filter(calm).collect();
        let first = *places.get(self.random.below(places.len()))?;
        let way = self.random.direction().as_vec3() * self.amount(1.5, 4.0);
        (first + 1..=first + frames).for_each(|frame| self.draft.shift(frame, root, way));
        Some((Some(root), first, first + frames))
    }

    /// A joint leaves its path for one or two frames.
    fn pop(&mut self) -> Option<Place> {
        let frames = 1 + self.random.below(2);
        let (node, first) = self.slow_place(0.25 * self.limit, frames)?;
        let angle = f64::from(self.amount(2.0, 5.0)).to_radians();
        let jump = DQuat::from_axis_angle(self.random.direction(), angle);
        self.turn(node, first, frames, jump);
        Some((Some(node), first, first + frames))
    }

    fn turn(&mut self, node: usize, first: usize, frames: usize, jump: DQuat) {
        for frame in first + 1..=first + frames {
            let rotation = self.draft.sampled.local(frame, node).rotation.as_dquat();
            self.draft.set_rotation(frame, node, (jump * rotation).as_quat());
        }
        self.draft.refresh_all();
    }

    /// A knee or an elbow bends the wrong way for some time.
    fn overbend(&mut self) -> Option<Place> {
        let checker = self.draft.checker;
        let beyond = f64::from(self.amount(1.8, 3.0)).to_radians();
        let length = self.draft.sampled.frames_in(0.5).min(self.last() / 2);
        let begin = 3 + self.random.below((self.last() - length).saturating_sub(6));
        if begin + length + 3 > self.last() {
            return None;
        }
        let middle = begin + length / 2;
        let hinges: Vec<_> = checker
            .limited
            .iter()
            .filter(|j| j.overbent(&self.draft.sampled, middle, beyond).is_some())
            .collect();
        let joint = *hinges.get(self.random.below(hinges.len()))?;
        for frame in begin..=begin + length {
            let edge = number((frame - begin).min(begin + length - frame));
            let part = f64::from(smooth(edge / (number(length) / 2.5)));
            let Some(bent) = joint.overbent(&self.draft.sampled, frame, beyond) else { continue };
            let local = self.draft.sampled.local(frame, joint.node).rotation.as_dquat();
            let bent = if local.dot(bent) < 0.0 { -bent } else { bent };
            self.draft.set_rotation(frame, joint.node, local.slerp(bent, part).as_quat());
        }
        self.draft.refresh_all();
        Some((Some(joint.node), begin, begin + length))
    }

    /// A hand passes into the chest.
    fn enter_body(&mut self) -> Option<Place> {
        let checker = self.draft.checker;
        let plan = checker.rig.body.as_ref().filter(|_| !checker.pairs.is_empty())?;
        let arms: Vec<_> = plan.arms().collect();
        let arm = *arms.get(self.random.below(arms.len()))?;
        let chest = checker.anatomy.capsules.iter().find(|c| c.node == plan.chest())?;
        let is_checked = |pair: &super::self_penetration::Pair| {
            let of = |i: usize| checker.anatomy.capsules.get(i).map(|c| c.node);
            of(pair.other) == Some(chest.node) && of(pair.limb) == Some(arm.end())
        };
        checker.pairs.iter().find(|p| is_checked(p))?;
        let length = self.draft.sampled.frames_in(0.45).min(self.last() - 1);
        let begin = 3 + self.random.below((self.last() - length).saturating_sub(6));
        if begin + length + 3 > self.last() {
            return None;
        }
        let mut offsets = Vec::new();
        for frame in begin..=begin + length {
            let edge = number((frame - begin).min(begin + length - frame));
            let part = smooth(edge / (number(length) / 2.5));
            let [a, b] = chest.axis(&self.draft.sampled.matrix(frame, chest.node));
            let target = a.lerp(b, 0.6);
            offsets.push((frame, (target - self.draft.sampled.position(frame, arm.end())) * part));
        }
        limb::move_end(&mut self.draft, arm.end(), &offsets).then_some((
            Some(arm.end()),
            begin,
            begin + length,
        ))
    }

    /// The root moves faster than the feet.
    fn speed_up(&mut self, clip: &Clip) -> Option<Place> {
        let ground = self.draft.contacts.treadmill?;
        let last = self.last();
        // First, the root gets the speed of the feet.
        let root = self.draft.body_root();
        self.travel(-ground, root);
        self.clean = Some(self.draft.clip(clip));
        #[expect(clippy::cast_possible_truncation, reason = "a small factor")]
        let more = self.random.range(0.4, 0.8).max(2.0 * self.limit / f64::from(ground.length())) as f32;
        self.travel(-ground * more, root);
        Some((Some(self.draft.checker.anatomy.hips), 0, last))
    }

    fn travel(&mut self, velocity: glam::Vec2, root: usize) {
        for frame in 0..=self.last() {
            let travelled = velocity * self.draft.sampled.span(0, frame).1;
            self.draft.shift(frame, root, Vec3::new(travelled.x, 0.0, travelled.y));
        }
    }
}

/// Multiplies the rotation keys of a channel.
fn unnormalise(clip: &Clip, random: &mut Random) -> Option<Seeded> {
    let (clean, mut clip) = (clip.clone(), clip.clone());
    let is_rotation = |i: &usize| {
        let channel = &clip.channels[*i];
        matches!(channel.values, Values::Rotation(_)) && channel.interpolation != Interpolation::CubicSpline
    };
    let channels: Vec<usize> = (0..clip.channels.len()).filter(is_rotation).collect();
    let &index = channels.get(random.below(channels.len()))?;
    let channel = clip.channels.get_mut(index)?;
    #[expect(clippy::cast_possible_truncation, reason = "a small factor")]
    let factor = (1.0 + random.range(0.02, 0.3)) as f32;
    if let Values::Rotation(values) = &mut channel.values {
        values.iter_mut().for_each(|q| *q = Quat::from_vec4(glam::Vec4::from(*q) * factor));
    }
    let (node, to) = (Some(channel.node), clip.seconds);
    Some(Seeded { clip, clean, check: Check::Unnormalised, node, from: 0.0, to })
}

/// Returns the value of a curve that rises from 0 to 1 with zero velocity at its ends.
fn smooth(u: f64) -> f32 {
    let u = u.clamp(0.0, 1.0);
    #[expect(clippy::cast_possible_truncation, reason = "from 0 to 1")]
    let value = (u * u * (3.0 - 2.0 * u)) as f32;
    value
}
