//! Robots in URDF files.

use std::fs;

use crate::{folder, json, refusal, stdout};

/// An arm of two hinges, which turn by at most 1 rad, on a turning base.
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
    // The axes of the joints are kept: the first turns about the vertical, and the others bend the arm in one plane.
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
