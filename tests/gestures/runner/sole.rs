//! The sole of a foot, and the distance that it slides.

use std::f32::consts::FRAC_PI_2;

use glam::{DQuat, DVec3, Vec3};
use sinew::pose::orientation;
use sinew::puppet::Puppet;
use sinew::rig::BodyPlan;

use super::body::GestureBody;
use super::rules::position;

/// Length of a foot without toes as a fraction of the height, and the fraction of that length behind the ankle.
const FOOT: f32 = 0.152;
const BEHIND: f32 = 0.25;
/// The height of a person for which lengths are given, in metres.
const PERSON: f32 = 1.75;
/// The direction of a foot is known to about 15 degrees. This is the tangent of that angle.
const SLACK: f64 = 0.268;
/// Number of lines at different heights.
const LINES: u8 = 16;

/// The part of a standing foot about which it may roll: lines that run from the heel to the tip of the toes, at heights from the floor to
/// the joint of the toes.
///
/// A foot may roll about its ball or its heel, so it stands as long as one point of these lines does not move. It slides if all
/// of them move.
#[derive(Clone, Debug)]
pub struct Sole {
    pub foot: usize,
    /// The ends of the lines: positions at rest in the world, and in the frame of the foot.
    lines: Vec<[(Vec3, Vec3); 2]>,
    rest: DQuat,
    /// Unit horizontal direction across the foot.
    across: Vec3,
}

impl Sole {
    pub fn new(body: &GestureBody, puppet: &Puppet, foot: usize) -> Option<Self> {
        let ankle = position(puppet, foot);
        let leg = puppet.rig.body.iter().flat_map(BodyPlan::legs).find(|leg| leg.end() == foot);
        let toes = leg.iter().flat_map(|leg| leg.digits.iter().flatten()).map(|&toe| position(puppet, toe));
        let ahead = |toe: &Vec3| (*toe - ankle).dot(body.facing);
        let length = FOOT * PERSON * body.scale;
        let toes: Vec<Vec3> = toes.filter(|toe| ahead(toe) > 0.1 * length).collect();
        let farthest = toes.iter().copied().max_by(|a, b| ahead(a).total_cmp(&ahead(b)));
        let flat = |v: Vec3| Vec3::new(v.x, 0.0, v.z);
        let farthest = farthest.map_or(Vec3::ZERO, |toe| flat(toe - ankle));
        let forward = farthest.try_normalize().unwrap_or(body.facing);
        // The last joint of the toes is behind their tip.
        let usual = [-BEHIND * length, farthest.length().max(length * (1.0 - BEHIND))];
        #[expect(clippy::cast_possible_truncation, reason = "lengths are single precision")]
        let skin = leg.and_then(|leg| leg.sole).map(|sole| [sole.heel as f32, sole.toe as f32]);
        let ends = skin.unwrap_or(usual);
        let top = toes.iter().map(|toe| toe.y).fold(body.floor, f32::max).min(ankle.y.max(body.floor));
        let node_from_world = puppet.world_from_node()[foot].inverse();
        let line = |index: u8| {
            let height = body.floor + (top - body.floor) * f32::from(index) / f32::from(LINES - 1);
            ends.map(|along| {
                let point = Vec3 { y: height, ..ankle + forward * along };
                (point, node_from_world.transform_point3(point))
            })
        };
        let lines: Vec<[(Vec3, Vec3); 2]> = (0..LINES).map(line).collect();
        if lines.iter().flatten().any(|(_, own)| !own.is_finite()) {
            return None;
        }
        let rest = orientation(&puppet.character().skeleton, puppet.pose(), foot);
        let across = glam::Quat::from_rotation_y(FRAC_PI_2) * forward;
        Some(Self { foot, lines, rest, across })
    }

    /// Returns the slide of the foot in metres and its rotation in degrees, excluding its roll over heel and toes.
    pub fn moved(&self, puppet: &Puppet) -> (f32, f64) {
        let world = puppet.world_from_node()[self.foot];
        let least = |line: &[(Vec3, Vec3); 2]| {
            // Movements change linearly along the line.
            let [from, to] = line.map(|(rest, own)| world.transform_point3(own) - rest);
            let change = to - from;
            let at = -from.dot(change) / change.length_squared().max(f32::MIN_POSITIVE);
            (from + change * at.clamp(0.0, 1.0)).length()
        };
        let now = orientation(&puppet.character().skeleton, puppet.pose(), self.foot);
        let turn = (now * self.rest.conjugate()).normalize();
        let turn = if turn.w < 0.0 { -turn } else { turn }.to_scaled_axis();
        let across = self.across.as_dvec3();
        let sideways = turn.dot(across.cross(DVec3::Y)).abs() - SLACK * turn.dot(across).abs();
        let slide = self.lines.iter().map(least).fold(f32::INFINITY, f32::min);
        (slide, turn.y.hypot(sideways.max(0.0)).to_degrees())
    }
}
