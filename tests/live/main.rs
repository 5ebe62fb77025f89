//! Live capture through a socket of this machine: what a packet costs, and what bad ones by the million do. Alone in its binary: resident
//! memory is the process's.
//!
//! `SINEW_LIVE_SECONDS=10 SINEW_HOSTILE_PACKETS=1000000 cargo test --test live -- --nocapture` does it at length, and says the figures.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod hostile;
mod osc;
mod performer;

#[path = "../support/mod.rs"]
mod support;

use std::net::UdpSocket;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use sinew::asset::{self, Character, Expression, MorphBind};
use sinew::motion::capture::vmc::{Live, Receiver, Source};
use sinew::pose::Pose;
use sinew::puppet::Puppet;

use hostile::Hostile;
use performer::Performer;

const HERTZ: f64 = 120.0;
/// What a packet may cost, seconds of CPU.
const MOST: f64 = 0.3e-3;
/// What bad packets may add to the resident memory, bytes.
const MOST_GROWTH: u64 = 512 << 10;
/// So much may be on its way to the listener: what the system keeps for it is 200 kB.
const MOST_UNHEARD: usize = 64 << 10;

/// One test at a time.
static ALONE: Mutex<()> = Mutex::new(());

fn number(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// The mannequin, with two morph targets in name and an expression of them.
fn figure() -> Character {
    let mut character = asset::mannequin().unwrap();
    let node = character.skeleton.nodes.iter().position(|n| n.mesh.is_some()).unwrap();
    let mesh = character.skeleton.nodes[node].mesh.unwrap();
    character.meshes[mesh].target_names = vec!["Smile".to_owned(), "Blink".to_owned()];
    character.skeleton.nodes[node].morph_weights = 0..2;
    character.skeleton.rest_weights = vec![0.0; 2];
    let binds = [0, 1].map(|weight| MorphBind { weight, amount: 0.75 }).to_vec();
    character.expressions =
        vec![Expression { name: "Joy".to_owned(), preset: Some("happy"), is_binary: false, binds }];
    character
}

/// A puppet that follows who is heard, as it does in a window.
struct Follower {
    source: Source,
    puppet: Puppet,
    pose: Pose,
    began: Instant,
    pictures: u64,
}

impl Follower {
    fn new() -> Self {
        let character = figure();
        let receiver = Receiver::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let live = Live::new(&character, &character.humanoid.as_ref().unwrap().bones).unwrap();
        let pose = Pose::rest(&character.skeleton);
        let source = Source::new(receiver, live);
        Self { source, puppet: Puppet::new(character, 0), pose, began: Instant::now(), pictures: 0 }
    }

    /// Poses the puppet as was heard last, if anything was.
    fn picture(&mut self) {
        if self.source.update(self.began.elapsed().as_secs_f64(), &mut self.pose) {
            self.puppet.held.get_or_insert_default().clone_from(&self.pose);
            self.puppet.update().unwrap();
            self.pictures += 1;
        }
    }

    fn heard(&self) -> u64 {
        self.source.receiver.look(|state| state.packets + state.dropped)
    }

    /// Waits until so many packets were counted, good and bad.
    fn wait_for(&self, count: u64) {
        let mut news = (self.heard(), Instant::now());
        while news.0 < count {
            std::thread::yield_now();
            let heard = self.heard();
            if heard > news.0 {
                news = (heard, Instant::now());
            }
            assert!(news.1.elapsed() < Duration::from_secs(10), "{heard} of {count} packets were counted");
        }
        assert_eq!(news.0, count);
    }

    /// The puppet stands as the performer does.
    fn assert_stands_like(&self, performer: &Performer) {
        for (node, place) in performer.places() {
            let away = place.distance(self.puppet.world_from_node()[node].translation.into());
            assert!(away < 1e-3, "{}: {away} m", self.puppet.character().skeleton.label(node));
        }
    }
}

/// The time that a thread has had a processor, seconds, as the scheduler counts it; `None` where the system does not say.
fn processor_time(thread: &str) -> Option<f64> {
    let said = std::fs::read_to_string(format!("/proc/{thread}/schedstat")).ok()?;
    said.split_whitespace().next()?.parse::<u64>().ok().map(|ns| ns as f64 * 1e-9)
}

/// The thread that listens, as a path under `/proc`.
fn listener() -> Option<String> {
    let threads = std::fs::read_dir("/proc/self/task").ok()?.flatten();
    let named = |name: &String| {
        std::fs::read_to_string(format!("/proc/{name}/comm")).is_ok_and(|comm| comm.trim_end() == "vmc")
    };
    threads.map(|t| format!("self/task/{}", t.file_name().display())).find(named)
}

/// The resident memory of the process, bytes.
fn resident() -> Option<u64> {
    let said = std::fs::read_to_string("/proc/self/smaps_rollup").ok()?;
    let kilobytes = said.lines().find_map(|line| line.strip_prefix("Rss:"))?;
    kilobytes.trim().trim_end_matches("kB").trim_end().parse::<u64>().ok().map(|kb| kb * 1024)
}

#[test]
fn a_packet_of_sixty_joints_is_followed_in_a_third_of_a_millisecond() {
    let _alone = ALONE.lock();
    let mut follower = Follower::new();
    let to = follower.source.receiver.address();
    let packets = number("SINEW_LIVE_SECONDS", 2).max(1) * HERTZ as u64;
    let sender = std::thread::spawn(move || {
        let (socket, mut performer) = (UdpSocket::bind("127.0.0.1:0").unwrap(), Performer::new(figure()));
        let started = Instant::now();
        for packet in 0..packets {
            let time = packet as f64 / HERTZ;
            std::thread::sleep(Duration::from_secs_f64(time).saturating_sub(started.elapsed()));
            socket.send_to(&performer.packet(time as f32), to).unwrap();
        }
        (performer, started.elapsed())
    });
    let spent = || Some((processor_time(&listener()?)?, processor_time("thread-self")?));
    // A thread that has just been started names itself in a moment.
    let patience = Instant::now();
    while listener().is_none() && patience.elapsed() < Duration::from_secs(1) {
        std::thread::sleep(Duration::from_millis(1));
    }
    let (before, patience) = (spent(), Instant::now());
    while follower.heard() < packets && patience.elapsed().as_secs_f64() < packets as f64 / HERTZ + 10.0 {
        // As often as the window looks.
        std::thread::sleep(Duration::from_millis(8));
        follower.picture();
    }
    let (after, pictures) = (spent(), follower.pictures);
    follower.picture();
    let (performer, took) = sender.join().unwrap();
    let (heard, dropped) = follower.source.receiver.look(|state| (state.packets, state.dropped));
    assert_eq!((heard, dropped), (packets, 0));
    follower.assert_stands_like(&performer);
    assert!(pictures > packets / 4, "{pictures} pictures of {packets} packets");
    let Some((before, after)) = before.zip(after) else {
        return support::skip("the system does not report the processor time of a thread (/proc)");
    };
    // Two packets may come between two looks: following is for each that was followed.
    let listening = (after.0 - before.0) / packets as f64;
    let following = (after.1 - before.1) / pictures as f64;
    println!(
        "{packets} packets of {} joints in {:.1} s, {pictures} pictures: {:.1} µs of CPU a packet ({:.1} to listen, {:.1} to follow)",
        Performer::JOINTS,
        took.as_secs_f64(),
        1e6 * (listening + following),
        1e6 * listening,
        1e6 * following
    );
    assert!(listening + following < MOST, "{listening} s to listen, {following} s to follow");
}

#[test]
fn hostile_packets_come_through_a_socket_and_leave_nothing() {
    let _alone = ALONE.lock();
    let count = number("SINEW_HOSTILE_PACKETS", 50_000).max(100);
    let mut follower = Follower::new();
    let (socket, to) = (UdpSocket::bind("127.0.0.1:0").unwrap(), follower.source.receiver.address());
    let mut performer = Performer::new(figure());
    let mut hostile = Hostile::new(&mut performer);
    let (started, mut unheard, mut before) = (Instant::now(), 0, None);
    for sent in 1..=count {
        let packet = hostile.packet();
        socket.send_to(&packet, to).unwrap();
        unheard += packet.len() + 1024;
        if unheard > MOST_UNHEARD || sent == count {
            follower.wait_for(sent);
            unheard = 0;
            follower.picture();
            let Pose { locals, weights, .. } = &follower.pose;
            assert!(locals.iter().all(|l| l.rotation.is_normalized() && l.translation.is_finite()));
            assert!(weights.iter().all(|w| (0.0..=1.0).contains(w)));
        }
        if sent == count / 10 {
            before = resident();
        }
    }
    let after = resident();
    let took = started.elapsed().as_secs_f64();
    let (good, dropped, failure) =
        follower.source.receiver.look(|state| (state.packets, state.dropped, state.failure.clone()));
    assert_eq!((good + dropped, failure), (count, None));
    assert!(good > count / 50 && dropped > count / 4, "{good} good ones, {dropped} dropped");
    // Who comes afterwards is followed as ever.
    let mut sent = count;
    for frame in 0..3 {
        socket.send_to(&performer.packet(frame as f32 * 0.1), to).unwrap();
        sent += 1;
        follower.wait_for(sent);
        follower.picture();
        follower.assert_stands_like(&performer);
    }
    assert_eq!(follower.source.receiver.look(|state| state.packets), good + 3);
    let Some((before, after)) = before.zip(after) else {
        return support::skip("the system does not report resident memory (/proc)");
    };
    println!(
        "{count} packets in {took:.1} s, all counted, {good} of them of the protocol; {} kB resident after a tenth, {} kB at the end",
        before >> 10,
        after >> 10
    );
    assert!(after < before + MOST_GROWTH, "{before} bytes have become {after}");
}
