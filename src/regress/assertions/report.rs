//! The messages of failing assertions.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

use super::GoldenFile;
use crate::golden::{JointDifference, Joints};
use crate::image::Difference;
use crate::tolerance::{ImageTolerance, JointTolerance};

/// Maximum number of joints that a message lists.
const MAX_JOINTS: usize = 10;

/// The message for a golden that does not exist.
pub(super) fn missing(kind: &str, golden: &GoldenFile) -> String {
    format!("{kind} \"{}\" has no golden yet\n{}", golden.name, files(golden, false))
}

/// The message for a value that cannot be compared.
pub(super) fn other(kind: &str, golden: &GoldenFile, cause: &str) -> String {
    format!("{kind} \"{}\" differs from its golden: {cause}\n{}", golden.name, files(golden, false))
}

/// The message for joints that differ by more than the tolerance, or `None` if there are none. `joints` are the current joints.
pub(super) fn pose(
    golden: &GoldenFile,
    joints: &Joints,
    differences: &[JointDifference],
    tolerance: &JointTolerance,
) -> Option<String> {
    let fails = |d: &&JointDifference| d.distance > tolerance.distance || d.angle > tolerance.angle;
    let mut failing: Vec<&JointDifference> = differences.iter().filter(fails).collect();
    let worst = failing.first()?;
    let mut text = format!(
        "pose \"{}\" differs from its golden: {} of {} joints are beyond the tolerance of {} and {}\n",
        golden.name,
        failing.len(),
        differences.len(),
        millimetres(tolerance.distance),
        degrees(tolerance.angle)
    );
    let _ = writeln!(text, "  {} moved the most, by {}", worst.name, millimetres(worst.distance));
    // A joint moves all its descendants. Files usually list parents first, so the joint that caused the movement comes first.
    let order: HashMap<&str, usize> = joints.nodes.iter().map(|j| j.name.as_str()).zip(0..).collect();
    failing.sort_by_key(|d| order.get(d.name.as_str()));
    let width = failing.iter().take(MAX_JOINTS).map(|d| d.name.chars().count()).max().unwrap_or(0).max(5);
    let _ = writeln!(text, "  {:width$}  {:>12}  {:>12}", "joint", "moved by", "turned by");
    for d in failing.iter().take(MAX_JOINTS) {
        let (moved, turned) = (millimetres(d.distance), degrees(d.angle));
        let _ = writeln!(text, "  {:width$}  {moved:>12}  {turned:>12}", d.name);
    }
    if failing.len() > MAX_JOINTS {
        let _ = writeln!(text, "  and {} more", failing.len() - MAX_JOINTS);
    }
    Some(text + &files(golden, false))
}

/// The message for an image that differs by more than the tolerance. `verdict` is the reason. `golden_machine` drew the
/// golden, and `machine` drew the image.
pub(super) fn image(
    golden: &GoldenFile,
    difference: &Difference,
    tolerance: &ImageTolerance,
    verdict: Option<&str>,
    golden_machine: Option<&str>,
    machine: Option<&str>,
) -> String {
    let (worst, [x, y]) = difference.worst;
    let mut text = format!(
        "image \"{}\" differs from its golden: {} pixels differ by more than {} levels, at most by {}\n",
        golden.name, difference.beyond, tolerance.levels, difference.largest
    );
    if let Some(verdict) = verdict {
        let _ = writeln!(text, "  {verdict}");
    }
    let _ = writeln!(text, "  mean FLIP error   {:.5} (limit {})", difference.mean, tolerance.mean);
    let _ = writeln!(text, "  worst tile        {worst:.5} (limit {}) at pixel {x},{y}", tolerance.worst);
    if golden_machine != machine {
        let name = |machine: Option<&str>| machine.unwrap_or("an unknown machine").to_owned();
        let _ = writeln!(text, "  golden drawn by   {}", name(golden_machine));
        let _ = writeln!(text, "  image drawn by    {}", name(machine));
    }
    text + &files(golden, true)
}

/// Lists the files of a failure, and explains how to accept the new one.
fn files(golden: &GoldenFile, has_difference: bool) -> String {
    let shown = |path: &Path| path.display().to_string();
    let mut text = format!("  golden  {}\n  new     {}\n", shown(&golden.path), shown(&golden.new_path()));
    if has_difference {
        let _ = writeln!(text, "  diff    {}", shown(&golden.difference_path()));
    }
    text + "To accept the new one, run the test again with SINEW_UPDATE=1."
}

fn millimetres(metres: f64) -> String {
    format!("{} mm", significant(metres * 1e3))
}

fn degrees(radians: f64) -> String {
    format!("{}°", significant(radians.to_degrees()))
}

/// Formats a number that may be small with about three significant digits.
fn significant(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        x if x >= 100.0 => format!("{value:.0}"),
        x if x >= 1.0 => format!("{value:.2}"),
        x if x >= 1e-3 => format!("{value:.4}"),
        _ => format!("{value:.1e}"),
    }
}
