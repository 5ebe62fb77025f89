//! Files of recorded packets with their times, which can be replayed.
//!
//! ```text
//! "sinew-packets-1\n"                                       16 bytes
//! then one record per packet, numbers little-endian:
//!   nanoseconds since the first packet, not decreasing      8 bytes
//!   length of the packet, at most 65507                     4 bytes
//!   the packet
//! ```
//!
//! An incomplete last record is ignored, because the program that wrote it may have been killed.

use std::io::{self, Write};
use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::time::Duration;

use crate::asset::LoadError;
use crate::files::bounded;
use crate::platform::Instant;

use super::LONGEST_PACKET;

const MAGIC: &[u8; 16] = b"sinew-packets-1\n";
/// Maximum size of a file, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 28;

/// Recorded packets with their times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PacketFile {
    /// The packets in the order of arrival, each with its time since the first packet. Times do not decrease.
    pub packets: Vec<(Duration, Vec<u8>)>,
}

impl PacketFile {
    /// Loads a file of packets.
    ///
    /// # Errors
    /// [`LoadError`]. For an invalid record, it contains the zero-based index.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        let io = |source| LoadError::Io { path: path.to_owned(), source };
        Self::parse(path, &bounded::read(path, MAX_FILE_BYTES).map_err(io)?)
    }

    /// Parses packets from bytes. The path is only used in error messages.
    ///
    /// # Errors
    /// The same as [`PacketFile::load`].
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self, LoadError> {
        let mut rest = bytes.strip_prefix(MAGIC).ok_or_else(|| LoadError::Format {
            path: path.to_owned(),
            cause: "does not begin with \"sinew-packets-1\"".to_owned(),
        })?;
        let mut file = Self::default();
        while let Some((time, after)) = rest.split_first_chunk() {
            let Some((length, after)) = after.split_first_chunk() else { break };
            let error = |cause: String| LoadError::Object {
                path: path.to_owned(),
                at: format!("packets[{}]", file.packets.len()),
                cause,
            };
            let (time, length) =
                (Duration::from_nanos(u64::from_le_bytes(*time)), u32::from_le_bytes(*length));
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            if length > LONGEST_PACKET {
                return Err(error(format!(
                    "{length} bytes is more than the {LONGEST_PACKET} bytes of a datagram"
                )));
            }
            if file.packets.last().is_some_and(|(before, _)| time < *before) {
                return Err(error("the time is before that of the previous packet".to_owned()));
            }
            let Some((packet, after)) = after.split_at_checked(length) else { break };
            file.packets.push((time, packet.to_vec()));
            rest = after;
        }
        Ok(file)
    }
}

/// Writes packets to a file.
#[derive(Debug)]
pub struct PacketWriter<W: Write> {
    out: W,
    last: Duration,
}

impl<W: Write> PacketWriter<W> {
    /// Creates a writer and writes the file's header.
    ///
    /// # Errors
    /// An I/O error.
    pub fn new(mut out: W) -> io::Result<Self> {
        out.write_all(MAGIC)?;
        Ok(Self { out, last: Duration::ZERO })
    }

    /// Writes a packet and its time. A time earlier than the previous packet's time is replaced by that time.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] if the packet is larger than a datagram, or another I/O error.
    pub fn write(&mut self, time: Duration, packet: &[u8]) -> io::Result<()> {
        let length = u32::try_from(packet.len()).ok().filter(|_| packet.len() <= LONGEST_PACKET);
        let length = length.ok_or(io::ErrorKind::InvalidInput)?;
        self.last = self.last.max(time);
        let nanoseconds = u64::try_from(self.last.as_nanos()).unwrap_or(u64::MAX);
        self.out.write_all(&nanoseconds.to_le_bytes())?;
        self.out.write_all(&length.to_le_bytes())?;
        self.out.write_all(packet)
    }

    /// Returns the underlying writer.
    pub fn into_inner(self) -> W {
        self.out
    }
}

/// Sends packets to a loopback address at their recorded times, `speed` times as fast. Blocks until all packets are
/// sent, and returns their number.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] if the address is not a loopback address or the speed is not positive and
/// finite, or another I/O error.
pub fn replay(file: &PacketFile, to: SocketAddr, speed: f64) -> io::Result<usize> {
    let is_valid = to.ip().is_loopback() && speed > 0.0 && speed.is_finite();
    if !is_valid {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let from: SocketAddr =
        if to.is_ipv4() { ([127, 0, 0, 1], 0).into() } else { (std::net::Ipv6Addr::LOCALHOST, 0).into() };
    let socket = UdpSocket::bind(from)?;
    let start = Instant::now();
    for (time, packet) in &file.packets {
        // A time that overflows `Duration` would never be reached.
        let due = Duration::try_from_secs_f64(time.as_secs_f64() / speed).map_err(io::Error::other)?;
        std::thread::sleep(due.saturating_sub(start.elapsed()));
        socket.send_to(packet, to)?;
    }
    Ok(file.packets.len())
}
