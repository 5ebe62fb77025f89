//! Robots in URDF files.

use std::fs;

use crate::{folder, json, refusal, stdout};

/// An arm with a turning base and two hinges, which turn by at most 1 rad.
const ARM: &str = r#"<robot name="arm">
<link name="base"><visual><geometry><box size="0.3 0.3 0.1"/></geometry></visual></link>
<link name="turret"><visual><geometry><cylinder radius="0.1" length="0.2"/></geometry></visual></link>
<link name="upper"><visual><origin xyz="0 0 0.25"/><geometry><box size="0.1 0.1 0.5"/></geometry></visual></link>
<link name="fore"><visual><origin xyz="0 0 0.25"/><geometry><box size="0.08 0.08 0.5"/></geometry></visual></link>
<link name="tool"/>
<joint name="j1" type="continuous"><parent link="base"/><child link="turret"/><axis xyz="0 0 1"/></joint>
<joint name="j2" type="revolute"><parent link="turret"/><child link="upper"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="j3" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="0 0 0.5"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="j4" type="fixed"><parent link="fore"/><child link="tool"/><origin xyz="0 0 0.5"/></joint>
</robot>"#;

#[test]
fn a_robot_reaches_within_the_limits_of_its_joints() {
    let folder = folder("urdf");
    let robot = folder.join("arm.urdf");
    fs::write(&robot, ARM).unwrap();
    let robot = robot.to_str().unwrap();
    let near = json(["pose", robot, "--reach", "tool=0.3,0.75,0.4"]);
    assert_eq!(near["reports"][0]["outcome"], "reached", "{}", near["reports"]);
    // The joints keep their axes: the first turns about the vertical, and the others bend the arm in one plane.
    let far = json(["pose", robot, "--reach", "tool=0.0,-0.9,0.2"]);
    assert_ne!(far["reports"][0]["outcome"], "reached", "the elbow bends by at most 57 degrees");
    let image = folder.join("arm.png");
    stdout([
        "render",
        robot,
        "--reach",
        "tool=0.3,0.75,0.4",
        "--resolution",
        "80,60",
        "-o",
        image.to_str().unwrap(),
    ]);
    assert!(image.exists());
    let copy = folder.join("copy.glb");
    let line = refusal(["pose", robot, "-o", copy.to_str().unwrap()]);
    assert_eq!(line, format!("{robot}: only glTF and BVH files have copies; write the pose as .json"));
    assert!(!copy.exists());
}

/// Returns the numbers in a JSON array.
fn numbers(value: &serde_json::Value) -> Vec<f64> {
    value.as_array().into_iter().flatten().filter_map(serde_json::Value::as_f64).collect()
}

#[test]
fn joint_values_are_written_and_read() {
    let folder = folder("urdf-q");
    let robot = folder.join("arm.urdf");
    fs::write(&robot, ARM).unwrap();
    let robot = robot.to_str().unwrap();
    let q = folder.join("q.csv");
    let q = q.to_str().unwrap();
    stdout(["pose", robot, "--reach", "tool=0.3,0.75,0.4", "-o", q]);
    let text = fs::read_to_string(q).unwrap();
    assert!(text.starts_with("time,j1,j2,j3\n0,"), "{text}");
    let posed = json(["pose", robot, "--q", q]);
    let tool = numbers(&posed["nodes"][4]["world"]);
    let away = [tool[12] - 0.3, tool[13] - 0.75, tool[14] - 0.4];
    assert!(away.iter().all(|d| d.abs() < 1e-3), "{away:?}");
    // The same target in the robot's own frame.
    let framed = json(["pose", robot, "--robot-frame", "--reach", "tool=0.4,0.3,0.75"]);
    for name in ["j1", "j2", "j3"] {
        let values = [&posed, &framed].map(|pose| pose["q"][name].as_f64().unwrap());
        assert!((values[0] - values[1]).abs() < 1e-4, "{name}: {values:?}");
    }
    let tool = numbers(&framed["nodes"][4]["world"]);
    assert!((tool[12] - 0.4).abs() < 1e-3 && (tool[14] - 0.75).abs() < 1e-3, "{tool:?}");
    // Values under the key q of a pose are also read.
    let file = folder.join("pose.json");
    fs::write(&file, framed.to_string()).unwrap();
    let again = json(["pose", robot, "--q", file.to_str().unwrap()]);
    assert!((again["q"]["j2"].as_f64().unwrap() - framed["q"]["j2"].as_f64().unwrap()).abs() < 1e-6);
}

#[test]
fn paths_of_joint_values_are_baked() {
    let folder = folder("urdf-path");
    let robot = folder.join("arm.urdf");
    fs::write(&robot, ARM).unwrap();
    let (robot, path, out) = (robot.to_str().unwrap(), folder.join("path.csv"), folder.join("out.csv"));
    fs::write(&path, "time,j1,j2\n0,0,0\n0.5,2,0.5\n1,4,0.5\n").unwrap();
    let (path, out) = (path.to_str().unwrap(), out.to_str().unwrap());
    stdout(["bake", robot, "--q", path, "--fps", "10", "-o", out]);
    let text = fs::read_to_string(out).unwrap();
    let rows: Vec<Vec<f64>> =
        text.lines().skip(1).map(|line| line.split(',').map(|n| n.parse().unwrap()).collect()).collect();
    assert_eq!(rows.len(), 11, "{text}");
    // The turret keeps turning beyond half a turn.
    assert!((rows[10][1] - 4.0).abs() < 1e-4 && (rows[10][2] - 0.5).abs() < 1e-4, "{text}");
    fs::write(path, "time,j9\n0,0\n").unwrap();
    let line = refusal(["pose", robot, "--q", path]);
    let cause = "joint \"j9\" has no value in q; did you mean \"j1\" or \"j2\" or \"j3\"?";
    assert_eq!(line, format!("--q {path}: {cause}"));
    let line = refusal(["pose", "--q", path]);
    assert_eq!(
        line,
        format!("--q {path}: the character has no joints with values; robots are read from .urdf files")
    );
}

/// Regression: a robot whose zero pose is outside its limits was drawn and solved in that pose.
#[test]
fn robots_open_within_their_limits() {
    let folder = folder("urdf-limits");
    let robot = folder.join("arm.urdf");
    fs::write(&robot, ARM.replace("lower=\"-1\"", "lower=\"0.3\"")).unwrap();
    let robot = robot.to_str().unwrap();
    for reach in ["tool=0.3,0.75,0.4", "tool=0,0.2,0"] {
        let pose = json(["pose", robot, "--reach", reach]);
        for name in ["j2", "j3"] {
            let value = pose["q"][name].as_f64().unwrap();
            assert!((0.3..=1.0).contains(&value), "{reach}, {name}: {value}");
        }
    }
    let lines = stdout(["inspect", robot]);
    assert!(lines.contains("joint       j2: moves upper, 0.3000 to 1.0000 rad"), "{lines}");
    assert!(lines.contains("tip         tool: 3 joints, reach at most 1.000 m"), "{lines}");
}
