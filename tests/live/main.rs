//! Tests of live capture through a loopback socket: the CPU time per packet, and the effect of many invalid packets.
//! The tests have their own binary because resident memory is measured for the whole process.
//!
//! `SINEW_LIVE_SECONDS=10 SINEW_HOSTILE_PACKETS=1000000 cargo test --test live -- --nocapture` runs them for longer
//! and prints the measurements.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod hostile;
mod performer;
#[cfg(feature = "render")]
mod recorded;

use std::net::UdpSocket;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use sinew::asset;
use sinew::asset::{Character, Expression, MorphBind, Overrides};
use sinew::capture::vmc::{LiveCharacter, LiveSource, Receiver};
use sinew::pose::Pose;
use sinew::puppet::Puppet;

use hostile::HostilePackets;
use performer::WalkingPerformer;

const HERTZ: f64 = 120.0;
/// Maximum CPU time per packet, in seconds.
const MAX_CPU_SECONDS: f64 = 0.3e-3;
/// Maximum increase in resident memory caused by invalid packets, in bytes.
const MAX_GROWTH: u64 = 512 << 10;
/// Maximum size of the packets that the receiver has not read yet, in bytes. The receive buffer of the operating system holds 200
/// kB.
const MAX_UNREAD: usize = 64 << 10;

/// A lock that lets only one test run at a time.
static ALONE: Mutex<()> = Mutex::new(());

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// The mannequin with the names and weights of two morph targets, and an expression that uses them.
fn mannequin() -> Character {
    let mut character = asset::mannequin().unwrap();
    let node = character.skeleton.nodes.iter().position(|n| n.mesh.is_some()).unwrap();
    let mesh = character.skeleton.nodes[node].mesh.unwrap();
    character.meshes[mesh].target_names = vec!["Smile".to_owned(), "Blink".to_owned()];
    character.skeleton.nodes[node].morph_weights = 0..2;
    character.skeleton.rest_weights = vec![0.0; 2];
    let binds = [0, 1].map(|weight| MorphBind { weight, amount: 0.75 }).to_vec();
    character.expressions = vec![Expression {
        name: "Joy".to_owned(),
        preset: Some("happy"),
        is_binary: false,
        overrides: Overrides::default(),
        binds,
        materials: Vec::new(),
    }];
    character
}

/// A puppet that follows a performer, as it does in the viewer.
struct Follower {
    source: LiveSource,
    puppet: Puppet,
    pose: Pose,
    started: Instant,
    frames: u64,
}

impl Follower {
    fn new() -> Self {
        let character = mannequin();
        let receiver = Receiver::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let live = LiveCharacter::new(&character, &character.humanoid.as_ref().unwrap().bones).unwrap();
        let pose = Pose::rest(&character.skeleton);
        let source = LiveSource::new(receiver, live);
        Self { source, puppet: Puppet::new(character, 0), pose, started: Instant::now(), frames: 0 }
    }

    /// Updates the puppet with the latest pose, if a packet has arrived.
    fn update(&mut self) {
        if self.source.update(self.started.elapsed().as_secs_f64(), &mut self.pose) {
            self.puppet.held.get_or_insert_default().clone_from(&self.pose);
            self.puppet.update().unwrap();
            self.frames += 1;
        }
    }

    fn received(&self) -> u64 {
        self.source.receiver.with_state(|state| state.packets + state.dropped)
    }

    /// Waits until `count` packets, valid or invalid, have been received.
    fn wait_for(&self, count: u64) {
        let mut progress = (self.received(), Instant::now());
        while progress.0 < count {
            std::thread::yield_now();
            let received = self.received();
            if received > progress.0 {
                progress = (received, Instant::now());
            }
            assert!(
                progress.1.elapsed() < Duration::from_secs(10),
                "only {received} of {count} packets were received"
            );
        }
        assert_eq!(progress.0, count);
    }

    /// Checks that the puppet has the performer's pose.
    fn assert_pose_matches(&self, performer: &WalkingPerformer) {
        for (node, position) in performer.positions() {
            let distance = position.distance(self.puppet.world_from_node()[node].translation.into());
            assert!(
                distance < 1e-3,
                "{}: {distance} m from the performer's joint",
                self.puppet.character().skeleton.label(node)
            );
        }
    }
}

/// Waits until a packet has arrived.
#[cfg(feature = "render")]
fn wait_for(mut has_arrived: impl FnMut() -> bool) {
    let started = Instant::now();
    while !has_arrived() {
        assert!(started.elapsed() < Duration::from_secs(10), "no packet arrived");
        std::thread::yield_now();
    }
}

/// Returns the CPU time of a thread in seconds, as counted by the scheduler, or `None` if the system does not report
/// it.
fn cpu_seconds(thread: &str) -> Option<f64> {
    let schedstat = std::fs::read_to_string(format!("/proc/{thread}/schedstat")).ok()?;
    schedstat.split_whitespace().next()?.parse::<u64>().ok().map(|ns| ns as f64 * 1e-9)
}

/// Returns the path of the receiver's thread under `/proc`.
fn listener() -> Option<String> {
    let threads = std::fs::read_dir("/proc/self/task").ok()?.flatten();
    let named = |name: &String| {
        std::fs::read_to_string(format!("/proc/{name}/comm")).is_ok_and(|comm| comm.trim_end() == "vmc")
    };
    threads.map(|t| format!("self/task/{}", t.file_name().display())).find(named)
}

/// Returns the resident memory of the process in bytes.
fn resident() -> Option<u64> {
    let smaps = std::fs::read_to_string("/proc/self/smaps_rollup").ok()?;
    let kilobytes = smaps.lines().find_map(|line| line.strip_prefix("Rss:"))?;
    kilobytes.trim().trim_end_matches("kB").trim_end().parse::<u64>().ok().map(|kb| kb * 1024)
}

#[test]
fn a_packet_of_sixty_joints_costs_less_than_a_third_of_a_millisecond() {
    let _alone = ALONE.lock();
    let mut follower = Follower::new();
    let to = follower.source.receiver.address();
    let packets = number("SINEW_LIVE_SECONDS", 2).max(1) * HERTZ as u64;
    let sender = std::thread::spawn(move || {
        let (socket, mut performer) =
            (UdpSocket::bind("127.0.0.1:0").unwrap(), WalkingPerformer::new(mannequin()));
        let started = Instant::now();
        for packet in 0..packets {
            let time = packet as f64 / HERTZ;
            std::thread::sleep(Duration::from_secs_f64(time).saturating_sub(started.elapsed()));
            socket.send_to(&performer.packet(time as f32), to).unwrap();
        }
        (performer, started.elapsed())
    });
    let cpu_times = || Some((cpu_seconds(&listener()?)?, cpu_seconds("thread-self")?));
    // Wait for the listener, because a new thread sets its name shortly after it starts.
    let started = Instant::now();
    while listener().is_none() && started.elapsed() < Duration::from_secs(1) {
        std::thread::sleep(Duration::from_millis(1));
    }
    let (before, started) = (cpu_times(), Instant::now());
    while follower.received() < packets && started.elapsed().as_secs_f64() < packets as f64 / HERTZ + 10.0 {
        // The viewer updates at this rate.
        std::thread::sleep(Duration::from_millis(8));
        follower.update();
    }
    let (after, frames) = (cpu_times(), follower.frames);
    follower.update();
    let (performer, duration) = sender.join().unwrap();
    let (received, dropped) = follower.source.receiver.with_state(|state| (state.packets, state.dropped));
    assert_eq!((received, dropped), (packets, 0));
    follower.assert_pose_matches(&performer);
    assert!(frames > packets / 4, "only {frames} frames for {packets} packets");
    let Some((before, after)) = before.zip(after) else {
        return sinew_testkit::skip("the system does not report the CPU time of a thread (/proc)");
    };
    // Two packets may arrive in one frame, so the puppet's time is divided by the number of frames.
    let receiving = (after.0 - before.0) / packets as f64;
    let posing = (after.1 - before.1) / frames as f64;
    println!(
        "{packets} packets of {} joints in {:.1} s, {frames} frames: {:.1} µs of CPU per packet ({:.1} to receive, {:.1} to pose)",
        WalkingPerformer::JOINTS,
        duration.as_secs_f64(),
        1e6 * (receiving + posing),
        1e6 * receiving,
        1e6 * posing
    );
    assert!(
        receiving + posing < MAX_CPU_SECONDS,
        "CPU per packet: {receiving} s to receive, {posing} s to pose"
    );
}

#[test]
fn hostile_packets_through_a_socket_do_no_harm() {
    let _alone = ALONE.lock();
    let count = number("SINEW_HOSTILE_PACKETS", 50_000).max(100);
    let mut follower = Follower::new();
    let (socket, to) = (UdpSocket::bind("127.0.0.1:0").unwrap(), follower.source.receiver.address());
    let mut performer = WalkingPerformer::new(mannequin());
    let mut hostile = HostilePackets::new(&mut performer);
    let (started, mut unread, mut before) = (Instant::now(), 0, None);
    for sent in 1..=count {
        let packet = hostile.packet();
        socket.send_to(&packet, to).unwrap();
        unread += packet.len() + 1024;
        if unread > MAX_UNREAD || sent == count {
            follower.wait_for(sent);
            unread = 0;
            follower.update();
            let Pose { locals, weights, .. } = &follower.pose;
            assert!(locals.iter().all(|l| l.rotation.is_normalized() && l.translation.is_finite()));
            assert!(weights.iter().all(|w| (0.0..=1.0).contains(w)));
        }
        if sent == count / 10 {
            before = resident();
        }
    }
    let after = resident();
    let seconds = started.elapsed().as_secs_f64();
    let (valid, dropped, failure) =
        follower.source.receiver.with_state(|state| (state.packets, state.dropped, state.failure.clone()));
    assert_eq!((valid + dropped, failure), (count, None));
    assert!(valid > count / 50 && dropped > count / 4, "{valid} valid packets, {dropped} dropped");
    // A performer who starts afterwards is followed as usual.
    let mut sent = count;
    for frame in 0..3 {
        socket.send_to(&performer.packet(frame as f32 * 0.1), to).unwrap();
        sent += 1;
        follower.wait_for(sent);
        follower.update();
        follower.assert_pose_matches(&performer);
    }
    assert_eq!(follower.source.receiver.with_state(|state| state.packets), valid + 3);
    let Some((before, after)) = before.zip(after) else {
        return sinew_testkit::skip("the system does not report resident memory (/proc)");
    };
    println!(
        "{count} packets in {seconds:.1} s, all counted, {valid} of them valid; {} kB resident after a tenth of the packets, {} kB at the end",
        before >> 10,
        after >> 10
    );
    assert!(after < before + MAX_GROWTH, "resident memory grew from {before} to {after} bytes");
}
