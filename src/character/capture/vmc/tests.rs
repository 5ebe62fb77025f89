//! Checks that a known motion sent with the protocol is recovered on skeletons with arbitrary joint axes, and that invalid packets are
//! dropped.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use glam::{Affine3A, Quat, Vec3};
use rosc::{OscBundle, OscMessage, OscPacket, OscTime, OscType};

use crate::asset;
use crate::asset::Character;
use crate::capture::calibration_pose;
use crate::capture::tests::{SampledWalk, walk, with_other_axes, worlds};
use crate::pose::Pose;
use sinew_base::Random;

use super::*;

fn message(address: &str, name: Option<&str>, numbers: &[f32]) -> OscPacket {
    let args = name.map(|n| OscType::String(n.to_owned())).into_iter();
    let args = args.chain(numbers.iter().map(|x| OscType::Float(*x))).collect();
    OscPacket::Message(OscMessage { addr: address.to_owned(), args })
}

/// A message with a transform, converted to Unity's space.
fn transform(address: &str, name: &str, p: Vec3, q: Quat) -> OscPacket {
    message(address, Some(name), &[-p.x, p.y, p.z, q.x, -q.y, -q.z, q.w])
}

fn bundle(content: Vec<OscPacket>) -> OscPacket {
    OscPacket::Bundle(OscBundle { timetag: OscTime { seconds: 0, fractional: 1 }, content })
}

fn bytes(packet: &OscPacket) -> Vec<u8> {
    rosc::encoder::encode(packet).unwrap()
}

fn orientation(world: &Affine3A) -> Quat {
    Quat::from_mat3a(&world.matrix3)
}

/// Encodes a pose of the mannequin as a performer sends it: the rotation of every bone relative to the T-pose, in world
/// axes.
fn encode_pose(character: &Character, pose: &Pose) -> Vec<u8> {
    let bones = &character.humanoid.as_ref().unwrap().bones;
    let world = worlds(character, pose);
    let calibration = worlds(character, &calibration_pose(&character.skeleton, bones, 0.0));
    let mut turns = BTreeMap::new();
    let mut content = vec![
        OscPacket::Message(OscMessage { addr: "/VMC/Ext/OK".to_owned(), args: vec![OscType::Int(1)] }),
        message("/VMC/Ext/T", None, &[1.5]),
        transform("/VMC/Ext/Root/Pos", "root", Vec3::ZERO, Quat::IDENTITY),
    ];
    for bone in Bone::all() {
        let above = bone.logical_parent().map_or(Quat::IDENTITY, |c| turns[&c]);
        let node = bones.get(&bone.vrm());
        let turn = node.map_or(above, |&n| orientation(&world[n]) * orientation(&calibration[n]).inverse());
        turns.insert(bone, turn);
        let position = if bone == Bone::HIPS { world[bones["hips"]].translation.into() } else { Vec3::ZERO };
        content.push(transform("/VMC/Ext/Bone/Pos", bone.unity(), position, above.inverse() * turn));
    }
    bytes(&bundle(content))
}

fn performer_from(packet: &[u8]) -> Performer {
    let (mut events, mut performer) = (Vec::new(), Performer::default());
    decode(packet, &mut events).unwrap();
    events.into_iter().for_each(|e| performer.update(e));
    performer
}

fn assert_same_positions(seen: &SampledWalk, target: &Character, pose: &Pose, truth: &Pose, heading: Quat) {
    let (now, truth) = (worlds(target, pose), worlds(&seen.character, truth));
    for &joint in &seen.joints {
        let expected = heading * Vec3::from(truth[joint].translation);
        let error = expected.distance(now[joint].translation.into());
        assert!(error < 1e-3, "{}: {error} m", target.skeleton.label(joint));
    }
}

#[test]
fn a_sent_walk_is_recovered_for_any_joint_axes_and_heading() {
    let seen = walk(1.0);
    let bones = seen.character.humanoid.clone().unwrap().bones;
    for heading in [Quat::IDENTITY, Quat::from_rotation_y(std::f32::consts::PI)] {
        let target = with_other_axes(seen.character.clone(), heading, 1.0);
        let mut live = LiveCharacter::new(&target, &bones).unwrap();
        let mut pose = Pose::rest(&target.skeleton);
        for truth in &seen.poses {
            live.pose(&performer_from(&encode_pose(&seen.character, truth)), &mut pose);
            assert_same_positions(&seen, &target, &pose, truth, heading);
        }
    }
}

#[test]
fn live_motion_is_recorded_as_a_clip() {
    let seen = walk(0.5);
    let bones = seen.character.humanoid.clone().unwrap().bones;
    let receiver = Receiver::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let mut source = LiveSource::new(receiver, LiveCharacter::new(&seen.character, &bones).unwrap());
    let mut pose = Pose::rest(&seen.character.skeleton);
    assert!(!source.update(0.0, &mut pose), "no packet has arrived yet");
    source.record(&seen.character.skeleton);
    let sender = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    for (frame, truth) in seen.poses.iter().enumerate() {
        sender.send_to(&encode_pose(&seen.character, truth), source.receiver.address()).unwrap();
        let deadline = Instant::now() + Duration::from_secs(10);
        while source.receiver.with_state(|s| s.packets) <= frame as u64 && Instant::now() < deadline {
            std::thread::sleep(Duration::from_micros(200));
        }
        assert!(source.update(frame as f64 / 60.0, &mut pose));
        // A frame without a new packet records nothing.
        assert!(!source.update(frame as f64 / 60.0 + 1e-3, &mut pose));
    }
    assert_eq!(source.recorded(), Some(seen.poses.len()));
    let clip = source.stop(&seen.character.skeleton, "take").unwrap();
    assert!(source.recorded().is_none() && source.stop(&seen.character.skeleton, "none").is_none());
    let (mut played, mut playhead) =
        (Pose::rest(&seen.character.skeleton), crate::motion::Playhead::default());
    playhead.sample(&clip, 20.0 / 60.0, &seen.character.skeleton, &mut played);
    assert_same_positions(&seen, &seen.character, &played, &seen.poses[20], Quat::IDENTITY);
}

#[test]
fn world_rotations_match_the_sent_ones_on_a_scaled_character() {
    let seen = walk(0.3);
    let bones = seen.character.humanoid.clone().unwrap().bones;
    let target = with_other_axes(seen.character.clone(), Quat::IDENTITY, 100.0);
    let mut live = LiveCharacter::new(&target, &bones).unwrap();
    let calibration = worlds(&target, &calibration_pose(&target.skeleton, &bones, 0.0));
    let sent_calibration = worlds(&seen.character, &calibration_pose(&seen.character.skeleton, &bones, 0.0));
    let mut pose = Pose::rest(&target.skeleton);
    for truth in &seen.poses {
        live.pose(&performer_from(&encode_pose(&seen.character, truth)), &mut pose);
        let (now, truth) = (worlds(&target, &pose), worlds(&seen.character, truth));
        for &joint in &seen.joints {
            let turn = |a: &Affine3A, b: &Affine3A| {
                Affine3A::from_mat3(a.matrix3.into()).matrix3 * b.matrix3.inverse()
            };
            let expected = Quat::from_mat3a(&turn(&truth[joint], &sent_calibration[joint]));
            let got = Quat::from_mat3a(&turn(&now[joint], &calibration[joint]));
            assert!(got.angle_between(expected) < 3e-3, "{}", target.skeleton.label(joint));
        }
        let hips = now[bones["hips"]].translation.distance(truth[bones["hips"]].translation);
        assert!(hips < 1e-3, "hips are off by {hips} m");
    }
}

#[test]
fn the_rotation_of_a_missing_bone_is_passed_on_to_its_children() {
    let character = asset::mannequin().unwrap();
    let mut bones = character.humanoid.clone().unwrap().bones;
    let mut all = Performer::default();
    all.bones = [Some((Vec3::ZERO, Quat::IDENTITY)); BONES];
    all.bones[Bone::from_unity("Chest").unwrap().index()] = Some((Vec3::ZERO, Quat::from_rotation_x(0.3)));
    let head = bones["head"];
    let turned = |bones: &BTreeMap<String, usize>| {
        let mut pose = Pose::rest(&character.skeleton);
        LiveCharacter::new(&character, bones).unwrap().pose(&all, &mut pose);
        orientation(&worlds(&character, &pose)[head])
    };
    let with = turned(&bones);
    bones.remove("chest");
    assert!(turned(&bones).angle_between(with) < 1e-3);
    // A performer without values leaves the pose unchanged.
    let mut pose = Pose::rest(&character.skeleton);
    let before = pose.clone();
    LiveCharacter::new(&character, &bones).unwrap().pose(&Performer::default(), &mut pose);
    assert_eq!(pose, before);
    assert!(LiveCharacter::new(&character, &BTreeMap::new()).is_err());
}

#[test]
fn level_matches_the_hip_height_of_a_taller_performer() {
    let seen = walk(0.1);
    let bones = &seen.character.humanoid.as_ref().unwrap().bones;
    let mut live = LiveCharacter::new(&seen.character, bones).unwrap();
    let mut performer = performer_from(&encode_pose(&seen.character, &Pose::rest(&seen.character.skeleton)));
    performer.bones[0].as_mut().unwrap().0 *= 1.25;
    assert!(!live.level(&Performer::default()));
    assert!(live.level(&performer));
    assert!((live.scale - 0.8).abs() < 1e-4, "scale {}", live.scale);
}

#[test]
fn morph_weights_take_effect_when_applied() {
    let mut character = asset::mannequin().unwrap();
    let node = character.skeleton.nodes.iter().position(|n| n.mesh.is_some()).unwrap();
    let mesh = character.skeleton.nodes[node].mesh.unwrap();
    character.meshes[mesh].target_names = vec!["Smile".to_owned(), "Blink".to_owned()];
    character.skeleton.nodes[node].morph_weights = 0..2;
    character.skeleton.rest_weights = vec![0.0; 2];
    let bones = character.humanoid.clone().unwrap().bones;
    let mut live = LiveCharacter::new(&character, &bones).unwrap();
    let mut pose = Pose::rest(&character.skeleton);
    let mut performer = performer_from(&bytes(&message("/VMC/Ext/Blend/Val", Some("blink"), &[1.5])));
    live.pose(&performer, &mut pose);
    assert_eq!(pose.weights, [0.0, 0.0]);
    performer.update(VmcEvent::Apply);
    live.pose(&performer, &mut pose);
    assert_eq!(pose.weights, [0.0, 1.0]);
    // The number of stored names is bounded.
    for i in 0..10_000 {
        performer.update(VmcEvent::Morph(format!("{i}"), 1.0));
    }
    performer.update(VmcEvent::Apply);
    assert!(performer.morphs.len() <= 512);
}

#[test]
fn unity_transforms_are_mirrored() {
    // A rotation about Unity's +Y, which is clockwise from above, is a rotation about −Y here.
    let q = Quat::from_rotation_y(0.5);
    let packet = bytes(&message("/VMC/Ext/Bone/Pos", Some("hips"), &[1.0, 2.0, 3.0, q.x, q.y, q.z, q.w]));
    let (position, rotation) = performer_from(&packet).bones[0].unwrap();
    assert_eq!(position, Vec3::new(-1.0, 2.0, 3.0));
    assert!(rotation.angle_between(Quat::from_rotation_y(-0.5)) < 1e-3);
}

/// Receives a packet, and returns the goals for the mannequin in its rest pose.
fn goals_of(live: &mut LiveCharacter, performer: &mut Performer, packet: &OscPacket) -> Vec<LiveGoal> {
    let mut events = Vec::new();
    decode(&bytes(packet), &mut events).unwrap();
    events.into_iter().for_each(|event| performer.update(event));
    let mut pose = Pose::rest(&asset::mannequin().unwrap().skeleton);
    live.pose(performer, &mut pose);
    live.goals().to_vec()
}

#[test]
fn trackers_become_goals_of_the_nearest_bones_and_joints_those_of_their_names() {
    let mannequin = asset::mannequin().unwrap();
    let bones = &mannequin.humanoid.as_ref().unwrap().bones;
    let world = worlds(&mannequin, &Pose::rest(&mannequin.skeleton));
    let at = |bone: &str| Vec3::from(world[bones[bone]].translation);
    let aside = Vec3::new(0.0, 0.05, 0.08);
    let device = |address: &str, name: &str, at: Vec3| transform(address, name, at, Quat::IDENTITY);
    let sent = bundle(vec![
        device("/VMC/Ext/Hmd/Pos", "headset", at("head") + aside),
        device("/VMC/Ext/Con/Pos", "left controller", at("leftHand") + aside),
        device("/VMC/Ext/Tra/Pos", "LHR-1", at("hips") + aside),
        device("/VMC/Ext/Tra/Pos", "chosen", at("rightFoot") + aside),
        device("/VMC/Ext/Tra/Pos", "base station", Vec3::new(2.0, 2.0, 2.0)),
        message("/position", Some("WristRight"), &at("rightHand").to_array()),
        message("/position/left_ankle", None, &at("leftFoot").to_array()),
    ]);
    let mut live = LiveCharacter::new(&mannequin, bones).unwrap();
    live.set_tracker("chosen", Bone::from_vrm("rightFoot").unwrap());
    let (mut performer, moved) = (Performer::default(), Vec3::new(0.1, 0.0, 0.2));
    let goals = goals_of(&mut live, &mut performer, &sent);
    let goal_of = |goals: &[LiveGoal], bone: &str| *goals.iter().find(|g| g.node == bones[bone]).expect(bone);
    assert_eq!(goals.len(), 6);
    for bone in ["head", "leftHand", "hips", "rightFoot", "rightHand", "leftFoot"] {
        let goal = goal_of(&goals, bone);
        let is_joint = ["rightHand", "leftFoot"].contains(&bone);
        // A tracker moves the point of the bone at which it is worn, so that the pose does not jump to it.
        assert!(world[bones[bone]].transform_point3(goal.offset).distance(goal.position) < 1e-4, "{bone}");
        assert_eq!(goal.offset == Vec3::ZERO, is_joint, "{bone}");
    }
    // The assignment stays when the tracker moves.
    let next = device("/VMC/Ext/Con/Pos", "left controller", at("rightHand") + aside + moved);
    let hand = goal_of(&goals_of(&mut live, &mut performer, &next), "leftHand");
    assert!(hand.position.distance(at("rightHand") + aside + moved) < 1e-5);
    // Positions follow the scale and the direction of the character.
    live.scale = 0.5;
    let next = message("/position", Some("WristRight"), &[-0.4, 1.0, 0.2]);
    let hand = goal_of(&goals_of(&mut live, &mut performer, &next), "rightHand");
    assert!(hand.position.distance(Vec3::new(-0.2, 0.5, 0.1)) < 1e-5);
}

#[test]
fn malformed_positions_are_refused_and_few_trackers_are_stored() {
    let error = |packet: &OscPacket| decode(&bytes(packet), &mut Vec::new()).unwrap_err().to_string();
    for (packet, address) in [
        (message("/position", Some("leftHand"), &[1.0, 2.0]), "/position"),
        (message("/position", None, &[1.0, 2.0, 3.0]), "/position"),
        (message("/position", Some(&"x".repeat(65)), &[1.0, 2.0, 3.0]), "/position"),
        (message("/position", Some("leftHand"), &[1.0, f32::NAN, 3.0]), "/position"),
        (message("/position/leftHand", None, &[1e5, 2.0, 3.0]), "/position/leftHand"),
        (message("/VMC/Ext/Tra/Pos", Some("a"), &[1.0, 2.0, 3.0]), "/VMC/Ext/Tra/Pos"),
    ] {
        assert_eq!(error(&packet), format!("{address}: the arguments are missing or invalid"));
    }
    let mut performer = Performer::default();
    for number in 0..1000 {
        performer.update(VmcEvent::Tracker(format!("tracker {number}"), Vec3::ZERO));
    }
    performer.update(VmcEvent::Tracker("tracker 0".to_owned(), Vec3::X));
    assert_eq!((performer.trackers.len(), performer.trackers["tracker 0"]), (64, Vec3::X));
}

#[test]
fn invalid_packets_are_errors_and_unknown_messages_are_skipped() {
    let error = |packet: &[u8]| decode(packet, &mut Vec::new()).unwrap_err().to_string();
    assert_eq!(error(b""), "the packet is not a valid OSC message or bundle");
    assert_eq!(error(b"hello"), "the packet is not a valid OSC message or bundle");
    assert_eq!(error(&vec![0; 65_508]), "the packet has 65508 bytes, but a datagram has at most 65507");
    let zero_rotation = bytes(&message("/VMC/Ext/Bone/Pos", Some("Hips"), &[0.0; 7]));
    assert_eq!(error(&zero_rotation), "/VMC/Ext/Bone/Pos: the arguments are missing or invalid");
    let not_finite =
        bytes(&message("/VMC/Ext/Bone/Pos", Some("Hips"), &[f32::NAN, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]));
    assert_eq!(error(&not_finite), "/VMC/Ext/Bone/Pos: the arguments are missing or invalid");
    // A bundle with one invalid message is dropped as a whole.
    let mut events = Vec::new();
    let good = message("/VMC/Ext/T", None, &[1.0]);
    let half_valid = bundle(vec![good.clone(), message("/VMC/Ext/T", None, &[f32::INFINITY])]);
    assert!(decode(&bytes(&half_valid), &mut events).is_err() && events.is_empty());
    // Other messages of the protocol, and messages of extensions, are skipped.
    let others =
        bundle(vec![good, message("/VMC/Ext/Cam", Some("Camera"), &[1.0]), message("/other", None, &[])]);
    assert_eq!(decode(&bytes(&others), &mut events), Ok(1));
    // Old senders omit the type tags of a message without arguments.
    assert_eq!(decode(b"/VMC/Ext/Blend/Apply\0\0\0\0", &mut events), Ok(1));
    let tail = transform("/VMC/Ext/Bone/Pos", "Tail", Vec3::ZERO, Quat::IDENTITY);
    assert_eq!(decode(&bytes(&tail), &mut events), Ok(0));
}

/// A message inside `depth` nested bundles.
fn nested(depth: usize) -> Vec<u8> {
    let mut packet = bytes(&message("/VMC/Ext/T", None, &[1.0]));
    for _ in 0..depth {
        let mut outer = b"#bundle\0\0\0\0\0\0\0\0\x01".to_vec();
        outer.extend(u32::try_from(packet.len()).unwrap().to_be_bytes());
        outer.extend(packet);
        packet = outer;
    }
    packet
}

#[test]
fn nesting_is_bounded() {
    assert_eq!(decode(&nested(8), &mut Vec::new()), Ok(1));
    assert_eq!(decode(&nested(9), &mut Vec::new()), Err(PacketError::TooDeep));
    assert_eq!(decode(&nested(3000), &mut Vec::new()), Err(PacketError::TooDeep));
    // Nested arrays, each of which would need one level of recursion when it is dropped.
    let mut arrays = b"/VMC/Ext/T\0\0,".to_vec();
    arrays
        .extend(std::iter::repeat_n(b'[', 32_000).chain(std::iter::repeat_n(b']', 32_000)).chain([0, 0, 0]));
    assert!(matches!(decode(&arrays, &mut Vec::new()), Err(PacketError::Arguments { .. })));
}

/// Returns a copy of a packet in which some bytes are changed, removed or repeated.
fn mutated(packet: &[u8], random: &mut Random) -> Vec<u8> {
    let mut out = packet.to_vec();
    for _ in 0..=random.below(4) {
        let (at, to) = (random.below(out.len()), random.below(out.len()));
        match random.below(6) {
            0 if !out.is_empty() => out[at] = random.below(256) as u8,
            1 if !out.is_empty() => out[at] ^= 1 << random.below(8),
            2 => out.truncate(at),
            3 => out.extend_from_slice(&packet[..at.min(packet.len())]),
            4 if at < to => drop(out.drain(at..to)),
            _ if !out.is_empty() => {
                out[at / 4 * 4..].iter_mut().take(4).for_each(|b| *b = [0, 255, 127][to % 3]);
            }
            _ => {}
        }
    }
    out
}

/// `SINEW_HOSTILE_PACKETS` sets the number of packets. A million packets take a few seconds. `tests/live` measures the
/// cost of such packets.
#[test]
fn hostile_packets_neither_panic_nor_break_the_pose() {
    let count = std::env::var("SINEW_HOSTILE_PACKETS").ok().and_then(|n| n.parse().ok()).unwrap_or(5_000);
    let seen = walk(0.1);
    let bones = &seen.character.humanoid.as_ref().unwrap().bones;
    let mut live = LiveCharacter::new(&seen.character, bones).unwrap();
    let one = |p: OscPacket| bytes(&p);
    let seeds = [
        encode_pose(&seen.character, &seen.poses[3]),
        one(transform("/VMC/Ext/Bone/Pos", "LeftUpperArm", Vec3::X, Quat::IDENTITY)),
        one(bundle(vec![
            message("/VMC/Ext/Blend/Val", Some("Joy"), &[0.5]),
            message("/VMC/Ext/Blend/Apply", None, &[]),
        ])),
        nested(8),
        nested(40),
        vec![b'#'; 2000],
    ];
    let (mut random, mut events, mut performer) = (Random(7), Vec::new(), Performer::default());
    let mut pose = Pose::rest(&seen.character.skeleton);
    let mut good = 0_usize;
    for i in 0..count {
        let packet = mutated(&seeds[random.below(seeds.len())], &mut random);
        good += usize::from(decode(&packet, &mut events).is_ok());
        events.drain(..).for_each(|e| performer.update(e));
        if i % 16 == 0 {
            live.pose(&performer, &mut pose);
            assert!(pose.locals.iter().all(|l| l.rotation.is_normalized() && l.translation.is_finite()));
        }
    }
    assert!(good > 0 && good < count, "{good} of {count} packets were valid");
}

#[test]
fn replayed_packets_are_received() {
    let seen = walk(0.1);
    let mut writer = PacketWriter::new(Vec::new()).unwrap();
    for (frame, pose) in (0_u32..).zip(&seen.poses) {
        writer.write(Duration::from_millis(5) * frame, &encode_pose(&seen.character, pose)).unwrap();
    }
    writer.write(Duration::ZERO, b"not for us").unwrap();
    assert!(writer.write(Duration::ZERO, &vec![0; 70_000]).is_err());
    let bytes = writer.into_inner();
    let file = PacketFile::parse(Path::new("walk.packets"), &bytes).unwrap();
    assert_eq!(file.packets.len(), seen.poses.len() + 1);

    let receiver = Receiver::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    assert_eq!(replay(&file, receiver.address(), 1.0).unwrap(), file.packets.len());
    let all = file.packets.len() as u64;
    let deadline = Instant::now() + Duration::from_secs(10);
    while receiver.with_state(|s| s.packets + s.dropped) < all && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    let state = receiver.with_state(ReceiverState::clone);
    assert_eq!((state.packets, state.dropped), (all - 1, 1));
    assert!(state.last.is_some() && state.failure.is_none() && state.performer.ready == Some(true));
    assert_eq!(state.last_error.as_deref(), Some("the packet is not a valid OSC message or bundle"));
    let mut pose = Pose::rest(&seen.character.skeleton);
    let bones = &seen.character.humanoid.as_ref().unwrap().bones;
    LiveCharacter::new(&seen.character, bones).unwrap().pose(&state.performer, &mut pose);
    assert_same_positions(&seen, &seen.character, &pose, seen.poses.last().unwrap(), Quat::IDENTITY);

    // A dropped receiver frees its address.
    let address = receiver.address();
    drop(receiver);
    assert!(Receiver::bind(address).is_ok());
    assert!(replay(&file, "192.0.2.1:39539".parse().unwrap(), 1.0).is_err());
    assert!(replay(&file, address, 0.0).is_err());
}

#[test]
fn invalid_packet_files_are_errors() {
    let path = Path::new("odd.packets");
    let parse = |bytes: &[u8]| PacketFile::parse(path, bytes);
    assert_eq!(
        parse(b"RIFF").unwrap_err().to_string(),
        "odd.packets: does not begin with \"sinew-packets-1\""
    );
    let mut writer = PacketWriter::new(Vec::new()).unwrap();
    writer.write(Duration::from_secs(2), b"/a\0\0").unwrap();
    writer.write(Duration::from_secs(3), b"/b\0\0").unwrap();
    let good = writer.into_inner();
    for cut in 16..good.len() {
        assert_eq!(parse(&good[..cut]).unwrap().packets.len(), usize::from(cut >= 32), "{cut}");
    }
    let mut back = good.clone();
    back[32..40].fill(0);
    assert_eq!(
        parse(&back).unwrap_err().to_string(),
        "odd.packets: packets[1]: the time is before that of the previous packet"
    );
    let mut long = good;
    long[24..28].fill(255);
    assert!(parse(&long).unwrap_err().to_string().contains("packets[0]: 4294967295 bytes is more"));
}
