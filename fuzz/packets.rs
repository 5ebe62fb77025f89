//! Packet files for live capture. The check decodes their OSC messages and poses a character that follows them.

use std::path::Path;
use std::time::Duration;

use sinew::capture::vmc::{LiveCharacter, PacketFile, PacketWriter, Performer, decode};
use sinew::pose::Pose;
use sinew::rig::humanoid;

use crate::character::{FIGURE, check_finite};
use crate::format::Format;
use crate::random::Random;

pub(crate) const FORMAT: Format = Format { name: "packets", inputs_per_round: 900, make, check };

/// Encodes a message of the protocol with string and float arguments.
fn message(address: &str, texts: &[&str], floats: &[f32]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut text = |text: &str| {
        bytes.extend(text.as_bytes());
        bytes.push(0);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    };
    text(address);
    text(&format!(",{}{}", "s".repeat(texts.len()), "f".repeat(floats.len())));
    texts.iter().for_each(|t| text(t));
    bytes.extend(floats.iter().flat_map(|x| x.to_be_bytes()));
    bytes
}

fn packet(random: &mut Random) -> Vec<u8> {
    let mut number = |scale: f64| {
        #[expect(clippy::cast_possible_truncation, reason = "the protocol has single precision")]
        let number = random.within(-scale, scale) as f32;
        number
    };
    let transform: Vec<f32> = (0..7).map(|_| number(1.0)).collect();
    let one = number(1.0);
    let bone =
        random.choose(&["Hips", "Spine", "Head", "LeftUpperArm", "LeftLowerArm", "RightHand", "Tail", ""]);
    let mut bytes = match random.below(8) {
        0 => message("/VMC/Ext/Root/Pos", &["root"], &transform),
        1 => message("/VMC/Ext/Blend/Val", &["Joy"], &[one]),
        2 => message("/VMC/Ext/Blend/Apply", &[], &[]),
        3 => message("/VMC/Ext/T", &[], &[one]),
        4 => message("/VMC/Ext/Tra/Pos", &[bone], &transform),
        5 => message("/position", &[bone], &transform),
        _ => message("/VMC/Ext/Bone/Pos", &[bone], &transform),
    };
    for _ in 0..random.below(3) {
        let length = u32::try_from(bytes.len()).unwrap_or(0).to_be_bytes();
        bytes = [&b"#bundle\0\0\0\0\0\0\0\0\x01"[..], &length, &bytes].concat();
    }
    match random.below(3) {
        0 => random.mutate_bytes(&mut bytes),
        1 => {
            let at = random.below(bytes.len()) & !3;
            let odd = [f32::NAN, f32::INFINITY, 1e38, 1e-40, 0.0][random.below(5)];
            if let Some(four) = bytes.get_mut(at..).and_then(|b| b.first_chunk_mut()) {
                *four = odd.to_be_bytes();
            }
        }
        _ => {}
    }
    bytes
}

fn make(random: &mut Random) -> Vec<u8> {
    let mut writer = PacketWriter::new(Vec::new()).expect("writing to a vector cannot fail");
    for number in 0..1 + random.below(12) {
        let time = Duration::from_millis(u64::try_from(number).unwrap_or(0) * 10);
        writer.write(time, &packet(random)).expect("writing to a vector cannot fail");
    }
    let mut bytes = writer.into_inner();
    if random.once_in(8) {
        random.mutate_bytes(&mut bytes);
    }
    bytes
}

fn check(bytes: &[u8]) -> Result<bool, String> {
    let Ok(file) = PacketFile::parse(Path::new("input.packets"), bytes) else { return Ok(false) };
    let character = &FIGURE.0;
    let bones = humanoid(character).unwrap_or_default();
    let mut live = LiveCharacter::new(character, &bones).map_err(|e| format!("live: {e}"))?;
    let (mut performer, mut pose) = (Performer::default(), Pose::rest(&character.skeleton));
    let mut events = Vec::new();
    for (_, packet) in &file.packets {
        events.clear();
        if decode(packet, &mut events).is_ok() {
            events.drain(..).for_each(|event| performer.update(event));
            live.pose(&performer, &mut pose);
            check_finite(&pose, "after a packet")?;
            live.level(&performer);
        }
    }
    Ok(true)
}
