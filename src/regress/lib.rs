//! Regression tests: compares images and joints with goldens.
//!
//! [`assert_pose!`] and [`assert_image!`] are assertions for the tests of other programs, as in `examples/regression/main.rs`.
//! [`compare`] measures the difference between two images, and [`Joints`] the difference between two poses.
//!
//! Items that are hidden from the documentation belong to `sinew test`: suites, their runs and their reports. They may change in any
//! version. The crate does not interpret the options of a case. The program interprets them in the `Pose` function that it passes to a
//! `Run`.

mod accept;
mod assertions;
mod coverage;
mod csv;
mod explain;
mod flip;
mod golden;
mod golden_folders;
mod image;
mod machine;
mod outcomes_json;
mod record;
mod region;
mod report;
mod run;
mod suite;
mod tolerance;

pub use self::image::{Difference, Rule, TILE, compare};
#[doc(hidden)]
pub use accept::{AcceptError, accept};
pub use assertions::{AssertedImage, AssertedPose};
#[doc(hidden)]
pub use assertions::{CallSite, check_image, check_pose};
#[doc(hidden)]
pub use coverage::Coverage;
#[doc(hidden)]
pub use csv::csv;
#[doc(hidden)]
pub use explain::PoseView;
pub use explain::{Change, ChangeKind, Conditions, Explanation};
pub use golden::{Drawn, GoldenError, GoldenState, Joint, JointDifference, Joints};
#[doc(hidden)]
pub use machine::Machine;
#[doc(hidden)]
pub use outcomes_json::outcomes_json;
pub use record::{
    Attribute, CameraRecord, FloorRecord, MaterialRecord, PartRecord, RecordedScene, SceneRecord, SeenRecord,
    VerticesRecord,
};
#[doc(hidden)]
pub use report::{EarlierRun, checks_page, page};
#[doc(hidden)]
pub use run::{
    Finding, GoldenScene, Outcome, Pose, Posed, Run, Settings, Status, Update, orphans, sweep, without_scene,
};
#[doc(hidden)]
pub use suite::{
    Case, Checks, Moment, MotionCheck, NewCase, OptionArity, OptionKey, Replayed, ReportCheck, Suite,
    SuiteError, SuiteWriter, distinct, has_file_name,
};
pub use tolerance::{ImageTolerance, JointTolerance, KindTolerance};

/// Compiles the README's example as a doctest.
#[cfg(doctest)]
#[doc = include_str!("README.md")]
struct Readme;

use sinew_base::{api, files, mathematics, platform, text};
use sinew_character::{asset, check, pose, puppet, rig, skin, view};
use sinew_render::{self as render, scene};
