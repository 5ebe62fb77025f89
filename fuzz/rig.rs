//! Rig files.

use sinew::ik::Method;
use sinew::puppet::Puppet;
use sinew::rig::file;

use crate::character::{FIGURE, check_rig_round_trip, sample, solve};
use crate::format::Format;
use crate::mutate;
use crate::random::Random;

pub(crate) const FORMAT: Format = Format { name: "rig", inputs_per_round: 150, make, check };

const SMALL: &str = r#"version = 1
pins = ["leftFoot"]

[[chain]]
effector = "leftHand"
base = "leftUpperArm"
name = "left arm"
kind = "arm"
bend = [0, 0, -1]
pole = [0.3, 1.0, -2.0]
weight = 1.0

[[chain]]
effector = "rightHand"
base = "hips"

[[joint]]
node = "leftLowerArm"
logical_parent = "leftUpperArm"
stiffness = 0.2
limit = { kind = "hinge", axis = [1, 0, 0], min = 0, max = 150 }

[[joint]]
node = "spine"
limit = { kind = "cone", axis = [0, 1, 0], side = [1, 0, 0], swing = [20, 30], twist = [-20, 20] }

[[joint]]
node = "rightLowerArm"
limit = { kind = "euler", order = "xyz", min = [-10, -20, -30], max = [10, 20, 30] }
"#;

fn make(random: &mut Random) -> Vec<u8> {
    let seed = if random.once_in(4) { sinew::asset::MANNEQUIN_RIG } else { SMALL };
    mutate::text(seed, random).into_bytes()
}

fn check(bytes: &[u8]) -> Result<bool, String> {
    let (character, _) = &*FIGURE;
    let Ok(rig) = file::read(&String::from_utf8_lossy(bytes), &character.skeleton) else { return Ok(false) };
    check_rig_round_trip(&rig, character)?;
    let mut puppet = Puppet::with_rig(character.clone(), 0, rig);
    sample(&mut puppet)?;
    solve(&mut puppet, &[Method::Auto, Method::FullBody, Method::Ccd, Method::TwoBone])?;
    Ok(true)
}
