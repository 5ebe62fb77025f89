//! Contacts that a motion maintains regardless of its keys.

use glam::{DVec3, Quat, Vec3};
use sinew::asset::{self, Character};
use sinew::export::bake::bake;
use sinew::motion::{Contact, Easing, Motion, Player, Playhead, PoseKey};
use sinew::pose::{Pose, world_matrix};
use sinew::puppet::{Puppet, Target};
use sinew::rig::Foot;

use sinew_testkit::external_or_skip;

/// Maximum movement of a point in contact, in metres at human size.
const STILL: f32 = 2e-3;
const ADVENTURER: &str = "models/quaternius/modular_men/Adventurer/Adventurer.glb";

/// A character, and a motion of two keys a second apart with one contact.
struct Figure {
    puppet: Puppet,
    motion: Motion,
    contact: Contact,
}

impl Figure {
    fn new(character: Character, contact: impl Fn(&Puppet) -> Contact) -> Self {
        let scene = character.default_scene;
        let puppet = Puppet::new(character, scene);
        let contact = contact(&puppet);
        Self { motion: Motion { contacts: vec![contact], ..Motion::default() }, contact, puppet }
    }

    /// Sets the poses of the keys.
    fn key(&mut self, poses: [&Pose; 2]) {
        for (time, pose) in [0.0, 1.0].into_iter().zip(poses) {
            let key = PoseKey::new(time, pose, &self.puppet.character().skeleton);
            self.motion = self.motion.with_key(PoseKey { easing: Easing::Linear, ..key });
        }
        self.puppet.motion = self.motion.clone();
    }

    fn size(&self) -> f32 {
        self.puppet.rig.body.as_ref().unwrap().size
    }

    fn rest(&self) -> Pose {
        Pose::rest(&self.puppet.character().skeleton)
    }

    /// Returns the pose in which a node is pulled from rest.
    fn pulled(&mut self, node: usize, by: DVec3) -> Pose {
        let motion = std::mem::take(&mut self.puppet.motion);
        self.puppet.update().unwrap();
        let place = self.puppet.world_from_node()[node].translation.as_dvec3();
        let target = Target::new(node).with_position(place + by * f64::from(self.size()));
        self.puppet.targets = vec![target];
        self.puppet.update().unwrap();
        self.puppet.targets.clear();
        self.puppet.motion = motion;
        self.puppet.pose().clone()
    }

    fn played(&mut self, time: f32) -> Pose {
        self.puppet.time = time;
        self.puppet.update().unwrap();
        self.puppet.pose().clone()
    }

    /// Returns the position of the point in contact in a pose, relative to the touched node or the ground, in metres at human size.
    fn place(&self, pose: &Pose) -> Vec3 {
        let skeleton = &self.puppet.character().skeleton;
        let world = world_matrix(skeleton, pose, self.contact.node);
        let on = self.contact.on.map(|on| world_matrix(skeleton, pose, on)).unwrap_or_default();
        // A scaled frame would change the distance, so undo its scale.
        let scale = on.matrix3.x_axis.length();
        on.inverse().transform_point3(world.transform_point3(self.contact.point)) * scale / self.size()
    }

    /// Returns the largest movement of the point at times within the contact.
    fn moved(&self, poses: &[Pose]) -> f32 {
        let first = self.place(&poses[0]);
        poses.iter().map(|pose| self.place(pose).distance(first)).fold(0.0, f32::max)
    }

    fn times(&self) -> Vec<f32> {
        let Contact { from, to, .. } = self.contact;
        (0..60_u8).map(|i| from + (to - from) * f32::from(i) / 59.0).collect()
    }

    /// Checks that the contact holds in playback, in both directions, and in the baked clip.
    #[track_caller]
    fn check(&mut self) {
        let times = self.times();
        let poses: Vec<Pose> = times.iter().map(|time| self.played(*time)).collect();
        let moved = self.moved(&poses);
        assert!(moved < STILL, "{moved}");
        for (time, pose) in times.iter().zip(&poses).rev() {
            assert_eq!(&self.played(*time), pose, "{time}");
        }
        let clip = bake(&mut self.puppet, 0.0..1.0, 30.0, "held").unwrap().0;
        let (mut playhead, skeleton) = (Playhead::default(), &self.puppet.character().skeleton);
        let sample = |time: &f32| {
            let mut pose = Pose::rest(skeleton);
            playhead.sample(&clip, *time, skeleton, &mut pose);
            pose
        };
        let baked: Vec<Pose> = times.iter().map(sample).collect();
        let moved = self.moved(&baked);
        assert!(moved < STILL, "baked: {moved}");
    }

    /// Returns the distance that the point moves without the contact.
    fn free(&mut self) -> f32 {
        self.puppet.motion.contacts.clear();
        let poses: Vec<Pose> = self.times().iter().map(|time| self.played(*time)).collect();
        self.puppet.motion = self.motion.clone();
        self.moved(&poses)
    }
}

fn contact(node: usize) -> Contact {
    Contact { node, point: Vec3::ZERO, from: 0.2, to: 0.8, slides: false, on: None }
}

/// Keys move a foot forward by 10 cm, and a contact keeps its ball where it is.
fn foot_held(character: Character) -> Figure {
    let mut figure = Figure::new(character, |puppet| {
        let foot = puppet.rig.soles().next().unwrap();
        Contact { point: foot.ball, ..contact(foot.node) }
    });
    let (rest, forward) = (figure.rest(), figure.pulled(figure.contact.node, DVec3::new(0.0, 0.02, 0.1)));
    figure.key([&rest, &forward]);
    figure
}

/// The trunk bends and the hips move down while a palm is on the hips.
fn hand_on_hips(character: Character) -> Figure {
    let mut figure = Figure::new(character, |puppet| {
        let [hand, hips] = ["leftHand", "hips"].map(|bone| puppet.rig.bones[bone]);
        Contact { on: Some(hips), ..contact(hand) }
    });
    let [hips, spine, hand] = ["hips", "spine", "leftHand"].map(|bone| figure.puppet.rig.bones[bone]);
    let start = figure.pulled(hand, DVec3::new(-0.05, -0.1, 0.1));
    let mut end = figure.pulled(hips, DVec3::Y * -0.2);
    let turn = &mut end.locals[spine].rotation;
    *turn = Quat::from_rotation_x(0.6) * *turn;
    figure.key([&start, &end]);
    figure
}

#[test]
fn a_foot_stays_in_place_between_keys_that_move_it() {
    let mut figure = foot_held(asset::mannequin().unwrap());
    let free = figure.free();
    assert!(free > 0.04, "{free}");
    figure.check();
}

#[test]
fn a_hand_goes_along_with_the_hips() {
    let mut figure = hand_on_hips(asset::mannequin().unwrap());
    let free = figure.free();
    assert!(free > 0.04, "{free}");
    figure.check();
}

#[test]
fn feet_and_hands_of_a_stranger_are_held() {
    let Some(path) = external_or_skip(ADVENTURER) else { return };
    let character = asset::load(&path).unwrap();
    for mut figure in [foot_held(character.clone()), hand_on_hips(character)] {
        let free = figure.free();
        assert!(free > 0.03, "{free}");
        figure.check();
    }
}

/// The contact holds the foot at its position at the start of the contact, and the foot moves there and back without a jump.
#[test]
fn a_contact_begins_where_the_foot_is_and_fades() {
    let mut figure = foot_held(asset::mannequin().unwrap());
    let at = |figure: &mut Figure, time: f32| {
        let pose = figure.played(time);
        figure.place(&pose)
    };
    let held = at(&mut figure, 0.5);
    let places: Vec<Vec3> = (0..=240_u8).map(|i| at(&mut figure, f32::from(i) / 240.0)).collect();
    let jump = places.windows(2).map(|pair| pair[0].distance(pair[1])).fold(0.0, f32::max);
    assert!(jump < 0.01, "{jump}");
    figure.puppet.motion.contacts.clear();
    assert!(at(&mut figure, 0.2).distance(held) < STILL);
    for time in [0.0, 0.04, 0.96, 1.0] {
        let index = (time * 240.0_f32).round() as usize;
        assert!(at(&mut figure, time).distance(places[index]) < 1e-3, "{time}");
    }
}

/// While a contact lasts, it takes precedence over the feet that the keys plant.
#[test]
fn a_contact_replaces_what_the_keys_plant() {
    let mut figure = Figure::new(asset::mannequin().unwrap(), |puppet| {
        let foot = puppet.rig.soles().next().unwrap().node;
        Contact { on: Some(puppet.rig.bones["hips"]), ..contact(foot) }
    });
    let hips = figure.puppet.rig.bones["hips"];
    let (rest, low) = (figure.rest(), figure.pulled(hips, DVec3::Y * -0.3));
    figure.key([&rest, &low]);
    let feet: Vec<Foot> = figure.puppet.rig.soles().collect();
    let held_on = |motion: &Motion, time: f32| {
        let (mut pose, mut constraints) = (rest.clone(), Vec::new());
        let character = figure.puppet.character();
        Player::default().pose(character, motion, &feet, time, &mut pose, &mut constraints);
        let own = constraints.iter().filter(|constraint| constraint.node == figure.contact.node);
        own.map(|constraint| constraint.on).collect::<Vec<_>>()
    };
    assert_eq!(held_on(&figure.motion, 0.5), [Some(hips)]);
    assert_eq!(held_on(&figure.motion, 0.02), [None]);
    let planted = Motion { contacts: Vec::new(), ..figure.motion.clone() };
    assert_eq!(held_on(&planted, 0.5), [None]);
}

/// A contact that slides follows the keys over the ground.
#[test]
fn a_contact_that_slides_keeps_the_height_only() {
    let mut figure = foot_held(asset::mannequin().unwrap());
    figure.motion.contacts[0].slides = true;
    figure.puppet.motion = figure.motion.clone();
    let places: Vec<Vec3> = figure
        .times()
        .iter()
        .map(|time| figure.played(*time))
        .collect::<Vec<_>>()
        .iter()
        .map(|pose| figure.place(pose))
        .collect();
    let (first, last) = (places[0], places[59]);
    assert!(places.iter().all(|at| (at.y - first.y).abs() < STILL));
    assert!((last - first).z > 0.04, "{first} {last}");
}

/// Two successive contacts of a foot do not affect each other.
#[test]
fn contacts_of_one_foot_follow_each_other() {
    let mut figure = foot_held(asset::mannequin().unwrap());
    let parts = [(0.1, 0.4), (0.44, 0.9)];
    figure.motion.contacts = parts.map(|(from, to)| Contact { from, to, ..figure.contact }).into();
    figure.puppet.motion = figure.motion.clone();
    for (from, to) in parts {
        figure.contact = Contact { from, to, ..figure.contact };
        let poses: Vec<Pose> = figure.times().iter().map(|time| figure.played(*time)).collect();
        let moved = figure.moved(&poses);
        assert!(moved < STILL, "{from}: {moved}");
    }
}

/// The motion jumps back by 10 cm where the loop starts over, but the foot stays where it is.
#[test]
fn a_contact_holds_a_foot_around_the_end_of_a_loop() {
    let mut figure = foot_held(asset::mannequin().unwrap());
    figure.puppet.options.looping = true;
    // Times from the start of the contact to its end, close to each other at the seam, in two rounds.
    let steps = (0..=160_u8).map(|i| 0.8 + 0.4 * f32::from(i) / 160.0);
    let near_seam = (-10..=10_i8).map(|i| 1.0 + 1e-4 * f32::from(i));
    let mut times: Vec<f32> = steps.chain(near_seam).collect();
    times.sort_by(f32::total_cmp);
    times.extend(times.clone().iter().map(|time| time + 1.0));
    let moved = |figure: &mut Figure, times: &[f32]| {
        let poses: Vec<Pose> = times.iter().map(|time| figure.played(*time)).collect();
        figure.moved(&poses)
    };
    figure.puppet.motion.contacts.clear();
    let free = moved(&mut figure, &times);
    assert!(free > 0.05, "{free}");
    figure.contact = Contact { from: 0.8, to: 0.2, ..figure.contact };
    figure.motion.contacts = vec![figure.contact];
    figure.puppet.motion = figure.motion.clone();
    let held = moved(&mut figure, &times);
    assert!(held < STILL, "{held}");
    // Before and after the contact, the foot does not jump either.
    let places: Vec<Vec3> = (0..=480_u16)
        .map(|i| figure.played(f32::from(i) / 240.0))
        .collect::<Vec<_>>()
        .iter()
        .map(|pose| figure.place(pose))
        .collect();
    let jump = places.windows(2).map(|pair| pair[0].distance(pair[1])).fold(0.0, f32::max);
    assert!(jump < 0.01, "{jump}");
    // Played once or baked, the foot is in the same place at the start as at the end.
    figure.puppet.options.looping = false;
    let ends = [0.8, 0.95, 1.0, 0.0, 0.1, 0.2];
    let once = moved(&mut figure, &ends);
    assert!(once < STILL, "{once}");
    let clip = bake(&mut figure.puppet, 0.0..1.0, 30.0, "loop").unwrap().0;
    let (mut playhead, skeleton) = (Playhead::default(), &figure.puppet.character().skeleton);
    let sample = |time: &f32| {
        let mut pose = Pose::rest(skeleton);
        playhead.sample(&clip, *time, skeleton, &mut pose);
        pose
    };
    let baked: Vec<Pose> = ends.iter().map(sample).collect();
    let baked = figure.moved(&baked);
    assert!(baked < STILL, "{baked}");
}

/// Contacts that are invalid or cannot be met still produce a finite pose.
#[test]
fn odd_contacts_leave_a_finite_pose() {
    let mut figure = foot_held(asset::mannequin().unwrap());
    let foot = figure.contact.node;
    let hips = figure.puppet.rig.bones["hips"];
    for odd in [
        Contact { node: 9999, ..contact(foot) },
        Contact { on: Some(9999), ..contact(foot) },
        Contact { on: Some(foot), ..contact(foot) },
        Contact { from: f32::NAN, ..contact(foot) },
        Contact { from: 0.5, to: 0.5, ..contact(foot) },
        Contact { from: 9.0, to: -1.0, ..contact(foot) },
        Contact { from: 1e30, to: -1e30, ..contact(hips) },
        Contact { point: Vec3::splat(1e30), ..contact(foot) },
        Contact { point: Vec3::splat(f32::INFINITY), ..contact(foot) },
        Contact { on: Some(foot), ..contact(hips) },
        Contact { from: -1e30, to: 1e30, ..contact(hips) },
    ] {
        figure.puppet.motion.contacts = vec![odd];
        for time in [0.0, 0.3, 1.0] {
            figure.puppet.time = time;
            drop(figure.puppet.update());
            assert!(figure.puppet.world_from_node().iter().all(glam::Affine3A::is_finite), "{odd:?}");
        }
    }
}
