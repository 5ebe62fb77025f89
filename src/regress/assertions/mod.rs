//! `assert_pose!` and `assert_image!`: regression tests for other programs, written as ordinary tests.
//!
//! A golden is in the folder `goldens` beside the source file of its test. It is named after the module and the test, or after the
//! assertion's name. A missing golden fails the test, even without CI. `SINEW_UPDATE=1` writes the goldens of failing assertions,
//! and `SINEW_UPDATE=all` writes all goldens.

mod drawing;
mod golden_file;
mod report;
mod subject;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use crate::files::atomic;

use super::explain::Explanation;
use super::golden::{Drawn, GoldenError, GoldenState, Joints};
use super::image::{Difference, compare};
use super::tolerance::{ImageTolerance, JointTolerance};

pub use golden_file::CallSite;
use golden_file::{GoldenFile, Update};
pub use subject::{AssertedImage, AssertedPose};

/// Asserts that the joints of a pose match a golden.
///
/// ```no_run
/// # use sinew_character::{asset, puppet::Puppet};
/// use sinew_regress::{JointTolerance, assert_pose};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut puppet = Puppet::new(asset::mannequin()?, 0);
/// puppet.update()?;
/// assert_pose!(puppet); // named after the test
/// assert_pose!("standing", puppet);
/// assert_pose!("standing, roughly", puppet, tolerance = JointTolerance { distance: 1e-3, angle: 0.01 });
/// # Ok(())
/// # }
/// ```
///
/// The value is a [`Puppet`](crate::puppet::Puppet), [`Joints`](crate::Joints), a pair of a [`Skeleton`](crate::asset::Skeleton) and a
/// [`Pose`](crate::pose::Pose), or a reference to one of these. No graphics are needed.
///
/// The golden is `goldens/MODULE__NAME.json` beside the source file. A second assertion without a name in the same test has the name
/// `TEST-2`, and so on. The first run fails, because the golden is missing: look at `….new.json`, and run the test again with
/// `SINEW_UPDATE=1`.
///
/// # Panics
/// If a joint differs by more than the tolerance, or the golden is missing or invalid. The message lists the joints that moved.
#[macro_export]
macro_rules! assert_pose {
    ($pose:expr $(, tolerance = $tolerance:expr)? $(,)?) => {
        $crate::shared::check_pose(
            &$crate::__sinew_call_site!(),
            ::core::option::Option::None,
            &$pose,
            $crate::__sinew_optional!($($tolerance)?),
        )
    };
    ($name:expr, $pose:expr $(, tolerance = $tolerance:expr)? $(,)?) => {
        $crate::shared::check_pose(
            &$crate::__sinew_call_site!(),
            ::core::option::Option::Some(::core::convert::AsRef::<str>::as_ref(&$name)),
            &$pose,
            $crate::__sinew_optional!($($tolerance)?),
        )
    };
}

/// Asserts that an image matches a golden, by the rule of `sinew test`.
///
/// ```no_run
/// # use sinew_character::{asset, puppet::Puppet, view::Camera};
/// # use sinew_render::{ShadingMode, scene::ViewSettings};
/// use sinew_regress::{ImageTolerance, assert_image};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut puppet = Puppet::new(asset::mannequin()?, 0);
/// puppet.update()?;
/// assert_image!(puppet); // from the front, 256 x 256
/// let bounds = puppet.bounds();
/// let settings = ViewSettings::new(Camera::framing(&bounds, 0.5, 2.0), bounds).with_mode(ShadingMode::Normal);
/// assert_image!("normals", (&puppet, &settings, (400, 200)));
/// assert_image!("strict", (&puppet, &settings), tolerance = ImageTolerance { levels: 0, mean: 0.0, worst: 0.0 });
/// # Ok(())
/// # }
/// ```
///
/// The value is a [`DecodedImage`](crate::asset::DecodedImage) from any renderer, a [`Drawn`](crate::Drawn), or a reference to one of them.
/// It may also be a puppet, or a puppet with its [`ViewSettings`](crate::scene::ViewSettings) and the size of the image in pixels (default:
/// 256 x 256). Puppets are drawn without a window on a software adapter, so the test needs no graphics card. The adapter is opened once per
/// process.
///
/// The golden of a puppet contains its scene, so that the message can explain the difference. An assertion without its own tolerance uses
/// the tolerances by kind of change, as `sinew test` does.
///
/// The golden is `goldens/MODULE__NAME.png`, named as for [`assert_pose!`](crate::assert_pose).
///
/// # Panics
/// If the image exceeds the tolerance, has a different size or cannot be drawn, or if the golden is missing or invalid. The message
/// contains the FLIP errors and the paths of the new image and the difference image.
#[macro_export]
macro_rules! assert_image {
    ($image:expr $(, tolerance = $tolerance:expr)? $(,)?) => {
        $crate::shared::check_image(
            &$crate::__sinew_call_site!(),
            ::core::option::Option::None,
            &$image,
            $crate::__sinew_optional!($($tolerance)?),
        )
    };
    ($name:expr, $image:expr $(, tolerance = $tolerance:expr)? $(,)?) => {
        $crate::shared::check_image(
            &$crate::__sinew_call_site!(),
            ::core::option::Option::Some(::core::convert::AsRef::<str>::as_ref(&$name)),
            &$image,
            $crate::__sinew_optional!($($tolerance)?),
        )
    };
}

/// An assertion's location, as a [`CallSite`].
#[doc(hidden)]
#[macro_export]
macro_rules! __sinew_call_site {
    () => {{
        fn here() {}
        $crate::shared::CallSite {
            manifest: ::core::env!("CARGO_MANIFEST_DIR"),
            file: ::core::file!(),
            module: ::core::module_path!(),
            function: ::core::any::type_name_of_val(&here),
        }
    }};
}

/// An optional argument of a macro as an `Option`.
#[doc(hidden)]
#[macro_export]
macro_rules! __sinew_optional {
    () => {
        ::core::option::Option::None
    };
    ($value:expr) => {
        ::core::option::Option::Some($value)
    };
}

/// Implements `assert_pose!`.
///
/// # Panics
/// See `assert_pose!`.
#[track_caller]
pub fn check_pose(
    site: &CallSite,
    name: Option<&str>,
    pose: &impl AssertedPose,
    tolerance: Option<JointTolerance>,
) {
    let result = GoldenFile::new(site, name, "json").and_then(|golden| {
        compare_pose(&golden, &pose.joints(), tolerance.unwrap_or_default(), Update::from_environment()?)
    });
    raise(result);
}

/// Implements `assert_image!`.
///
/// # Panics
/// See `assert_image!`.
#[track_caller]
pub fn check_image(
    site: &CallSite,
    name: Option<&str>,
    image: &impl AssertedImage,
    tolerance: Option<ImageTolerance>,
) {
    let result = GoldenFile::new(site, name, "png").and_then(|golden| {
        let drawn = image.drawn().map_err(|cause| format!("image \"{}\": {cause}", golden.name))?;
        let explain = |golden: &Drawn| image.explain(golden, &drawn);
        compare_image(&golden, &drawn, tolerance, &explain, Update::from_environment()?)
    });
    raise(result);
}

/// Fails the test, or prints which golden was written.
#[track_caller]
#[allow(clippy::panic, reason = "this is an assertion")]
#[allow(clippy::print_stderr, reason = "the output of a test")]
fn raise(result: Result<Option<PathBuf>, String>) {
    match result {
        Ok(None) => {}
        Ok(Some(path)) => eprintln!("sinew: wrote {}", path.display()),
        Err(message) => panic!("{message}"),
    }
}

/// Compares joints with a golden. Returns the path of the golden if it was written.
fn compare_pose(
    golden: &GoldenFile,
    actual: &Joints,
    tolerance: JointTolerance,
    update: Update,
) -> Result<Option<PathBuf>, String> {
    let bytes = || actual.encode().map_err(|e| format!("pose \"{}\": {e}", golden.name));
    let failure = match Joints::read(&golden.path) {
        Ok(None) => Some(report::missing("pose", golden)),
        Ok(Some(expected)) => match actual.compare(&expected) {
            Ok(differences) => report::pose(golden, actual, &differences, &tolerance),
            Err(error) => Some(report::other("pose", golden, &error.to_string())),
        },
        Err(error @ GoldenError::Invalid { .. }) => Some(report::other("pose", golden, &error.to_string())),
        Err(error) => return Err(format!("pose \"{}\": {error}", golden.name)),
    };
    finish(golden, update, failure, &bytes, None)
}

/// Compares an image with a golden. `explain` explains the difference, if it can. Returns the path of the golden if it was written.
fn compare_image(
    golden: &GoldenFile,
    actual: &Drawn,
    tolerance: Option<ImageTolerance>,
    explain: &dyn Fn(&Drawn) -> Option<Explanation>,
    update: Update,
) -> Result<Option<PathBuf>, String> {
    let (by_kind, tolerance) = (tolerance.is_none(), &tolerance.unwrap_or_default());
    let (width, height) = (actual.image.width, actual.image.height);
    if width == 0 || height == 0 || actual.image.rgba.len() as u64 != 4 * u64::from(width) * u64::from(height)
    {
        let bytes = actual.image.rgba.len();
        return Err(format!("image \"{}\": {width}x{height} pixels cannot have {bytes} bytes", golden.name));
    }
    let bytes = || actual.encode().map_err(|e| format!("image \"{}\": {e}", golden.name));
    let mut heat = None;
    let failure = match Drawn::read(&golden.path, width, height) {
        Ok(None) => Some(report::missing("image", golden)),
        Ok(Some(GoldenState::OtherSize(w, h))) => {
            let cause = format!("its size is {width}x{height} instead of {w}x{h}");
            Some(report::other("image", golden, &cause))
        }
        Ok(Some(GoldenState::Drawn(expected))) => {
            let difference = compare(&expected.image, &actual.image, tolerance.levels)
                .ok_or_else(|| format!("image \"{}\" cannot be compared", golden.name))?;
            let explanation = if difference.pixels() > 0 { explain(&expected) } else { None };
            // A tolerance of the assertion replaces the tolerances by kind.
            let fails = by_kind && explanation.as_ref().is_some_and(Explanation::fails);
            let failure = (fails || !difference.passes(tolerance)).then(|| {
                let (golden_machine, machine) = (expected.drawn_by.as_deref(), actual.drawn_by.as_deref());
                let verdict = explanation.map(|explanation| explanation.verdict);
                report::image(golden, &difference, tolerance, verdict.as_deref(), golden_machine, machine)
            });
            heat = failure.is_some().then(|| heat_image(&difference, width, height));
            failure
        }
        Err(error @ GoldenError::Invalid { .. }) => Some(report::other("image", golden, &error.to_string())),
        Err(error) => return Err(format!("image \"{}\": {error}", golden.name)),
    };
    finish(golden, update, failure, &bytes, heat.as_ref())
}

fn heat_image(difference: &Difference, width: u32, height: u32) -> Drawn {
    Drawn::new(difference.image(width, height))
}

/// Writes the golden, or the files needed to judge the failure, and removes files of earlier failures.
fn finish(
    golden: &GoldenFile,
    update: Update,
    failure: Option<String>,
    bytes: &dyn Fn() -> Result<Vec<u8>, String>,
    heat: Option<&Drawn>,
) -> Result<Option<PathBuf>, String> {
    let updates = match update {
        Update::No => false,
        Update::Failing => failure.is_some(),
        Update::All => true,
    };
    if updates {
        write(&golden.path, &bytes()?)?;
    } else if let Some(message) = failure {
        write(&golden.new_path(), &bytes()?)?;
        match heat {
            Some(heat) => write(&golden.difference_path(), &heat.encode().map_err(|e| e.to_string())?)?,
            None => remove(&golden.difference_path()),
        }
        return Err(message);
    }
    remove(&golden.new_path());
    remove(&golden.difference_path());
    Ok(updates.then(|| golden.path.clone()))
}

/// Removes a file of an earlier failure, if there is one.
fn remove(path: &Path) {
    let _ = std::fs::remove_file(path);
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    atomic::write(path, bytes).map_err(failed)
}
