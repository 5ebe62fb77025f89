//! Regression tests: compares images and joints with goldens.
//!
//! [`assert_pose!`] and [`assert_image!`] are assertions for the tests of other programs, as in `examples/regression/main.rs`.
//! [`compare`] measures the difference between two images, and [`Joints`] the difference between two poses.
//!
//! With the feature `cli`, this module also contains the parts of `sinew test`: suites, their runs and their reports. They are
//! not part of the library's stable interface. The module does not interpret the options of a case. The program does, in the
//! `Pose` function that it passes to a `Run`.

#[cfg(feature = "cli")]
mod accept;
mod assertions;
#[cfg(feature = "cli")]
mod coverage;
#[cfg(feature = "cli")]
mod csv;
mod explain;
mod flip;
mod golden;
#[cfg(feature = "cli")]
mod golden_folders;
mod image;
#[cfg(feature = "cli")]
mod junit;
#[cfg(feature = "cli")]
mod machine;
#[cfg(feature = "cli")]
mod outcomes_json;
mod record;
#[cfg(feature = "cli")]
mod region;
#[cfg(feature = "cli")]
mod report;
#[cfg(feature = "cli")]
mod run;
#[cfg(feature = "cli")]
mod suite;
mod tolerance;

pub use self::image::{Difference, Rule, TILE, compare};
pub use crate::{assert_image, assert_pose};
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use accept::{AcceptError, accept};
pub use assertions::{AssertedImage, AssertedPose};
#[doc(hidden)]
pub use assertions::{CallSite, check_image, check_pose};
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use coverage::Coverage;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use csv::csv;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use explain::PoseView;
pub use explain::{Change, ChangeKind, Conditions, Explanation};
pub use golden::{Drawn, GoldenError, GoldenState, Joint, JointDifference, Joints};
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use junit::junit;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use machine::Machine;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use outcomes_json::outcomes_json;
pub use record::{
    Attribute, CameraRecord, FloorRecord, MaterialRecord, PartRecord, RecordedScene, SceneRecord, SeenRecord,
    VerticesRecord,
};
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use report::{EarlierRun, checks_page, page};
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use run::{
    Finding, GoldenScene, Outcome, Pose, Posed, Run, Settings, Status, Update, orphans, sweep, without_scene,
};
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use suite::{
    Case, Checks, Moment, MotionCheck, NewCase, OptionArity, OptionKey, Replayed, ReportCheck, Suite,
    SuiteError, SuiteWriter, distinct, has_file_name,
};
pub use tolerance::{ImageTolerance, JointTolerance, KindTolerance};
