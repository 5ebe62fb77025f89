//! Recorded sessions.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use sinew::viewer::{Recorder, Recording, Replay};

use crate::character::{FIGURE, check_finite};
use crate::format::{Format, file};
use crate::random::Random;
use crate::{mutate, session};

pub(crate) const FORMAT: Format = Format { name: "recording", inputs_per_round: 60, make, check };

/// Maximum length of a replay.
const MAX_LENGTH: Duration = Duration::from_secs(20);

/// The first lines of a recording of the built-in character: its header and the initial state.
static BEGINNING: LazyLock<String> = LazyLock::new(|| {
    let path = file("beginning.session", b"").expect("a temporary file");
    let mut session = session::begin();
    let recorder = Recorder::new(&path, true).expect("a recording");
    session.record(recorder, 1.0).expect("a recording");
    session.stop_recording().expect("a recording").expect("a recording");
    let text = std::fs::read_to_string(path).expect("a recording");
    // The last line has no command. Its time is the length of the recording.
    let lines: Vec<&str> = text.lines().collect();
    lines[..lines.len() - 1].join("\n")
});

fn make(random: &mut Random) -> Vec<u8> {
    let mut lines: Vec<String> = BEGINNING.lines().map(str::to_owned).collect();
    lines.extend(session::lines(random, 200));
    lines.push("{\"at\":9.5}".to_owned());
    for _ in 0..random.few(3) {
        let at = random.below(lines.len());
        let mut value = serde_json::from_str(&lines[at]).unwrap_or_default();
        mutate::json(&mut value, random);
        lines[at] = value.to_string();
    }
    let text = lines.join("\n") + "\n";
    if random.once_in(6) { mutate::text(&text, random).into_bytes() } else { text.into_bytes() }
}

fn check(bytes: &[u8]) -> Result<bool, String> {
    let path = file("input.session", bytes)?;
    let Ok(recording) = Recording::open(&path) else { return Ok(false) };
    let (character, rig) = &*FIGURE;
    let Ok(mut replay) = Replay::new(&recording, Arc::clone(character), rig.clone()) else {
        return Ok(false);
    };
    for time in [Duration::ZERO, recording.length().min(MAX_LENGTH) / 2, recording.length().min(MAX_LENGTH)] {
        if replay.advance(time).is_ok() {
            check_finite(replay.session().puppet().pose(), "in a replay")?;
        }
    }
    Ok(true)
}
