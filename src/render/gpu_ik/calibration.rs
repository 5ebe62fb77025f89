//! Measures the batch size above which the GPU is faster than the CPU.

use glam::{DAffine3, DQuat, DVec3};

use crate::ik::{Body, Goal, Limit, Link, LinkIndex, SolveError};
use crate::platform::Instant;

use super::options::Choice;

/// Number of hinges of the measured chain, and number of problems that each processor solves.
const JOINTS: usize = 6;
const PROBLEMS: usize = 64;

/// The measured costs of both processors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Calibration {
    /// Smallest product of the number of problems and the number of joints for which the GPU is faster.
    least: f64,
}

impl Calibration {
    /// Measures both processors on the same small batch. For small batches, the GPU's time hardly depends on the size of the
    /// batch.
    pub(super) fn measure(mut solve: impl FnMut(&mut [Body], &[Vec<Goal>], Choice)) -> Self {
        let Ok(body) = arm() else { return Self { least: f64::INFINITY } };
        let goals = goals(&body);
        let mut seconds = |choice: Choice| {
            // The first solve compiles the shaders.
            solve(&mut vec![body.clone(); goals.len()], &goals, choice);
            let mut bodies = vec![body.clone(); goals.len()];
            let started = Instant::now();
            solve(&mut bodies, &goals, choice);
            started.elapsed().as_secs_f64()
        };
        let (gpu, cpu) = (seconds(Choice::Gpu), seconds(Choice::Cpu));
        #[expect(clippy::cast_precision_loss, reason = "small counts")]
        let per_joint = cpu / (PROBLEMS * JOINTS) as f64;
        Self { least: if per_joint > 0.0 { gpu / per_joint } else { f64::INFINITY } }
    }

    /// Returns whether the CPU solves a batch in less time.
    pub(super) fn prefers_cpu(self, problems: usize, joints: usize) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let size = problems as f64 * joints as f64;
        size < self.least
    }
}

fn arm() -> Result<Body, SolveError> {
    let axes = [DVec3::Z, DVec3::Y, DVec3::Y, DVec3::Z, DVec3::Y, DVec3::Z];
    let joint = |(index, axis): (usize, DVec3)| {
        Link::base()
            .with_parent(index.checked_sub(1).map(LinkIndex))
            .with_offset(DVec3::Z * 0.2)
            .with_limit(Limit::Hinge { axis, min: -2.0, max: 2.0 })
    };
    let mut links: Vec<Link> = axes.into_iter().enumerate().map(joint).collect();
    links.push(Link::child(LinkIndex(JOINTS - 1), DVec3::Z * 0.1).with_limit(Limit::Locked));
    Body::new(links, DAffine3::IDENTITY)
}

/// Returns goals that the arm reaches at different angles.
fn goals(arm: &Body) -> Vec<Vec<Goal>> {
    let mut posed = arm.clone();
    let mut goal = |number: usize| {
        for index in 0..JOINTS {
            let Limit::Hinge { axis, .. } = arm.links()[index].limit else { continue };
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            let angle = 1.9 * (1.0 + number as f64 * (index as f64 + 0.7)).sin();
            posed.set_rotation(LinkIndex(index), DQuat::from_axis_angle(axis, angle));
        }
        let end = LinkIndex(JOINTS);
        let place = posed.world_from_link(end).map_or(DVec3::ZERO, |m| m.translation);
        vec![Goal::pose(end, place, posed.orientation(end).unwrap_or_default())]
    };
    (0..PROBLEMS).map(&mut goal).collect()
}
