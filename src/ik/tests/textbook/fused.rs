//! The fused method: Li & Peng, eqs. 3, 4 and 9 to 16.

use glam::DVec3;
use sinew_ik::{Correction, FusedOptions, Method, StepKind};

use super::{PLANAR_TARGET, Table, assert_table, passes, planar, solve};

/// The closed form alone, and followed by one or two differential steps with eqs. 15 and 16.
const MIDPOINT: [Table; 3] = [
    [[0.299697886, 0.013460209, 0.0], [0.222628128, 0.251284203, 0.0], [0.200000000, 0.450000000, 0.0]],
    [[0.299520518, 0.016954632, 0.0], [0.205939962, 0.248779306, 0.0], [0.200244894, 0.448698205, 0.0]],
    [[0.299399256, 0.018975920, 0.0], [0.203913015, 0.250022187, 0.0], [0.199996574, 0.449983837, 0.0]],
];
/// One and two differential steps with eq. 14.
const MID_ANGLE: [Table; 2] = [
    [[0.299208000, -0.021784695, 0.0], [0.395421126, 0.208959827, 0.0], [0.230534409, 0.322151571, 0.0]],
    [[0.299266732, 0.020962425, 0.0], [0.320412106, 0.270066566, 0.0], [0.201983236, 0.431232949, 0.0]],
];

#[test]
fn the_closed_form_and_the_interpolated_midpoint() {
    let own = FusedOptions::default().with_alpha(0.3).with_first_weight(0.9).with_last_weight(0.1);
    // The closed form alone reaches the target.
    let mut body = planar();
    let options = passes(Method::Fused, 1).with_fused(own).with_trace(true);
    let report = solve(&mut body, PLANAR_TARGET, &options);
    assert_table("Li & Peng, eqs. 3 and 4", &body, MIDPOINT[0]);
    let kinds: Vec<_> = report.trace.iter().map(|s| (s.kind, s.link.0)).collect();
    assert_eq!(kinds, [(StepKind::ClosedForm, 0), (StepKind::ClosedForm, 1)]);
}

#[test]
fn the_differential_steps() {
    let midpoint = FusedOptions::default().with_alpha(0.3).with_first_weight(0.9).with_last_weight(0.1);
    // Eq. 14 has no weights.
    let mid_angle = midpoint.with_correction(Correction::MidAngle);
    for (name, own, tables) in
        [("eqs. 15 and 16", midpoint, &MIDPOINT[1..]), ("eq. 14", mid_angle, &MID_ANGLE[..])]
    {
        for (steps, &table) in (1..).zip(tables) {
            let mut body = planar();
            // With this tolerance, the end of the closed form is not yet at the target.
            let options = passes(Method::Fused, 1 + steps).with_fused(own).with_tolerance(1e-300);
            let report = solve(&mut body, PLANAR_TARGET, &options);
            assert_table(&format!("Li & Peng, {name}, {steps}"), &body, table);
            assert_eq!(report.iterations, 1 + steps);
        }
    }
}

/// If the cosine of eq. 4 is not within ±1, the differential steps begin at once.
#[test]
fn out_of_reach_there_is_no_closed_form() {
    let mut body = planar();
    let options = passes(Method::Fused, 2).with_trace(true);
    let report = solve(&mut body, DVec3::new(0.9, 0.9, 0.0), &options);
    assert!(report.trace.iter().all(|step| step.kind == StepKind::Iteration && step.iteration == 2));
}
