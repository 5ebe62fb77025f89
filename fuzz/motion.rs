//! Motion files.

use std::path::Path;

use sinew::ik::Method;
use sinew::puppet::motion_file;

use crate::character::{FIGURE, figure, sample, solve};
use crate::format::Format;
use crate::mutate;
use crate::random::Random;

pub(crate) const FORMAT: Format = Format { name: "motion", inputs_per_round: 150, make, check };

const SEED: &str = r##"version = 1
plant = true

[[strip]]
clips = "#0"
looping = true
seconds = 2.0
speed = 1.5
from = 0.1

[[strip]]
clips = { "#0" = 0.7, "#1" = 0.3 }
overlap = 0.1
root_motion = "in-place"

[[strip]]
clips = ["#1"]
start = 2.5
speed = -1.0

[[layer]]
clip = "#1"
mask = ["left arm", "head"]
weight = 0.5
additive = true
speed = 0.5

[[edit]]
time = 1.0
before = 0.3
after = 0.2
turn = { leftLowerArm = [10, 20, 30] }
shift = { hips = [0.1, 0.0, 0.1] }

[[edit]]
time = 1.5
reach = { rightHand = [-0.45, 1.2, 0.35] }
"##;

fn make(random: &mut Random) -> Vec<u8> {
    mutate::text(SEED, random).into_bytes()
}

fn check(bytes: &[u8]) -> Result<bool, String> {
    let (character, rig) = &*FIGURE;
    // The seed names clips as `#0` and `#1`, which are replaced by the names of the character's clips.
    let name = |clip: usize| character.clips.get(clip).and_then(|c| c.name.clone()).unwrap_or_default();
    let text = String::from_utf8_lossy(bytes).replace("#0", &name(0)).replace("#1", &name(1));
    let Ok(motion) = motion_file::read(&text, Path::new("input.motion.toml"), character, rig) else {
        return Ok(false);
    };
    let mut puppet = figure();
    puppet.motion = motion;
    sample(&mut puppet)?;
    solve(&mut puppet, &[Method::Auto])?;
    Ok(true)
}
