//! Packets with their times, in a file: what was sent once can be sent again.
//!
//! ```text
//! "sinew-packets-1\n"                                       16 bytes
//! then a record a packet, numbers little-endian:
//!   nanoseconds since the first packet, never falling       8 bytes
//!   length of the packet, at most 65507                     4 bytes
//!   the packet
//! ```
//!
//! A last record that is cut short (the program that wrote it was killed) is left out.

use std::io::{self, Write};
use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::asset::LoadError;
use crate::bounded;

use super::LONGEST_PACKET;

const MAGIC: &[u8; 16] = b"sinew-packets-1\n";
/// The longest file that is read, bytes.
const LONGEST_FILE: u64 = 1 << 28;

/// Packets and when they came, since the first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PacketFile {
    /// In their order; times never fall.
    pub packets: Vec<(Duration, Vec<u8>)>,
}

impl PacketFile {
    /// Reads a file of packets.
    ///
    /// # Errors
    /// [`LoadError`] with the number of the record at fault, from zero.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        let io = |source| LoadError::Io { path: path.to_owned(), source };
        Self::parse(path, &bounded::read(path, LONGEST_FILE).map_err(io)?)
    }

    /// Reads packets from bytes; the path is only for errors.
    ///
    /// # Errors
    /// As [`PacketFile::load`].
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self, LoadError> {
        let mut rest = bytes.strip_prefix(MAGIC).ok_or_else(|| LoadError::Format {
            path: path.to_owned(),
            cause: "does not begin with \"sinew-packets-1\"".to_owned(),
        })?;
        let mut file = Self::default();
        while let Some((time, after)) = rest.split_first_chunk() {
            let Some((length, after)) = after.split_first_chunk() else { break };
            let fault = |cause: String| LoadError::Object {
                path: path.to_owned(),
                at: format!("packets[{}]", file.packets.len()),
                cause,
            };
            let (time, length) =
                (Duration::from_nanos(u64::from_le_bytes(*time)), u32::from_le_bytes(*length));
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            if length > LONGEST_PACKET {
                return Err(fault(format!("{length} bytes are more than a datagram holds")));
            }
            if file.packets.last().is_some_and(|(before, _)| time < *before) {
                return Err(fault("its time is before the last one's".to_owned()));
            }
            let Some((packet, after)) = after.split_at_checked(length) else { break };
            file.packets.push((time, packet.to_vec()));
            rest = after;
        }
        Ok(file)
    }
}

/// Writes a file of packets, one after the other.
#[derive(Debug)]
pub struct PacketWriter<W: Write> {
    out: W,
    last: Duration,
}

impl<W: Write> PacketWriter<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// What the system says.
    pub fn new(mut out: W) -> io::Result<Self> {
        out.write_all(MAGIC)?;
        Ok(Self { out, last: Duration::ZERO })
    }

    /// Adds a packet and its time; a time before the last one's counts as that.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] for what no datagram holds, else what the system says.
    pub fn write(&mut self, time: Duration, packet: &[u8]) -> io::Result<()> {
        let length = u32::try_from(packet.len()).ok().filter(|_| packet.len() <= LONGEST_PACKET);
        let length = length.ok_or(io::ErrorKind::InvalidInput)?;
        self.last = self.last.max(time);
        let nanoseconds = u64::try_from(self.last.as_nanos()).unwrap_or(u64::MAX);
        self.out.write_all(&nanoseconds.to_le_bytes())?;
        self.out.write_all(&length.to_le_bytes())?;
        self.out.write_all(packet)
    }

    /// What was written to.
    pub fn into_inner(self) -> W {
        self.out
    }
}

/// Sends packets to an address of this machine at their times, `speed` times as fast. Comes back when all are sent, with their number.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] for an address that is no loopback or a speed that is not above zero, else what the system says.
pub fn replay(file: &PacketFile, to: SocketAddr, speed: f64) -> io::Result<usize> {
    let fine = to.ip().is_loopback() && speed > 0.0 && speed.is_finite();
    if !fine {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let from: SocketAddr =
        if to.is_ipv4() { ([127, 0, 0, 1], 0).into() } else { (std::net::Ipv6Addr::LOCALHOST, 0).into() };
    let socket = UdpSocket::bind(from)?;
    let start = Instant::now();
    for (time, packet) in &file.packets {
        // A time beyond what a clock counts is never reached.
        let due = Duration::try_from_secs_f64(time.as_secs_f64() / speed).map_err(io::Error::other)?;
        std::thread::sleep(due.saturating_sub(start.elapsed()));
        socket.send_to(packet, to)?;
    }
    Ok(file.packets.len())
}
