//! Goals for links, their results, and the options of a solve.

use std::ffi::c_char;

use glam::{DQuat, DVec3};
use sinew::ik::{Aim, Goal, LinkIndex, Options, Outcome, SolverOption};

use crate::pointers;
use crate::status::Failure;

/// A goal or a target has a position.
pub const SINEW_POSITION: u32 = 1;
/// A goal or a target has an orientation.
pub const SINEW_ORIENTATION: u32 = 2;
/// A goal has an aim.
pub const SINEW_AIM: u32 = 4;
/// A target has a look.
pub const SINEW_LOOK: u32 = 8;
/// A goal or a target has a pole.
pub const SINEW_POLE: u32 = 16;
/// A goal has priority over all goals that are not pinned.
pub const SINEW_PINNED: u32 = 32;

/// A goal for one link, in world space. Use `sinew_goal` to initialise it. `parts` says which members count.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SinewGoal {
    /// Index of the link.
    pub link: usize,
    /// A sum of `SINEW_POSITION`, `SINEW_ORIENTATION`, `SINEW_AIM`, `SINEW_POLE` and `SINEW_PINNED`.
    pub parts: u32,
    /// Target position of the point `offset` of the link, in metres.
    pub position: [f64; 3],
    /// Orientation of the link as a quaternion x, y, z, w.
    pub orientation: [f64; 4],
    /// Direction in the link's frame that must point at `aim_at`.
    pub aim_axis: [f64; 3],
    /// Position in metres at which `aim_axis` must point.
    pub aim_at: [f64; 3],
    /// Position in metres towards which the limb that ends at the link bends.
    pub pole: [f64; 3],
    /// A point in the link's frame, in metres. Zero is the joint itself.
    pub offset: [f64; 3],
    /// Weight relative to the other goals.
    pub weight: f64,
}

/// Returns a goal without parts for a link.
#[unsafe(no_mangle)]
pub extern "C" fn sinew_goal(link: usize) -> SinewGoal {
    SinewGoal {
        link,
        parts: 0,
        position: [0.0; 3],
        orientation: [0.0, 0.0, 0.0, 1.0],
        aim_axis: [0.0, 0.0, 1.0],
        aim_at: [0.0; 3],
        pole: [0.0; 3],
        offset: [0.0; 3],
        weight: 1.0,
    }
}

impl SinewGoal {
    /// Converts this goal to the library's type. Its numbers are checked when it is solved.
    pub(crate) fn goal(&self) -> Result<Goal, Failure> {
        let known = SINEW_POSITION | SINEW_ORIENTATION | SINEW_AIM | SINEW_POLE | SINEW_PINNED;
        check_parts(self.parts, known, "goal")?;
        let has = |part| self.parts & part != 0;
        let mut goal = Goal::position(LinkIndex(self.link), DVec3::ZERO);
        goal.position = has(SINEW_POSITION).then(|| DVec3::from_array(self.position));
        goal.orientation = has(SINEW_ORIENTATION).then(|| DQuat::from_array(self.orientation));
        let aim = || Aim { axis: DVec3::from_array(self.aim_axis), at: DVec3::from_array(self.aim_at) };
        goal.aim = has(SINEW_AIM).then(aim);
        goal.pole = has(SINEW_POLE).then(|| DVec3::from_array(self.pole));
        goal.offset = DVec3::from_array(self.offset);
        (goal.weight, goal.pinned) = (self.weight, has(SINEW_PINNED));
        Ok(goal)
    }
}

/// Checks that a goal or a target has something to reach and no unknown parts.
pub(crate) fn check_parts(parts: u32, known: u32, what: &str) -> Result<(), Failure> {
    if parts & !known != 0 {
        return Err(Failure::invalid(format_args!("parts {parts} of a {what} are unknown")));
    }
    if parts & !(SINEW_POLE | SINEW_PINNED) == 0 {
        return Err(Failure::invalid(format_args!("a {what} has nothing to reach")));
    }
    Ok(())
}

/// The outcome of a solve for one goal. A target that is out of reach is an outcome, not an error.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SinewOutcome {
    /// The goal is within tolerance.
    Reached = 0,
    /// The target is beyond the reach of the chain, or nearer than the chain can fold.
    OutOfReach = 1,
    /// The pose is the nearest one within the limits.
    BlockedByLimits = 2,
    /// The error stopped falling.
    Stalled = 3,
    /// The iteration limit was reached.
    IterationLimit = 4,
    /// The body would lose its balance.
    BlockedByBalance = 5,
    /// The floor, another part of the body, an obstacle or a pin is in the way.
    BlockedByContact = 6,
}

/// The result for one goal or target.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SinewResult {
    /// The outcome.
    pub outcome: SinewOutcome,
    /// Distance from the target position in metres, or NaN if there is no target position.
    pub position_error: f64,
    /// Orientation, aim or look error in radians, or NaN if the goal has none of these.
    pub orientation_error: f64,
}

impl SinewResult {
    pub(crate) fn new(outcome: Outcome, position: Option<f64>, orientation: Option<f64>) -> Self {
        let outcome = if outcome == Outcome::Reached {
            SinewOutcome::Reached
        } else if outcome == Outcome::OutOfReach {
            SinewOutcome::OutOfReach
        } else if outcome == Outcome::BlockedByLimits {
            SinewOutcome::BlockedByLimits
        } else if outcome == Outcome::BlockedByBalance {
            SinewOutcome::BlockedByBalance
        } else if outcome == Outcome::BlockedByContact {
            SinewOutcome::BlockedByContact
        } else if outcome == Outcome::IterationLimit {
            SinewOutcome::IterationLimit
        } else {
            SinewOutcome::Stalled
        };
        let position_error = position.unwrap_or(f64::NAN);
        Self { outcome, position_error, orientation_error: orientation.unwrap_or(f64::NAN) }
    }
}

/// Applies a string of `KEY=VALUE` assignments, separated by semicolons, to the options. NULL changes nothing.
///
/// # Safety
/// See [`pointers::text`].
pub(crate) unsafe fn apply(options: &mut Options, text: *const c_char) -> Result<(), Failure> {
    if text.is_null() {
        return Ok(());
    }
    // SAFETY: promised by the caller.
    let text = unsafe { pointers::text("options", text) }?;
    for assignment in text.split(';').map(str::trim).filter(|assignment| !assignment.is_empty()) {
        let (option, value) = SolverOption::parse_assignment(assignment).map_err(Failure::invalid)?;
        option.set(options, value).map_err(Failure::invalid)?;
    }
    Ok(())
}
