//! What the messages of the protocol say, in sinew's spaces.

use glam::{Quat, Vec3};
use rosc::OscType;

use super::osc::messages;
use super::{Bone, PacketError};

/// Farther than this from the origin, in metres, a place is none.
const FARTHEST: f32 = 1e4;
/// The longest name of a morph, bytes.
const LONGEST_NAME: usize = 64;

/// A message of the VMC protocol. Spaces are VRM 1.0's: right-handed, metres, +Y up, a figure faces +Z and has its left on +X.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// `/VMC/Ext/OK`: whether the sender has a model loaded.
    Ready(bool),
    /// `/VMC/Ext/T`: the sender's clock, seconds.
    Time(f32),
    /// `/VMC/Ext/Root/Pos`: where the model stands.
    Root(Vec3, Quat),
    /// `/VMC/Ext/Bone/Pos`: a bone's local position and rotation; rotations are the identity in the T-pose.
    Bone(Bone, Vec3, Quat),
    /// `/VMC/Ext/Blend/Val`: a morph's weight, 0 to 1, by its name in small letters; it holds from the next [`Event::Apply`] on.
    Morph(String, f32),
    /// `/VMC/Ext/Blend/Apply`: the weights since the last one hold now.
    Apply,
}

/// Reads a packet: all of its messages that concern a figure, added to `events` in their order. Others (cameras, lights, bones that
/// Unity does not have) are passed over. Gives how many it added.
///
/// # Errors
/// [`PacketError`]: the packet is to be dropped; `events` is then as it was.
pub fn decode(packet: &[u8], events: &mut Vec<Event>) -> Result<usize, PacketError> {
    let before = events.len();
    let known =
        |address: &str| address.starts_with("/VMC/Ext/") && KNOWN.iter().any(|k| address.ends_with(k));
    let read = messages(packet, known, |address, arguments| {
        let bad = || PacketError::Arguments { address: address.to_owned() };
        events.extend(event(address, arguments).map_err(|()| bad())?);
        Ok(())
    });
    if let Err(error) = read {
        events.truncate(before);
        return Err(error);
    }
    Ok(events.len() - before)
}

/// The addresses that are read.
const KNOWN: [&str; 6] = [
    "/VMC/Ext/OK",
    "/VMC/Ext/T",
    "/VMC/Ext/Root/Pos",
    "/VMC/Ext/Bone/Pos",
    "/VMC/Ext/Blend/Val",
    "/VMC/Ext/Blend/Apply",
];

fn event(address: &str, arguments: Vec<OscType>) -> Result<Option<Event>, ()> {
    let numbers = |from: usize| -> Result<[f32; 7], ()> {
        let mut out = [0.0; 7];
        for (out, argument) in out.iter_mut().zip(arguments.get(from..from + 7).ok_or(())?) {
            *out = number(argument)?;
        }
        Ok(out)
    };
    Ok(Some(match address {
        "/VMC/Ext/OK" => match arguments.first() {
            Some(OscType::Int(loaded)) => Event::Ready(*loaded != 0),
            _ => return Err(()),
        },
        "/VMC/Ext/T" => Event::Time(number(arguments.first().ok_or(())?)?),
        "/VMC/Ext/Root/Pos" => {
            let (position, rotation) = transform(numbers(1)?)?;
            Event::Root(position, rotation)
        }
        "/VMC/Ext/Bone/Pos" => {
            let Some(OscType::String(name)) = arguments.first() else { return Err(()) };
            let (position, rotation) = transform(numbers(1)?)?;
            let Some(bone) = Bone::from_unity(name) else { return Ok(None) };
            Event::Bone(bone, position, rotation)
        }
        "/VMC/Ext/Blend/Val" => {
            let weight = number(arguments.get(1).ok_or(())?)?.clamp(0.0, 1.0);
            match arguments.into_iter().next() {
                Some(OscType::String(name)) if name.len() <= LONGEST_NAME => {
                    Event::Morph(name.to_lowercase(), weight)
                }
                _ => return Err(()),
            }
        }
        "/VMC/Ext/Blend/Apply" => Event::Apply,
        _ => return Ok(None),
    }))
}

/// Some senders write whole numbers as such.
fn number(argument: &OscType) -> Result<f32, ()> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "poses are in single precision"
    )]
    let number = match argument {
        OscType::Float(x) => *x,
        OscType::Double(x) => *x as f32,
        OscType::Int(x) => *x as f32,
        _ => return Err(()),
    };
    if number.is_finite() { Ok(number) } else { Err(()) }
}

/// From Unity's left-handed space, where a figure's left is on −X: mirrored in x. A mirror turns a rotation's axis about,
/// but for the part across the mirror.
fn transform([x, y, z, qx, qy, qz, qw]: [f32; 7]) -> Result<(Vec3, Quat), ()> {
    let (position, rotation) = (Vec3::new(-x, y, z), Quat::from_xyzw(qx, -qy, -qz, qw));
    let length = rotation.length();
    if position.abs().max_element() > FARTHEST || !length.is_finite() || length < 1e-3 {
        return Err(());
    }
    Ok((position, (rotation / length).normalize()))
}
