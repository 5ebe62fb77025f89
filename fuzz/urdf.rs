//! Robots in the URDF format.

use sinew::asset::load;

use crate::character::exercise;
use crate::format::{Format, file};
use crate::mutate;
use crate::random::Random;

pub(crate) const FORMAT: Format = Format { name: "urdf", inputs_per_round: 200, make, check };

/// A robot with all types of joints and shapes.
pub(crate) const ROBOT: &str = r#"<?xml version="1.0"?>
<robot name="r">
<material name="steel"><color rgba="0.5 0.5 0.6 1"/></material>
<link name="a"><visual><origin xyz="0 0 0.1" rpy="0 0.2 1"/><geometry><box size="0.4 0.2 0.1"/></geometry><material name="steel"/></visual></link>
<link name="b"><visual><geometry><cylinder radius="0.05" length="0.5"/></geometry></visual></link>
<link name="c"><visual><geometry><sphere radius="0.1"/></geometry><material name=""><color rgba="1 0 0 1"/></material></visual></link>
<link name="d"><visual><geometry><mesh filename="package://r/d.stl" scale="1 1 1"/></geometry></visual><collision><geometry><capsule radius="0.1" length="0.2"/></geometry></collision></link>
<link name="e"/><link name="f"/>
<joint name="1" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 0.05" rpy="0 0 1.5"/><axis xyz="0 1 0"/><limit lower="-1" upper="2" effort="1" velocity="1"/></joint>
<joint name="2" type="continuous"><parent link="b"/><child link="c"/><origin xyz="0 0 0.5"/><axis xyz="0 0 1"/></joint>
<joint name="3" type="prismatic"><parent link="c"/><child link="d"/><axis xyz="1 0 0"/><limit lower="0" upper="0.04" effort="1" velocity="1"/></joint>
<joint name="4" type="prismatic"><parent link="c"/><child link="e"/><axis xyz="-1 0 0"/><limit lower="0" upper="0.04" effort="1" velocity="1"/><mimic joint="3" multiplier="1" offset="0"/></joint>
<joint name="5" type="floating"><parent link="c"/><child link="f"/></joint>
</robot>
"#;

fn make(random: &mut Random) -> Vec<u8> {
    mutate::text(ROBOT, random).into_bytes()
}

fn check(bytes: &[u8]) -> Result<bool, String> {
    let Ok(character) = load(&file("input.urdf", bytes)?) else { return Ok(false) };
    exercise(character, None)?;
    Ok(true)
}
