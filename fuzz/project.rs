//! Projects.

use std::sync::Arc;

use sinew::viewer::{Recording, Replay};

use crate::character::{FIGURE, check_finite};
use crate::format::{Format, file};
use crate::mutate;
use crate::random::Random;

pub(crate) const FORMAT: Format = Format { name: "project", inputs_per_round: 100, make, check };

const SEED: &str = r##"version = 1

[view]
width = 640
height = 480
target = [0.0, 0.9, 0.0]
distance = 3.0
yaw = 30.0
pitch = 10.0
radius = 1.0
shading = "lambert"
skinning = "dual-quaternion"
skeleton = true
time = 0.5
speed = -1.5
looping = false

[solver]
drag = "limb"
keep_goals = true
compare = ["ccd", "two-bone"]
options = { method = "full-body", iterations = 20 }

[pose]
base = "hips"
selected = "head"

[pose.joints]
hips = { translation = [0.0, 0.6, 0.0] }
head = { scale = [1.0, 1.1, 1.0] }
leftUpperArm = { rotation = [0.0, 0.0, 0.7071068, 0.7071068] }
"#4" = { rotation = [0.0, 0.6, 0.0, 0.8] }

[[goal]]
node = "leftHand"
base = "chest"
position = [0.3, 0.9, 0.3]
orientation = [0.0, 0.0, 0.0, 1.0]
weight = 0.5
axes = { frame = "world", position = { weights = [1.0, 0.0, 1.0], tolerance = [0.1, "free", 1.0] } }

[[goal]]
node = "head"
look = [0.0, 1.0, 4.0]
offset = [0.0, 0.1, 0.0]

[[pin]]
node = "leftFoot"

[[pin]]
node = "rightFoot"
position = [-0.1, 0.1, 0.0]
orientation = [0.0, 0.0, 0.0, 1.0]

[motion]
plant = true

[[motion.strip]]
clips = { "#0" = 0.7, "#1" = 0.3 }
looping = true
seconds = 2.0

[[motion.layer]]
clip = "#1"
mask = ["head"]
weight = 0.5
additive = true

[[motion.edit]]
time = 1.0
before = 0.3
after = 0.2
turn = { leftLowerArm = [10, 20, 30] }

[rig]
poles = { leftHand = [0.0, 1.0, -1.0], rightHand = "none" }

[rig.limits]
leftLowerLeg = { kind = "hinge", axis = [1, 0, 0], min = 0, max = 120 }
"##;

fn make(random: &mut Random) -> Vec<u8> {
    let mut text = mutate::text(SEED, random);
    // Many entries of one kind must not take long.
    if random.once_in(20) {
        let entry = [
            "[[goal]]\nnode = \"head\"\n",
            "[[pin]]\nnode = \"hips\"\n",
            "[[motion.layer]]\nclip = \"#0\"\n",
        ];
        text += &entry[random.below(entry.len())].repeat(random.below(400));
    }
    text.into_bytes()
}

fn check(bytes: &[u8]) -> Result<bool, String> {
    let (character, rig) = &*FIGURE;
    let path = file("input.sinew", bytes)?;
    let Ok(recording) = Recording::open(&path) else { return Ok(false) };
    let Ok(replay) = Replay::new(&recording, Arc::clone(character), rig.clone()) else { return Ok(false) };
    let mut session = replay.into_session();
    check_finite(session.puppet().pose(), "in a project")?;
    // An accepted project can be saved and opened again.
    let copy = path.with_file_name("copy.sinew");
    session.save_project(&copy, true).map_err(|e| format!("not saved: {e}"))?;
    let recording = Recording::open(&copy).map_err(|e| format!("a saved project is refused: {e}"))?;
    Replay::new(&recording, Arc::clone(character), rig.clone())
        .map_err(|e| format!("a saved project is refused: {e}"))?;
    Ok(true)
}
