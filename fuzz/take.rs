//! Motion capture takes as CSV.

use std::path::Path;

use sinew::capture::{Smoothing, TakeOptions, parse_csv, write_csv};
use sinew::motion::Motion;
use sinew::rig::humanoid;

use crate::character::{FIGURE, figure, sample};
use crate::format::Format;
use crate::mutate;
use crate::random::Random;

pub(crate) const FORMAT: Format = Format { name: "take", inputs_per_round: 600, make, check };

const SEED: &str = "time,hips.x,hips.y,hips.z,chest.qx,chest.qy,chest.qz,chest.qw,leftHand.x,leftHand.y,leftHand.z,\
leftLowerArm.x,leftLowerArm.y,leftLowerArm.z\n0,0,1,0,0,0,0,1,0.5,1.2,0,0.3,1.3,0\n0.1,0,1,0.1,0,0.6,0,0.8,0.5,1.3,0.1,,,\n\
0.2,0,1,0.2,,,,,nan,nan,nan,0.3,1.3,0.1\n0.3,0.1,1,0.3,0.1,0,0,0.9,0.6,1.2,0,0.3,1.2,0\n";

fn make(random: &mut Random) -> Vec<u8> {
    mutate::text(SEED, random).into_bytes()
}

fn check(bytes: &[u8]) -> Result<bool, String> {
    let Ok(take) = parse_csv(Path::new("input.csv"), &String::from_utf8_lossy(bytes)) else {
        return Ok(false);
    };
    match parse_csv(Path::new("written.csv"), &write_csv(&take)) {
        Ok(reread) if reread == take => {}
        Ok(_) => return Err("written take differs: reading it gives another take".to_owned()),
        Err(cause) => return Err(format!("written take rejected: {cause}")),
    }
    let character = &FIGURE.0;
    let bones = humanoid(character).unwrap_or_default();
    let smoothed = TakeOptions::default()
        .with_smooth_positions(Smoothing::POSITIONS)
        .with_smooth_orientations(Smoothing::ORIENTATIONS);
    for options in [TakeOptions::default(), smoothed] {
        let Ok(captured) = take.clip(&character.skeleton, &bones, &options) else { continue };
        let mut puppet = figure();
        puppet.add_clips([captured.clip]);
        puppet.motion = Motion::clip(puppet.character().clips.len() - 1);
        sample(&mut puppet)?;
    }
    Ok(true)
}
