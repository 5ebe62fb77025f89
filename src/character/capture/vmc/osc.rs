//! Reads Open Sound Control packets from untrusted senders.
//!
//! `rosc` decodes the messages. The decoder recurses when it reads nested bundles, each of which needs only twenty bytes, and when it drops
//! nested arrays. A malicious packet could therefore overflow the stack. To prevent this, bundles are walked here down to a maximum depth,
//! and arrays are rejected before `rosc` sees them.

use rosc::{OscPacket, OscType};

use super::PacketError;

/// Maximum size of a UDP datagram over IPv4, in bytes.
pub const LONGEST_PACKET: usize = 65_507;
/// Maximum nesting depth of bundles.
const MAX_DEPTH: usize = 8;
/// Maximum number of arguments of a message.
const MAX_ARGUMENTS: usize = 32;
/// Size in bytes of a bundle's header, which consists of `#bundle` and a time.
const BUNDLE_HEADER_BYTES: usize = 16;

/// Calls `visit` with the address and arguments of every message in a packet, in order. Only the messages whose address
/// `wanted` accepts are decoded.
///
/// # Errors
/// [`PacketError`] if the packet is not valid OSC. `visit` may have been called for the messages before the error.
pub(super) fn messages(
    packet: &[u8],
    wanted: impl Fn(&str) -> bool,
    mut visit: impl FnMut(&str, Vec<OscType>) -> Result<(), PacketError>,
) -> Result<(), PacketError> {
    if packet.len() > LONGEST_PACKET {
        return Err(PacketError::TooLong { bytes: packet.len() });
    }
    walk(packet, 0, &mut |message| {
        let (address, tags) = head(message)?;
        if !wanted(address) {
            return Ok(());
        }
        let Some(tags) = tags else { return visit(address, Vec::new()) };
        if tags.len() > MAX_ARGUMENTS || tags.contains(&b'[') {
            return Err(PacketError::Arguments { address: address.chars().take(40).collect() });
        }
        match rosc::decoder::decode_udp(message) {
            Ok((_, OscPacket::Message(decoded))) => visit(address, decoded.args),
            _ => Err(PacketError::Arguments { address: address.chars().take(40).collect() }),
        }
    })
}

/// Walks nested bundles, and calls `message` with each element that is not a bundle.
fn walk(
    packet: &[u8],
    depth: usize,
    message: &mut impl FnMut(&[u8]) -> Result<(), PacketError>,
) -> Result<(), PacketError> {
    if !packet.starts_with(b"#bundle\0") {
        return message(packet);
    }
    if depth == MAX_DEPTH {
        return Err(PacketError::TooDeep);
    }
    let mut rest = packet.get(BUNDLE_HEADER_BYTES..).ok_or(PacketError::Malformed)?;
    while let Some((size, after)) = rest.split_first_chunk() {
        let size = usize::try_from(u32::from_be_bytes(*size)).map_err(|_| PacketError::Malformed)?;
        if size == 0 || !size.is_multiple_of(4) {
            return Err(PacketError::Malformed);
        }
        let (element, after) = after.split_at_checked(size).ok_or(PacketError::Malformed)?;
        walk(element, depth + 1, message)?;
        rest = after;
    }
    if rest.is_empty() { Ok(()) } else { Err(PacketError::Malformed) }
}

/// Returns a message's address, and the type tags of its arguments without the leading comma. Old senders omit the
/// tags of a message without arguments.
fn head(message: &[u8]) -> Result<(&str, Option<&[u8]>), PacketError> {
    let (address, after) = split_string(message).ok_or(PacketError::Malformed)?;
    let address = std::str::from_utf8(address).map_err(|_| PacketError::Malformed)?;
    if !address.starts_with('/') {
        return Err(PacketError::Malformed);
    }
    if after.is_empty() {
        return Ok((address, None));
    }
    let (tags, _) = split_string(after).ok_or(PacketError::Malformed)?;
    Ok((address, Some(tags.strip_prefix(b",").ok_or(PacketError::Malformed)?)))
}

/// Splits off a string that ends with a zero byte and is padded to a multiple of four bytes. Returns the string and
/// the remaining bytes.
fn split_string(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|b| *b == 0)?;
    Some((bytes.get(..end)?, bytes.get((end / 4 + 1) * 4..)?))
}
