//! Checks of clips: faults in the motion that an animator would correct, and faults in the keys that an engine would show.
//!
//! A [`Checker`] knows a character: its size, its feet, the floor, and capsules around its limbs. It samples a clip once, and every
//! check is a function of the samples that returns [`Finding`]s and [`Curve`]s. [`mend`] repairs what the checks find.
//!
//! Length limits are for a person of 1.75 m, and are scaled to the size of the character.

mod anatomy;
mod checker;
mod clip_set;
mod contacts;
mod finding;
mod flip;
mod floating;
mod foot_slide;
mod jerk;
mod jump;
mod key_values;
mod keys;
mod kind;
mod limit;
pub mod mend;
mod options;
mod penetration;
mod report;
mod root_speed;
mod sampled;
mod seam;
pub mod seed;
mod self_penetration;
mod tracks;

pub use checker::{CheckError, Checker, ClipReport};
pub use finding::{Curve, Finding, NotApplied};
pub use kind::{Check, Severity};
pub use options::{CheckOptions, Looping};
pub use report::{CheckRow, CheckStatus, CurveRow, FindingRow, StripImage, checks_json};
pub use sampled::TooLong;
