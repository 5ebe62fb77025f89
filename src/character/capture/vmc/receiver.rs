//! Receives packets of the protocol on a background thread.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::platform::Instant;

use super::{Performer, decode};

/// The protocol's default address, which only programs on this machine can reach.
pub const DEFAULT_ADDRESS: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 39539));

/// Time for which the thread waits for a packet before it checks whether it must stop.
const READ_TIMEOUT: Duration = Duration::from_millis(50);
/// Time over which the packet rate is measured.
const RATE_INTERVAL: Duration = Duration::from_millis(500);

/// The state of a receiver.
#[derive(Clone, Debug, Default)]
pub struct ReceiverState {
    /// The latest values of the performer.
    pub performer: Performer,
    /// Number of valid packets.
    pub packets: u64,
    /// Number of invalid packets, which were dropped.
    pub dropped: u64,
    /// The reason why the last invalid packet was dropped.
    pub last_error: Option<String>,
    /// Packets per second over the last half second.
    pub rate: f32,
    /// When the last valid packet arrived.
    pub last: Option<Instant>,
    /// The I/O error that ended reception, if any.
    pub failure: Option<String>,
}

/// Listens for packets from performers until it is dropped.
#[derive(Debug)]
pub struct Receiver {
    state: Arc<Mutex<ReceiverState>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    address: SocketAddr,
}

impl Receiver {
    /// Starts listening at an address. Port 0 selects a free port. An address that is not a loopback address lets
    /// other machines send packets.
    ///
    /// # Errors
    /// An I/O error, for example if the address is already in use.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        let socket = UdpSocket::bind(address)?;
        socket.set_read_timeout(Some(READ_TIMEOUT))?;
        let (state, stop) =
            (Arc::new(Mutex::new(ReceiverState::default())), Arc::new(AtomicBool::new(false)));
        let address = socket.local_addr()?;
        let shared = (Arc::clone(&state), Arc::clone(&stop));
        let listening = move || listen(&socket, &shared.0, &shared.1);
        let thread = std::thread::Builder::new().name("vmc".to_owned()).spawn(listening)?;
        Ok(Self { state, stop, thread: Some(thread), address })
    }

    /// Returns the address of the socket.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Calls a function with the current state. The receiving thread is blocked until the
    /// function returns, so the function must be fast.
    pub fn with_state<T>(&self, at: impl FnOnce(&ReceiverState) -> T) -> T {
        at(&self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // If the thread has panicked, it has already stopped.
            let _ = thread.join();
        }
    }
}

fn listen(socket: &UdpSocket, state: &Mutex<ReceiverState>, stop: &AtomicBool) {
    // One byte more than the maximum, so that a packet that is too long is detected.
    let (mut buffer, mut events) = (vec![0; super::LONGEST_PACKET + 1], Vec::new());
    let (mut since, mut counted) = (Instant::now(), 0_u16);
    while !stop.load(Ordering::Relaxed) {
        let received = socket.recv(&mut buffer);
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        match received {
            Ok(size) => {
                counted = counted.saturating_add(1);
                process_packet(buffer.get(..size).unwrap_or_default(), &mut events, &mut state);
            }
            // Windows reports connection resets here, although this socket sends nothing.
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
            Err(error)
                if matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::ConnectionReset) => {}
            Err(error) => {
                state.failure = Some(error.to_string());
                return;
            }
        }
        if since.elapsed() >= RATE_INTERVAL {
            state.rate = f32::from(counted) / since.elapsed().as_secs_f32();
            (since, counted) = (Instant::now(), 0);
        }
    }
}

/// Decodes a packet and updates the state, or counts the packet as dropped.
fn process_packet(packet: &[u8], events: &mut Vec<super::VmcEvent>, state: &mut ReceiverState) {
    match decode(packet, events) {
        Ok(_) => {
            events.drain(..).for_each(|event| state.performer.update(event));
            state.packets += 1;
            state.last = Some(Instant::now());
        }
        Err(error) => {
            state.dropped += 1;
            state.last_error = Some(error.to_string());
        }
    }
}
