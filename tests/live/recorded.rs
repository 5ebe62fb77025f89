//! Live sessions with trackers and plain positions that are recorded, and replayed without a performer.

use std::net::UdpSocket;
use std::time::Duration;

use glam::{Quat, Vec2, Vec3};
use sinew::asset;
use sinew::capture::vmc::{LiveCharacter, LiveSource, Receiver};
use sinew::pose::Pose;
use sinew::viewer::{Command, Recorder, Recording, Replay, Session};

use crate::ALONE;
use crate::performer::WalkingPerformer;
use sinew_testkit::{folder, mannequin, mannequin_rig, osc};

/// Duration of a frame.
const FRAME: Duration = Duration::from_millis(16);

/// Sends one packet per frame over loopback to a session that is recorded, and checks that the recording replays to the same bits.
/// Returns the session after the last frame.
fn recorded(name: &str, packets: impl IntoIterator<Item = Vec<u8>>) -> Session {
    let _alone = ALONE.lock();
    let path = folder(name).join("live.session");
    let mut session = Session::new(mannequin(), Some(mannequin_rig()), Vec2::new(320.0, 240.0));
    session.record(Recorder::new(&path, false).unwrap(), 1.0).unwrap();

    let receiver = Receiver::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let (socket, to) = (UdpSocket::bind("127.0.0.1:0").unwrap(), receiver.address());
    let character = session.puppet().character();
    let live = LiveCharacter::new(character, &character.humanoid.as_ref().unwrap().bones).unwrap();
    let mut source = LiveSource::new(receiver, live);
    source.record(&character.skeleton);
    let mut poses: Vec<Pose> = Vec::new();
    for packet in packets {
        session.apply(Command::Tick(FRAME));
        socket.send_to(&packet, to).unwrap();
        crate::wait_for(|| source.has_new_packets());
        assert!(session.follow_performer(&mut source, FRAME.as_secs_f64() * poses.len() as f64));
        poses.push(session.puppet().pose().clone());
    }
    assert_eq!(source.receiver.with_state(|state| state.dropped), 0);
    // The take contains the solved poses, one per frame.
    assert_eq!(source.recorded(), Some(poses.len()));
    session.stop_recording().unwrap().unwrap();

    let recording = Recording::open(&path).unwrap();
    let mut replay = Replay::new(&recording, mannequin(), mannequin_rig()).unwrap();
    for (frame, pose) in (1..).zip(&poses) {
        replay.advance(FRAME * frame).unwrap();
        assert_eq!(replay.session().puppet().pose(), pose, "frame {frame}");
    }
    assert!(poses.windows(2).all(|pair| pair[0] != pair[1]), "the character does not move");
    session
}

/// Returns the distance of a bone's joint from a point.
fn distance(session: &Session, bone: &str, point: Vec3) -> f32 {
    let node = session.puppet().character().humanoid.as_ref().unwrap().bones[bone];
    Vec3::from(session.puppet().world_from_node()[node].translation).distance(point)
}

#[test]
fn a_performer_with_trackers_is_recorded_and_replayed_bit_for_bit() {
    let mut performer = WalkingPerformer::new(asset::mannequin().unwrap());
    let hand = performer.bone("leftHand");
    let mut target = Vec3::ZERO;
    let session = recorded(
        "trackers",
        (0..20_u16).map(|frame| {
            let pose = performer.packet(f32::from(frame) * 0.016);
            // The controller starts at the hand and then moves away from it.
            target = performer.position(hand) + Vec3::new(0.0, 0.004, 0.002) * f32::from(frame);
            let q = Quat::IDENTITY;
            let at = [-target.x, target.y, target.z, q.x, q.y, q.z, q.w];
            osc::bundle(&[pose, osc::named("/VMC/Ext/Con/Pos", b"controller", &at)])
        }),
    );
    let error = distance(&session, "leftHand", target);
    assert!(error < 1e-3, "the hand is {error} m from the controller");
}

#[test]
fn plain_positions_are_recorded_and_replayed_bit_for_bit() {
    let mut target = Vec3::ZERO;
    let session = recorded(
        "positions",
        (0..20_u16).map(|frame| {
            let time = f32::from(frame) * 0.05;
            target = Vec3::new(0.35, 1.1 + 0.2 * time.sin(), 0.35);
            let named = |name: &str, at: Vec3| osc::named("/position", name.as_bytes(), &at.to_array());
            osc::bundle(&[
                named("left_wrist", target),
                named("hips", Vec3::new(0.0, 0.9 - 0.05 * time, 0.02 * time)),
            ])
        }),
    );
    let error = distance(&session, "leftHand", target);
    assert!(error < 1e-3, "the hand is {error} m from its position");
}
