//! The joints and tips of a robot.

use serde::Serialize;

use crate::ik::LinkIndex;
use crate::robot::{Robot, RobotJoint};

/// The joints of a robot in the order of `q`, and its tips.
#[derive(Serialize)]
pub(super) struct RobotReport {
    joints: Vec<JointReport>,
    tips: Vec<TipReport>,
}

/// A joint with a value in `q`. The range is in the joint's `unit`, and is missing for a continuous joint.
#[derive(Serialize)]
struct JointReport {
    name: String,
    link: String,
    unit: &'static str,
    range: Option<[f64; 2]>,
    /// Maximum speed in radians or metres per second.
    velocity: Option<f64>,
}

/// A link at the end of the robot.
#[derive(Serialize)]
struct TipReport {
    link: String,
    /// Number of joints between the root and the tip.
    joints: usize,
    /// Maximum distance of the tip from the first joint that moves it, in metres.
    reach: f64,
}

impl RobotReport {
    pub(super) fn new(robot: &Robot) -> Self {
        let link = |link: LinkIndex| robot.links().get(link.0).cloned().unwrap_or_default();
        let joint = |joint: &RobotJoint| JointReport {
            name: joint.name.clone(),
            link: link(joint.link),
            unit: joint.unit.symbol(),
            range: joint.range,
            velocity: joint.velocity,
        };
        let tip = |tip: LinkIndex| TipReport {
            link: link(tip),
            joints: robot.joints_above(tip).count(),
            reach: robot.reach(tip),
        };
        Self {
            joints: robot.joints().iter().map(joint).collect(),
            tips: robot.tips().into_iter().map(tip).collect(),
        }
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let joint = |joint: &JointReport| {
            let JointReport { name, link, unit, range, velocity } = joint;
            let range =
                range.map_or("continuous".into(), |[min, max]| format!("{min:.4} to {max:.4} {unit}"));
            let velocity = velocity.map_or(String::new(), |v| format!(", at most {v} {unit}/s"));
            format!("joint       {name}: moves {link}, {range}{velocity}")
        };
        let tip = |tip: &TipReport| {
            format!("tip         {}: {} joints, reach at most {:.3} m", tip.link, tip.joints, tip.reach)
        };
        self.joints.iter().map(joint).chain(self.tips.iter().map(tip)).collect()
    }
}
