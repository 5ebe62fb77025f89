//! Decodes the messages of the protocol and converts them to sinew's spaces.

use glam::{Quat, Vec3};
use rosc::OscType;

use super::osc::messages;
use super::{Bone, PacketError};

/// Maximum absolute coordinate of a position, in metres.
const MAX_COORDINATE: f32 = 1e4;
/// Maximum length of the name of a morph or a tracker, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// A message of the VMC protocol, or a plain position. Values are in the space of VRM 1.0, which is right-handed and in metres. +Y is
/// up, and a character faces +Z with its left on +X.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum VmcEvent {
    /// `/VMC/Ext/OK`: whether the sender has a model loaded.
    Ready(bool),
    /// `/VMC/Ext/T`: the sender's time in seconds.
    Time(f32),
    /// `/VMC/Ext/Root/Pos`: position and rotation of the model.
    Root(Vec3, Quat),
    /// `/VMC/Ext/Bone/Pos`: a bone's local position and rotation. Rotations are the identity in the T-pose.
    Bone(Bone, Vec3, Quat),
    /// `/VMC/Ext/Hmd/Pos`, `/VMC/Ext/Con/Pos` or `/VMC/Ext/Tra/Pos`: the serial number of a headset, controller or tracker, and its
    /// position. Or `/position`: the name of a joint or a tracker, and its position.
    Tracker(String, Vec3),
    /// `/VMC/Ext/Blend/Val`: a morph's name in lower case and its weight from 0 to 1. The next [`VmcEvent::Apply`]
    /// applies it.
    Morph(String, f32),
    /// `/VMC/Ext/Blend/Apply`: applies the weights that were received since the last such message.
    Apply,
}

/// Decodes a packet, and appends its messages about the character to `events` in the order of the packet. Other
/// messages (cameras, lights, bones that Unity does not have) are skipped. Returns the number of events that were
/// added.
///
/// ```
/// use sinew_character::capture::vmc::{VmcEvent, decode};
///
/// // An OSC message: the address, the type of its argument, and the argument.
/// let packet = b"/VMC/Ext/T\0\0,f\0\0\x3f\x80\0\0";
/// let mut events = Vec::new();
/// assert_eq!(decode(packet, &mut events)?, 1);
/// assert_eq!(events, [VmcEvent::Time(1.0)]);
/// assert!(decode(b"no packet", &mut events).is_err());
/// # Ok::<(), sinew_character::capture::vmc::PacketError>(())
/// ```
///
/// # Errors
/// [`PacketError`] if the packet is not valid and must be dropped. `events` is then unchanged.
pub fn decode(packet: &[u8], events: &mut Vec<VmcEvent>) -> Result<usize, PacketError> {
    let before = events.len();
    let known = |address: &str| KNOWN.contains(&address) || address.starts_with(POSITION_OF);
    let read = messages(packet, known, |address, arguments| {
        let bad = || PacketError::Arguments { address: address.chars().take(MAX_NAME_BYTES).collect() };
        events.extend(event(address, &arguments).map_err(|()| bad())?);
        Ok(())
    });
    if let Err(error) = read {
        events.truncate(before);
        return Err(error);
    }
    Ok(events.len() - before)
}

/// The addresses of the messages that are decoded.
const KNOWN: [&str; 10] = [
    "/VMC/Ext/OK",
    "/VMC/Ext/T",
    "/VMC/Ext/Root/Pos",
    "/VMC/Ext/Bone/Pos",
    "/VMC/Ext/Hmd/Pos",
    "/VMC/Ext/Con/Pos",
    "/VMC/Ext/Tra/Pos",
    "/position",
    "/VMC/Ext/Blend/Val",
    "/VMC/Ext/Blend/Apply",
];

/// The prefix of a position address. The name of the position follows it.
const POSITION_OF: &str = "/position/";

fn event(address: &str, arguments: &[OscType]) -> Result<Option<VmcEvent>, ()> {
    let numbers = |from: usize| -> Result<[f32; 7], ()> {
        let mut out = [0.0; 7];
        for (out, argument) in out.iter_mut().zip(arguments.get(from..from + 7).ok_or(())?) {
            *out = number(argument)?;
        }
        Ok(out)
    };
    Ok(Some(match address {
        "/VMC/Ext/OK" => match arguments.first() {
            Some(OscType::Int(loaded)) => VmcEvent::Ready(*loaded != 0),
            _ => return Err(()),
        },
        "/VMC/Ext/T" => VmcEvent::Time(number(arguments.first().ok_or(())?)?),
        "/VMC/Ext/Root/Pos" => {
            let (position, rotation) = transform(numbers(1)?)?;
            VmcEvent::Root(position, rotation)
        }
        "/VMC/Ext/Bone/Pos" => {
            let Some(OscType::String(name)) = arguments.first() else { return Err(()) };
            let (position, rotation) = transform(numbers(1)?)?;
            let Some(bone) = Bone::from_unity(name) else { return Ok(None) };
            VmcEvent::Bone(bone, position, rotation)
        }
        "/VMC/Ext/Hmd/Pos" | "/VMC/Ext/Con/Pos" | "/VMC/Ext/Tra/Pos" => {
            VmcEvent::Tracker(name(arguments.first())?, transform(numbers(1)?)?.0)
        }
        "/position" => VmcEvent::Tracker(name(arguments.first())?, point(arguments.get(1..))?),
        "/VMC/Ext/Blend/Val" => {
            let weight = number(arguments.get(1).ok_or(())?)?.clamp(0.0, 1.0);
            VmcEvent::Morph(name(arguments.first())?.to_lowercase(), weight)
        }
        "/VMC/Ext/Blend/Apply" => VmcEvent::Apply,
        _ => match address.strip_prefix(POSITION_OF) {
            Some(joint) if joint.len() <= MAX_NAME_BYTES => {
                VmcEvent::Tracker(joint.to_owned(), point(Some(arguments))?)
            }
            _ => return Err(()),
        },
    }))
}

/// Reads the name of a morph or a tracker.
fn name(argument: Option<&OscType>) -> Result<String, ()> {
    match argument {
        Some(OscType::String(name)) if name.len() <= MAX_NAME_BYTES && !name.is_empty() => Ok(name.clone()),
        _ => Err(()),
    }
}

/// Reads a plain position, which is already in the space of VRM 1.0. Further arguments are ignored.
fn point(arguments: Option<&[OscType]>) -> Result<Vec3, ()> {
    let [x, y, z, ..] = arguments.unwrap_or_default() else { return Err(()) };
    let point = Vec3::new(number(x)?, number(y)?, number(z)?);
    if point.abs().max_element() > MAX_COORDINATE { Err(()) } else { Ok(point) }
}

/// Reads a number. Some senders write whole numbers as integers.
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

/// Converts a transform from Unity's left-handed space, where a character's left is on −X, by mirroring it in x.
/// Mirroring keeps the x component of a rotation's axis and negates the other two.
fn transform([x, y, z, qx, qy, qz, qw]: [f32; 7]) -> Result<(Vec3, Quat), ()> {
    let (position, rotation) = (Vec3::new(-x, y, z), Quat::from_xyzw(qx, -qy, -qz, qw));
    let length = rotation.length();
    if position.abs().max_element() > MAX_COORDINATE || !length.is_finite() || length < 1e-3 {
        return Err(());
    }
    Ok((position, (rotation / length).normalize()))
}
