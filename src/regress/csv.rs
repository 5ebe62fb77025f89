//! The measured differences of a suite's cases, one line each: what thresholds are chosen from.

use super::run::Outcome;
use super::suite::Suite;

/// The table's columns. `digest` is a CRC-32 of the image's RGBA bytes; `off_N` are pixels whose most different channel
/// is off by N levels of 255, and `largest` is the largest such difference; `beyond` counts the pixels that FLIP judges,
/// `mean` and `worst` are its errors; `metres` and `radians` belong to the joints that differ most.
const COLUMNS: &str =
    "case,status,rule,digest,off_1,off_2,off_3,off_4_up,largest,beyond,mean,worst,metres,radians";

/// The outcomes as CSV with a header. A case that compares no image, or whose golden is missing or has another size,
/// leaves the columns of the image empty; likewise those of the joints.
pub fn csv(suite: &Suite, outcomes: &[Outcome]) -> String {
    let mut text = format!("{COLUMNS}\n");
    for outcome in outcomes {
        let Some(case) = suite.cases.get(outcome.case) else { continue };
        let digest = outcome.digest.map(|d| format!("{d:08x}")).unwrap_or_default();
        let (rule, image) = outcome.difference.as_ref().map_or_else(
            || ("", ",".repeat(7)),
            |d| {
                let ([one, two, three, more], worst) = (d.off, d.worst.0);
                let figures =
                    format!("{one},{two},{three},{more},{},{},{},{worst}", d.largest, d.beyond, d.mean);
                (d.rule().name(), figures)
            },
        );
        let farthest = |of: fn(&super::JointDifference) -> f64| {
            outcome.joints.iter().map(of).reduce(f64::max).map(|x| x.to_string()).unwrap_or_default()
        };
        text.push_str(&format!(
            "{},{},{rule},{digest},{image},{},{}\n",
            case.slug,
            outcome.status.name(),
            farthest(|j| j.distance),
            farthest(|j| j.angle)
        ));
    }
    text
}
