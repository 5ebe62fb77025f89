//! Packets of Open Sound Control, opened without trust.
//!
//! `rosc` decodes messages, but a nested bundle takes it one call deeper for each twenty bytes, and a nested array as much when it is
//! dropped: a packet can end the stack. So bundles are walked here, to a depth, and arrays are refused before it sees them.

use rosc::{OscPacket, OscType};

use super::PacketError;

/// The longest datagram that UDP over IPv4 carries, bytes.
pub const LONGEST_PACKET: usize = 65_507;
/// Bundles may hold bundles so deep.
const DEEPEST: usize = 8;
/// Numbers and texts that a message may have.
const MOST_ARGUMENTS: usize = 32;
/// Before the elements of a bundle: its name and a time.
const BUNDLE_HEAD: usize = 16;

/// Gives every message of a packet, in order: its address and its arguments. `wanted` says by their address which are to be decoded.
///
/// # Errors
/// [`PacketError`] for what is no OSC; what came before it has been given by then.
pub(super) fn messages(
    packet: &[u8],
    wanted: impl Fn(&str) -> bool,
    mut take: impl FnMut(&str, Vec<OscType>) -> Result<(), PacketError>,
) -> Result<(), PacketError> {
    if packet.len() > LONGEST_PACKET {
        return Err(PacketError::Long { bytes: packet.len() });
    }
    walk(packet, 0, &mut |message| {
        let (address, tags) = head(message)?;
        if !wanted(address) {
            return Ok(());
        }
        let Some(tags) = tags else { return take(address, Vec::new()) };
        if tags.len() > MOST_ARGUMENTS || tags.contains(&b'[') {
            return Err(PacketError::Arguments { address: address.chars().take(40).collect() });
        }
        match rosc::decoder::decode_udp(message) {
            Ok((_, OscPacket::Message(decoded))) => take(address, decoded.args),
            _ => Err(PacketError::Arguments { address: address.chars().take(40).collect() }),
        }
    })
}

/// Opens bundles and gives what is no bundle.
fn walk(
    packet: &[u8],
    depth: usize,
    message: &mut impl FnMut(&[u8]) -> Result<(), PacketError>,
) -> Result<(), PacketError> {
    if !packet.starts_with(b"#bundle\0") {
        return message(packet);
    }
    if depth == DEEPEST {
        return Err(PacketError::Deep);
    }
    let mut rest = packet.get(BUNDLE_HEAD..).ok_or(PacketError::Broken)?;
    while let Some((size, after)) = rest.split_first_chunk() {
        let size = usize::try_from(u32::from_be_bytes(*size)).map_err(|_| PacketError::Broken)?;
        if size == 0 || !size.is_multiple_of(4) {
            return Err(PacketError::Broken);
        }
        let (element, after) = after.split_at_checked(size).ok_or(PacketError::Broken)?;
        walk(element, depth + 1, message)?;
        rest = after;
    }
    if rest.is_empty() { Ok(()) } else { Err(PacketError::Broken) }
}

/// A message's address, and the tags of its arguments without the comma; old senders leave them out where there are none.
fn head(message: &[u8]) -> Result<(&str, Option<&[u8]>), PacketError> {
    let (address, after) = text(message).ok_or(PacketError::Broken)?;
    let address = std::str::from_utf8(address).map_err(|_| PacketError::Broken)?;
    if !address.starts_with('/') {
        return Err(PacketError::Broken);
    }
    if after.is_empty() {
        return Ok((address, None));
    }
    let (tags, _) = text(after).ok_or(PacketError::Broken)?;
    Ok((address, Some(tags.strip_prefix(b",").ok_or(PacketError::Broken)?)))
}

/// A text that ends with a zero and is filled up to four bytes, and what follows.
fn text(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|b| *b == 0)?;
    Some((bytes.get(..end)?, bytes.get((end / 4 + 1) * 4..)?))
}
