//! Writes the measured differences of a suite's cases as CSV. The differences help to choose tolerances.

use super::run::Outcome;
use super::suite::Suite;

/// The columns of the table.
///
/// `digest` is a CRC-32 of the image's RGBA bytes. `off_N` counts the pixels that differ by N levels of 255 in their
/// most different channel, and `largest` is the largest such difference. `beyond` counts the pixels that FLIP judges.
/// `mean` is the mean FLIP error of the image, and `worst` the mean of its worst tile. `metres` and `radians` are the
/// largest differences of any joint.
const COLUMNS: &str =
    "case,status,rule,digest,off_1,off_2,off_3,off_4_up,largest,beyond,mean,worst,metres,radians";

/// Returns the outcomes as CSV with a header. The image columns are empty if a case compares no image. If its golden is missing
/// or has a different size, only `digest` has a value. The columns of the joints are empty if a case compares no joints, or if
/// its golden is missing or contains different nodes.
pub fn csv(suite: &Suite, outcomes: &[Outcome]) -> String {
    let mut text = format!("{COLUMNS}\n");
    for outcome in outcomes {
        let Some(case) = suite.cases.get(outcome.case) else { continue };
        let digest = outcome.digest.map(|d| format!("{d:08x}")).unwrap_or_default();
        let (rule, image) = outcome.difference.as_ref().map_or_else(
            || ("", ",".repeat(7)),
            |d| {
                let ([one, two, three, more], worst) = (d.off, d.worst.0);
                let values =
                    format!("{one},{two},{three},{more},{},{},{},{worst}", d.largest, d.beyond, d.mean);
                (d.rule().name(), values)
            },
        );
        let largest = |value: fn(&super::JointDifference) -> f64| {
            outcome.joints.iter().map(value).reduce(f64::max).map(|x| x.to_string()).unwrap_or_default()
        };
        text.push_str(&format!(
            "{},{},{rule},{digest},{image},{},{}\n",
            case.slug,
            outcome.status.name(),
            largest(|j| j.distance),
            largest(|j| j.angle)
        ));
    }
    text
}
