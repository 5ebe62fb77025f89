//! The rules that hold for all gestures, checked in every frame.

use std::f64::consts::FRAC_PI_2;

use glam::{DQuat, DVec3, Vec3};
use sinew::asset::Skeleton;
use sinew::ik::{Limit, Outcome};
use sinew::pose::{Pose, orientation, rest_orientation};
use sinew::puppet::{GoalKind, GoalReport, Puppet};
use sinew::rig::BodyKind;

use super::body::{GestureBody, Side};
use super::sole::Sole;
use super::verdict::{Failures, Rule, Turn};

/// Maximum rotation of a joint per frame in radians, in general and in a stretched limb.
const MAX_TURN: f64 = 0.15;
const MAX_STRETCHED_TURN: f64 = 0.35;
/// A limb is stretched if its ends are this fraction of its length apart.
const STRETCHED: f32 = 0.98;
/// Largest slide of a standing foot in metres, and its largest turn in degrees.
const MAX_SLIDE: f32 = 0.005;
const MAX_FOOT_TURN: f64 = 5.0;
/// Maximum depth of a foot or hand joint below the floor, in metres.
const MAX_DEPTH: f32 = 0.01;
/// Largest violation of a limit, and largest tilt of the head, in degrees.
const MAX_VIOLATION: f64 = 0.1;
const MAX_HEAD_TILT: f64 = 30.0;

/// The rules that apply to a gesture.
#[derive(Clone, Debug)]
pub struct Applicable {
    /// The feet that must stand still.
    pub standing: Vec<usize>,
    /// Nodes that are pinned.
    pub pinned: Vec<usize>,
    /// Whether the head must stay upright.
    pub upright_head: bool,
}

/// Checks the rules frame by frame.
#[derive(Debug)]
pub struct Watcher<'a> {
    body: &'a GestureBody,
    rest: Pose,
    rest_orientations: Vec<DQuat>,
    before: Pose,
    before_stretched: Vec<usize>,
    /// The joints of feet and hands, with the heights below which they must not sink.
    low: Vec<(usize, f32)>,
    /// Joints with limits, their rest rotations, and the violation of the limit in the rest pose.
    limited: Vec<(usize, Option<usize>, DQuat, Limit, f64)>,
    pub soles: Vec<Sole>,
    applicable: Applicable,
    pub turn: Turn,
    pub failures: Failures,
}

impl<'a> Watcher<'a> {
    pub fn new(body: &'a GestureBody, puppet: &Puppet, applicable: Applicable) -> Self {
        let skeleton = &puppet.character().skeleton;
        let rest = puppet.pose().clone();
        let turned = |node| orientation(skeleton, &rest, node);
        let rest_orientations: Vec<DQuat> = (0..skeleton.nodes.len()).map(turned).collect();
        let limited =
            puppet.rig.joints.iter().filter(|(_, joint)| joint.limit != Limit::Free).map(|(&node, joint)| {
                let above = puppet.rig.above(skeleton, node);
                let parent = above.map_or(DQuat::IDENTITY, |n| rest_orientation(skeleton, n));
                let own = parent.conjugate() * rest_orientation(skeleton, node);
                let now = above.map_or(DQuat::IDENTITY, |n| rest_orientations[n]).conjugate()
                    * rest_orientations[node];
                (node, above, own, joint.limit, violation(&joint.limit, own, now))
            });
        let limited = limited.collect();
        Self {
            low: low(body, skeleton, puppet),
            before: rest.clone(),
            before_stretched: stretched(body, |n| body.rest[n]),
            body,
            rest_orientations,
            rest,
            limited,
            soles: applicable.standing.iter().filter_map(|&foot| Sole::new(body, puppet, foot)).collect(),
            applicable,
            turn: Turn::default(),
            failures: Failures::default(),
        }
    }

    /// Lets the feet move.
    pub fn free_feet(&mut self) {
        self.applicable.standing.clear();
    }

    /// Checks the current frame of a puppet.
    pub fn check(&mut self, puppet: &Puppet, seconds: f64) {
        self.check_turns(puppet, seconds);
        self.check_feet(puppet, seconds);
        self.check_floor(puppet, seconds);
        self.check_limits(puppet, seconds);
        self.check_head(puppet, seconds);
        self.before.clone_from(puppet.pose());
    }

    fn check_turns(&mut self, puppet: &Puppet, seconds: f64) {
        let now_stretched = stretched(self.body, |n| position(puppet, n));
        let locals = self.before.locals.iter().zip(&puppet.pose().locals);
        for (node, (before, now)) in locals.enumerate() {
            if before.rotation == now.rotation {
                continue;
            }
            let radians = angle(before.rotation.as_dquat(), now.rotation.as_dquat());
            let is_stretched = now_stretched.contains(&node) || self.before_stretched.contains(&node);
            let bound = if is_stretched { MAX_STRETCHED_TURN } else { MAX_TURN };
            if radians / bound > self.turn.ratio {
                let joint = name(puppet, node);
                self.turn = Turn { ratio: radians / bound, radians, joint, seconds };
            }
            self.failures.at_most(Rule::Jump, radians, bound, || {
                format!("{} turns by {radians:.3} rad in a frame at {seconds:.3} s", name(puppet, node))
            });
        }
        self.before_stretched = now_stretched;
    }

    fn check_feet(&mut self, puppet: &Puppet, seconds: f64) {
        let scale = self.body.scale;
        for &foot in &self.applicable.standing {
            // A heel may rise while the foot rolls about its ball.
            let Some(sole) = self.soles.iter().find(|sole| sole.foot == foot) else { continue };
            let (slide, degrees) = sole.moved(puppet);
            self.failures.at_most(Rule::Feet, slide.into(), (MAX_SLIDE * scale).into(), || {
                format!("{} slides by {:.1} mm at {seconds:.3} s", name(puppet, foot), 1e3 * slide)
            });
            self.failures.at_most(Rule::Feet, degrees, MAX_FOOT_TURN, || {
                format!("{} turns by {degrees:.1} degrees at {seconds:.3} s", name(puppet, foot))
            });
        }
        for &node in &self.applicable.pinned {
            let moved = position(puppet, node).distance(self.body.rest[node]);
            self.failures.at_most(Rule::Feet, moved.into(), (1e-4 * scale).into(), || {
                format!(
                    "the pin of {} is missed by {:.2} mm at {seconds:.3} s",
                    name(puppet, node),
                    1e3 * moved
                )
            });
        }
    }

    fn check_floor(&mut self, puppet: &Puppet, seconds: f64) {
        let bound = MAX_DEPTH * self.body.scale;
        for &(node, height) in &self.low {
            let depth = height - position(puppet, node).y;
            self.failures.at_most(Rule::Floor, depth.into(), bound.into(), || {
                format!("{} is {:.0} mm under the floor at {seconds:.3} s", name(puppet, node), 1e3 * depth)
            });
        }
    }

    fn check_limits(&mut self, puppet: &Puppet, seconds: f64) {
        let skeleton = &puppet.character().skeleton;
        for (node, above, own, limit, at_rest) in &self.limited {
            let world = |n| orientation(skeleton, puppet.pose(), n);
            let now = above.map_or(DQuat::IDENTITY, world).conjugate() * world(*node);
            let degrees = (violation(limit, *own, now) - at_rest.max(0.0)).to_degrees();
            self.failures.at_most(Rule::Limit, degrees, MAX_VIOLATION, || {
                format!("{} leaves its limit by {degrees:.2} degrees at {seconds:.3} s", name(puppet, *node))
            });
        }
    }

    fn check_head(&mut self, puppet: &Puppet, seconds: f64) {
        let Ok(head) = self.body.node("head") else { return };
        if !self.applicable.upright_head {
            return;
        }
        let turned = orientation(&puppet.character().skeleton, puppet.pose(), head);
        let up = turned * self.rest_orientations[head].conjugate() * DVec3::Y;
        let degrees = up.angle_between(DVec3::Y).to_degrees();
        self.failures.at_most(Rule::Head, degrees, MAX_HEAD_TILT, || {
            format!("the head tilts by {degrees:.0} degrees at {seconds:.3} s")
        });
    }

    /// Checks that the report of the dragged node agrees with the pose.
    pub fn check_report(
        &mut self,
        puppet: &Puppet,
        reports: &[GoalReport],
        node: usize,
        target: Vec3,
        seconds: f64,
    ) {
        let Some(report) = reports.iter().find(|r| r.kind == GoalKind::Goal && r.node == node) else {
            self.failures.require(Rule::Report, false, || format!("no report at {seconds:.3} s"));
            return;
        };
        let measured = f64::from(position(puppet, node).distance(target));
        let reported = report.position_error.unwrap_or(f64::INFINITY);
        let scale = f64::from(self.body.scale);
        self.failures.at_most(Rule::Report, (measured - reported).abs(), 1e-4 * scale, || {
            format!("the error is {measured:.5} m but {reported:.5} m is reported at {seconds:.3} s")
        });
        // The tolerance is a fraction of the length of the chain, which reports do not contain. Every chain is between a tenth of the
        // height and twice the height long.
        let fraction = 1e-4 * 1.75 * scale;
        let tolerance = puppet.options.solver.tolerance;
        let [least, most] = tolerance.map_or([0.1 * fraction, 2.0 * fraction], |t| [t, t]);
        let is_reached = report.outcome == Outcome::Reached;
        let agrees =
            if is_reached { measured <= most + 1e-5 * scale } else { measured > least - 1e-5 * scale };
        self.failures.require(Rule::Report, agrees, || {
            format!("{} at an error of {measured:.6} m at {seconds:.3} s", report.outcome)
        });
    }

    /// Returns the mean angle in degrees between the body's joints and their rest rotations, excluding fingers.
    pub fn mean_turn_from_rest(&self, puppet: &Puppet) -> f64 {
        let is_finger =
            |name: &str| ["Thumb", "Index", "Middle", "Ring", "Little"].iter().any(|f| name.contains(f));
        let joints = self.body.joints.iter().filter(|(name, _)| !is_finger(name)).map(|(_, &node)| node);
        let turn = |n: usize| {
            angle(self.rest.locals[n].rotation.as_dquat(), puppet.pose().locals[n].rotation.as_dquat())
        };
        let turns: Vec<f64> = joints.map(|n| turn(n).to_degrees()).collect();
        #[expect(clippy::cast_precision_loss, reason = "a small count")]
        let count = turns.len().max(1) as f64;
        turns.iter().sum::<f64>() / count
    }
}

/// Returns the joints of feet and hands, and their descendants that move the skin, each with the height of the floor. A joint that is lower
/// at rest may remain at its rest height. For an animal, all named joints count.
pub fn low(body: &GestureBody, skeleton: &Skeleton, puppet: &Puppet) -> Vec<(usize, f32)> {
    let sides = [Side::Left, Side::Right];
    let hands = sides.into_iter().filter_map(|s| body.side(s, "Hand").ok());
    let ends: Vec<usize> = body.feet().into_iter().chain(hands).collect();
    let is_joint = |n: usize| puppet.character().skins.iter().any(|s| s.joints.contains(&n));
    let is_low =
        |n: usize| ends.contains(&n) || is_joint(n) && skeleton.ancestors(n).any(|a| ends.contains(&a));
    let named = body.joints.values().copied().filter(|_| body.kind != BodyKind::Biped);
    let toes = sides.into_iter().filter_map(|s| body.side(s, "Toes").ok());
    let mut low: Vec<usize> =
        (0..skeleton.nodes.len()).filter(|&n| is_low(n)).chain(toes).chain(named).collect();
    low.sort_unstable();
    low.dedup();
    low.into_iter().map(|n| (n, body.floor.min(body.rest[n].y))).collect()
}

/// Returns the joints of all stretched limbs.
fn stretched(body: &GestureBody, at: impl Fn(usize) -> Vec3) -> Vec<usize> {
    let is_stretched = |limb: &[usize; 3]| {
        let [upper, _, end] = *limb;
        at(upper).distance(at(end)) > STRETCHED * body.length(*limb)
    };
    body.limbs().into_iter().filter(is_stretched).flatten().collect()
}

/// Returns the limit violation of a joint in radians.
fn violation(limit: &Limit, rest: DQuat, now: DQuat) -> f64 {
    limit.limit_violation((rest.conjugate() * now).normalize())
}

/// Returns the angle between two rotations in radians. It is also exact for tiny angles.
pub fn angle(a: DQuat, b: DQuat) -> f64 {
    let between = a.conjugate() * b;
    let sine = DVec3::new(between.x, between.y, between.z).length();
    if between.w == 0.0 { 2.0 * FRAC_PI_2 } else { 2.0 * sine.atan2(between.w.abs()) }
}

/// Returns the world position of a node.
pub fn position(puppet: &Puppet, node: usize) -> Vec3 {
    puppet.world_from_node()[node].translation.into()
}

/// Returns the name of a node for messages.
pub fn name(puppet: &Puppet, node: usize) -> String {
    puppet.character().skeleton.label(node).to_string()
}
