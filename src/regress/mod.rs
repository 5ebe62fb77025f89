//! Regression tests: poses and draws the cases of a [`Suite`], and compares the results with their goldens.
//!
//! This module does not interpret the options of a case. The program does, in the [`Pose`] function that it passes to a
//! [`Run`].

mod csv;
mod flip;
mod golden;
mod html;
mod image;
mod junit;
mod machine;
mod run;
mod suite;

pub use self::image::{Difference, Rule, TILE, compare};
pub use csv::csv;
pub use golden::{Drawn, GoldenError, GoldenState, Joint, JointDifference, Joints};
pub use html::page;
pub use junit::junit;
pub use machine::Machine;
pub use run::{Finding, Outcome, Pose, Posed, Run, Settings, Status, Update, orphans};
pub use suite::{
    Case, Checks, ImageTolerance, JointTolerance, Moment, OptionArity, OptionKey, Replayed, ReportCheck,
    Suite, SuiteError,
};
