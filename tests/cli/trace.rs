//! `sinew pose --trace`.

use std::fs;

use serde_json::Value;

use crate::{MANNEQUIN, folder, json, refusal, sinew, stdout};

const HEADER: &str = "step,solve,effectors,method,start,iteration,kind,joint,node,sign,axis_x,axis_y,axis_z,angle_deg,\
    distance_m,error_m,error_deg,lower_m,upper_m";

/// Returns the cells of a trace, without its header.
fn rows(text: &str) -> Vec<Vec<&str>> {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some(HEADER));
    lines.map(|line| line.split(',').collect()).collect()
}

fn number(cell: &str) -> f64 {
    cell.parse().unwrap_or_else(|_| panic!("{cell:?} is not a number"))
}

#[test]
fn every_step_is_a_row_and_the_last_one_has_the_error_of_the_result() {
    let path = folder("trace").join("steps.csv");
    for method in ["ccd", "dls", "fabrik", "two-bone", "full-body"] {
        let base = if method == "two-bone" { "leftUpperArm" } else { "spine" };
        let reach = "leftHand=0.35,1.5,0.35";
        let plain = ["pose", "--base", base, "--reach", reach, "--method", method];
        let [a, b, c, d, e, f, g] = plain;
        let mut traced = json([a, b, c, d, e, f, g, "--trace", path.to_str().unwrap()]);
        let mut untraced = json(plain);
        for pose in [&mut traced, &mut untraced] {
            pose["reports"][0]["seconds"] = Value::Null;
        }
        assert_eq!(traced, untraced, "{method}: a trace must not change the pose");
        let text = fs::read_to_string(&path).unwrap();
        let rows = rows(&text);
        assert!(rows.len() > 1, "{method}");
        for (index, row) in rows.iter().enumerate() {
            assert_eq!(row.len(), HEADER.split(',').count(), "{row:?}");
            assert_eq!((row[0], row[1]), ((index + 1).to_string().as_str(), "0"));
            assert_eq!((row[2], row[3]), ("leftHand", method));
            let axis = [10, 11, 12].map(|i| number(row[i]));
            let length = axis.iter().map(|x| x * x).sum::<f64>();
            assert!((length - 1.0).abs() < 1e-9, "{row:?}");
            assert!((0.0..=180.0).contains(&number(row[13])) && row[14] == "0", "{row:?}");
            assert_eq!(traced["nodes"][row[8].parse::<usize>().unwrap()]["name"], row[7]);
            assert_eq!(row[16], "", "the goal has no orientation");
        }
        let last = number(rows.last().unwrap()[15]);
        let error = traced["reports"][0]["position_error"].as_f64().unwrap();
        // The pose in the file has single precision.
        assert!((last - error).abs() < 1e-5, "{method}: {last} {error}");
    }
}

#[test]
fn solves_are_numbered_and_orientations_have_their_own_error() {
    // The whole body would meet both goals in one solve.
    let reach = ["pose", "--method", "dls", "--reach", "leftHand=0.4,1.4,0.3", "--orient", "head=0,0.3,0,1"];
    let [a, b, c, d, e, f, g] = reach;
    let path = folder("trace-two").join("pose.json");
    let text = stdout([a, b, c, d, e, f, g, "--trace", "-", "-o", path.to_str().unwrap()]);
    let rows = rows(&text);
    let of = |solve: &str| rows.iter().filter(|r| r[1] == solve).cloned().collect::<Vec<_>>();
    let (hand, head) = (of("0"), of("1"));
    assert!(!hand.is_empty() && !head.is_empty() && hand.len() + head.len() == rows.len(), "{text}");
    assert!(hand.iter().all(|r| r[2] == "leftHand" && !r[15].is_empty() && r[16].is_empty()), "{text}");
    assert!(head.iter().all(|r| r[2] == "head" && r[7] == "head" && r[15].is_empty()), "{text}");
    assert!(number(head.last().unwrap()[16]) < 0.06, "{text}");
}

/// The hips have no joint above them, so the whole figure moves.
#[test]
fn a_translation_of_the_root_is_a_step() {
    let path = folder("trace-root").join("pose.json");
    let goal = ["pose", "--method", "full-body", "--reach", "hips=0.1,0.85,0", "--trace", "-", "-o"];
    let [a, b, c, d, e, f, g, h] = goal;
    let text = stdout([a, b, c, d, e, f, g, h, path.to_str().unwrap()]);
    let rows = rows(&text);
    let moved: f64 = rows.iter().filter(|r| r[7] == "hips").map(|r| number(r[14]) * number(r[10])).sum();
    assert!((moved - 0.1).abs() < 1e-3, "{text}");
}

/// The path from the left foot to the right hand leads up to the hips and down again (`FindJointPath` of Oshita's lecture).
#[test]
fn joints_on_the_way_up_have_the_sign_minus_one() {
    let path = folder("trace-signs").join("pose.json");
    let (reach, out) = ("rightHand=-0.3,1.3,0.3", path.to_str().unwrap());
    let text = stdout([
        "pose", "--base", "leftFoot", "--reach", reach, "--method", "ccd", "--trace", "-", "-o", out,
    ]);
    let signs = |joint: &str| {
        rows(&text).into_iter().filter(|r| r[7] == joint).map(|r| r[9].to_owned()).collect::<Vec<_>>()
    };
    for (joint, sign) in
        [("leftLowerLeg", "-1"), ("leftUpperLeg", "-1"), ("spine", "1"), ("rightLowerArm", "1")]
    {
        let signs = signs(joint);
        assert!(!signs.is_empty() && signs.iter().all(|s| s == sign), "{joint}: {signs:?}");
    }
}

#[test]
fn the_springs_of_the_particles_are_steps() {
    let path = folder("trace-springs").join("pose.json");
    let (reach, out) = ("leftHand=0.35,1.5,0.35", path.to_str().unwrap());
    let [textbook, limits] = ["textbook=true", "limits=false"];
    let text = stdout([
        "pose",
        "--base",
        "leftUpperArm",
        "--reach",
        reach,
        "--method",
        "particle",
        "--option",
        textbook,
        "--option",
        limits,
        "--iterations",
        "2",
        "--trace",
        "-",
        "-o",
        out,
    ]);
    let kinds: Vec<&str> = rows(&text).iter().map(|r| r[6]).collect();
    assert_eq!(kinds, ["pull", "spring", "spring", "pull", "spring", "spring", "fit", "fit"], "{text}");
    for row in rows(&text) {
        assert_eq!(
            row[17].split(';').count() == 3 && row[18].split(';').count() == 3,
            row[6] != "fit",
            "{row:?}"
        );
    }
}

#[test]
fn a_method_without_a_founding_document_has_no_textbook() {
    for method in ["fabrik", "sdls", "optimize", "full-body", "auto"] {
        let error = refusal([
            "pose",
            "--reach",
            "leftHand=0.35,1.5,0.35",
            "--method",
            method,
            "--option",
            "textbook=true",
        ]);
        assert!(
            error.contains("textbook=true needs a method of a founding document: ccd"),
            "{method}: {error}"
        );
    }
}

#[test]
fn a_trace_without_goals_has_only_a_header() {
    let path = folder("trace-empty").join("pose.json");
    assert_eq!(stdout(["pose", "--trace", "-", "-o", path.to_str().unwrap()]), format!("{HEADER}\n"));
}

#[test]
fn the_trace_must_not_overwrite_an_input_or_the_pose() {
    let folder = folder("trace-refused");
    let (model, same) = (folder.join("model.csv"), folder.join("a.csv"));
    fs::copy(MANNEQUIN, &model).unwrap();
    let model = model.to_str().unwrap();
    let error = refusal(["pose", MANNEQUIN, "--clips", model, "--trace", model]);
    assert!(error.contains("output would overwrite an input"), "{error}");
    assert!(fs::read(model).unwrap() == fs::read(MANNEQUIN).unwrap());
    let cause = "the trace and the pose would both go to stdout; add --output FILE";
    assert_eq!(refusal(["pose", "--trace", "-"]), format!("--trace -: {cause}"));
    assert_eq!(
        refusal(["pose", "--trace", "/dev/stdout", "-o", "-"]),
        format!("--trace /dev/stdout: {cause}")
    );
    let cause = "unknown file type; use .csv";
    assert_eq!(refusal(["pose", "--trace", "steps.txt"]), format!("--trace steps.txt: {cause}"));
    let missing = folder.join("missing").join("steps.csv");
    let output = sinew(["pose", "--trace", missing.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty(), "nothing is written if the trace cannot be");
    // An existing file is replaced.
    fs::write(&same, "old").unwrap();
    json(["pose", "--trace", same.to_str().unwrap()]);
    assert_eq!(fs::read_to_string(&same).unwrap(), format!("{HEADER}\n"));
}

#[test]
fn help_describes_the_trace() {
    let help = stdout(["pose", "--help"]);
    assert!(help.contains("--trace <OUT.csv>") && help.contains("angle in degrees"), "{help}");
    assert!(!stdout(["render", "--help"]).contains("--trace"));
}
