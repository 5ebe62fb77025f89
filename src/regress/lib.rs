//! Regression tests: compares images and joints with goldens.
//!
//! [`assert_pose!`] and [`assert_image!`] are assertions for the tests of other programs, as in `examples/regression/main.rs`.
//! [`compare`] measures the difference between two images, and [`Joints`] the difference between two poses.
//!
//! The suites of `sinew test`, their runs and their reports are hidden from the documentation, because they may change in any version. The
//! crate does not interpret the options of a case. The program interprets them in the `PoseCase` function that it passes to a
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
pub use assertions::{AssertedImage, AssertedPose};
pub use explain::{Change, ChangeKind, Conditions, Explanation};
pub use golden::{Drawn, GoldenError, GoldenState, JointDifference, JointRecord, Joints};
pub use record::{
    Attribute, CameraRecord, FloorRecord, MaterialRecord, PartRecord, RecordedScene, SceneRecord, SeenRecord,
    VerticesRecord,
};
pub use tolerance::{ImageTolerance, JointTolerance, KindTolerance};

/// What `sinew test` and the macros use. It may change in any version.
#[doc(hidden)]
pub mod shared {
    pub use crate::accept::{AcceptError, accept};
    pub use crate::assertions::{CallSite, check_image, check_pose};
    pub use crate::coverage::Coverage;
    pub use crate::csv::csv;
    pub use crate::explain::PoseView;
    pub use crate::machine::Machine;
    pub use crate::outcomes_json::outcomes_json;
    pub use crate::report::{EarlierRun, checks_page, page};
    pub use crate::run::{
        Finding, GoldenScene, Outcome, PoseCase, Posed, Run, RunSettings, Status, Update, orphans, sweep,
        without_scene,
    };
    pub use crate::suite::{
        Case, Checks, Moment, MotionCheck, NewCase, OptionArity, OptionKey, Replayed, ReportCheck, Suite,
        SuiteError, SuiteWriter, distinct, has_file_name,
    };
}

/// Compiles the README's example as a doctest.
#[cfg(doctest)]
#[doc = include_str!("README.md")]
struct Readme;

use sinew_base::{api, files, mathematics, platform, text};
use sinew_character::{asset, check, pose, puppet, rig, skin, view};
use sinew_render::{self as render, scene};
