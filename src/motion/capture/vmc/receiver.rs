//! A socket that listens, on a thread of its own.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::{Performer, decode};

/// Where performers send to, and nobody from another machine.
pub const DEFAULT_ADDRESS: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 39539));

/// How long the thread waits for a packet before it looks whether it shall end.
const PATIENCE: Duration = Duration::from_millis(50);
/// The rate of packets is counted over this time.
const COUNTED: Duration = Duration::from_millis(500);

/// What a receiver has heard.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// What was said last.
    pub performer: Performer,
    /// Packets of the protocol.
    pub packets: u64,
    /// Packets that were none.
    pub dropped: u64,
    /// Why the last of those was dropped.
    pub fault: Option<String>,
    /// Packets a second, over the last half second.
    pub rate: f32,
    /// When the last packet of the protocol came.
    pub last: Option<Instant>,
    /// What the system said when it took the socket away; nothing more comes then.
    pub failure: Option<String>,
}

/// Listens for performers. Dropped, it stops listening.
#[derive(Debug)]
pub struct Receiver {
    state: Arc<Mutex<State>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    address: SocketAddr,
}

impl Receiver {
    /// Listens at an address; port 0 is any that is free. Whoever gives another address than [`DEFAULT_ADDRESS`]'s lets other machines in.
    ///
    /// # Errors
    /// What the system says, for one that the address is taken.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        let socket = UdpSocket::bind(address)?;
        socket.set_read_timeout(Some(PATIENCE))?;
        let (state, stop) = (Arc::new(Mutex::new(State::default())), Arc::new(AtomicBool::new(false)));
        let address = socket.local_addr()?;
        let shared = (Arc::clone(&state), Arc::clone(&stop));
        let listening = move || listen(&socket, &shared.0, &shared.1);
        let thread = std::thread::Builder::new().name("vmc".to_owned()).spawn(listening)?;
        Ok(Self { state, stop, thread: Some(thread), address })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Looks at what was heard so far. The thread waits meanwhile: be quick.
    pub fn look<T>(&self, at: impl FnOnce(&State) -> T) -> T {
        at(&self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A thread that has failed has nothing left to stop.
            let _ = thread.join();
        }
    }
}

fn listen(socket: &UdpSocket, state: &Mutex<State>, stop: &AtomicBool) {
    // One byte more than a datagram holds, so that nothing is cut unseen.
    let (mut buffer, mut events) = (vec![0; super::LONGEST_PACKET + 1], Vec::new());
    let (mut since, mut counted) = (Instant::now(), 0_u16);
    while !stop.load(Ordering::Relaxed) {
        let received = socket.recv(&mut buffer);
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        match received {
            Ok(size) => {
                counted = counted.saturating_add(1);
                hear(buffer.get(..size).unwrap_or_default(), &mut events, &mut state);
            }
            // Resets are an answer to what this socket never sent; on Windows they come here all the same.
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
            Err(error)
                if matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::ConnectionReset) => {}
            Err(error) => {
                state.failure = Some(error.to_string());
                return;
            }
        }
        if since.elapsed() >= COUNTED {
            state.rate = f32::from(counted) / since.elapsed().as_secs_f32();
            (since, counted) = (Instant::now(), 0);
        }
    }
}

/// Takes a packet in, or counts it as dropped.
fn hear(packet: &[u8], events: &mut Vec<super::Event>, state: &mut State) {
    match decode(packet, events) {
        Ok(_) => {
            events.drain(..).for_each(|event| state.performer.hear(event));
            state.packets += 1;
            state.last = Some(Instant::now());
        }
        Err(error) => {
            state.dropped += 1;
            state.fault = Some(error.to_string());
        }
    }
}
