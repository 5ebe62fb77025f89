//! `sinew style`, and `--method style`.

use crate::support::models;
use crate::{folder, json, refusal, sinew};

#[test]
fn a_style_is_learned_written_and_posed_in() {
    let Some(bvh) = models("bvh") else { return };
    let walk = bvh.join("pybvh/cmu_12_01_walk.bvh").display().to_string();
    let out = folder("style").join("walk.style.json").display().to_string();
    let output = sinew(["style", &walk, "--postures", "30", "-o", &out]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.contains("30 of"), "{said}");
    let reach = "LeftHand=0.3,1.0,0.4";
    let pose = json(["pose", &walk, "--method", "style", "--style", &out, "--reach", reach]);
    assert_eq!(
        (&pose["reports"][0]["method"], &pose["reports"][0]["outcome"]),
        (&"style".into(), &"reached".into())
    );
    // All of the figure is posed, not only the arm that reaches.
    let rest = json(["pose", &walk]);
    let turned = |name: &str| {
        let rotation = |pose: &serde_json::Value| {
            let nodes = pose["nodes"].as_array().unwrap();
            nodes.iter().find(|n| n["name"] == name).unwrap()["rotation"].clone()
        };
        rotation(&pose) != rotation(&rest)
    };
    assert!(turned("LeftArm") && turned("RightLeg") && turned("RightForeArm"));
    // Clips of another skeleton are put on this one first.
    let reach = ["pose", "--method", "style", "--style", &walk, "--reach", "leftFoot=0.1,0.1,0.4"];
    assert_eq!(json(reach)["reports"][0]["outcome"], "reached");
}

#[test]
fn what_is_no_style_is_refused() {
    let (reach, folder) = ("leftHand=0.3,1.0,0.4", folder("no-style"));
    let said = refusal(["pose", "--method", "style", "--reach", reach]);
    assert!(said.contains("needs a style"), "{said}");
    for (text, cause) in [
        ("{}", "missing field"),
        ("[1, 2", "it is no style"),
        (
            r#"{"format":"sinew-style-2","joints":[],"means":[],"centre":[],"scales":[],"beta":1,"gamma":1,"postures":[]}"#,
            "its format is \"sinew-style-2\"",
        ),
        (
            r#"{"format":"sinew-style-1","joints":["a"],"means":[],"centre":[],"scales":[],"beta":1,"gamma":1,"postures":[]}"#,
            "0 postures",
        ),
    ] {
        let path = folder.join("some.style.json");
        std::fs::write(&path, text).unwrap();
        let path = path.display().to_string();
        let said = refusal(["pose", "--method", "style", "--style", &path, "--reach", reach]);
        assert!(said.contains(cause) && said.contains("some.style.json"), "{said}");
    }
    // One frame teaches nothing.
    let still = folder.join("still.bvh");
    let text = "HIERARCHY\nROOT Hips\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\n\
                OFFSET 0 1 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n10 0 0\n";
    std::fs::write(&still, text).unwrap();
    let out = folder.join("out.json").display().to_string();
    let said = refusal(["style", &still.display().to_string(), "--units", "1", "-o", &out]);
    assert!(said.contains("still.bvh: learning: 1 postures"), "{said}");
    assert!(!folder.join("out.json").exists());
}
