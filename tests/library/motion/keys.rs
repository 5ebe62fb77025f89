//! Checks that feet planted by key poses stay planted between the keys.

use glam::{DVec3, Vec3};
use sinew::asset::{self, Character, Transform};
use sinew::export::bake::bake;
use sinew::motion::{Easing, Motion, Playhead, PoseKey, Strip, Tolerance, reduce};
use sinew::pose::{Pose, world_matrix};
use sinew::puppet::{Puppet, Target};
use sinew::skin::{Skinned, skin};

use sinew_testkit::external_or_skip;

/// Maximum movement of the skin of a planted foot, and maximum depth of the skin of any foot below the floor, in metres at human size.
const STILL: f32 = 2e-3;
/// Maximum movement of planted skin from one key to the next, in metres at human size.
const SAME: f32 = 1e-3;

/// A character, and the vertices that its feet move.
struct Figure {
    puppet: Puppet,
    /// Part and vertex.
    skin: Vec<(usize, usize)>,
    size: f32,
    floor: f32,
}

impl Figure {
    fn new(character: Character) -> Self {
        let scene = character.default_scene;
        let puppet = Puppet::new(character, scene);
        let feet: Vec<usize> = puppet.rig.feet().collect();
        assert_eq!(feet.len(), 2);
        let skeleton = &puppet.character().skeleton;
        let is_of_foot = |node: usize| skeleton.ancestors(node).any(|above| feet.contains(&above));
        let mut skin = Vec::new();
        for (index, part) in puppet.parts().iter().enumerate() {
            let joints = part.skin.map(|skin| &puppet.character().skins[skin].joints);
            let primitive = puppet.character().primitive(*part);
            let moves = |vertex: usize| match joints {
                None => is_of_foot(part.node),
                Some(joints) => {
                    let sets = primitive.influences.iter();
                    let all = sets
                        .flat_map(|set| set.joints[vertex].into_iter().zip(set.weights[vertex].to_array()));
                    let own = all.filter(|(joint, _)| is_of_foot(joints[usize::from(*joint)]));
                    own.map(|(_, weight)| weight).sum::<f32>() > 0.999
                }
            };
            skin.extend((0..primitive.positions.len()).filter(|v| moves(*v)).map(|vertex| (index, vertex)));
        }
        let body = puppet.rig.body.as_ref().unwrap();
        Self { size: body.size, floor: body.floor, skin, puppet }
    }

    /// Returns the positions of the vertices of the feet, and of the balls of the feet, in a pose.
    fn vertices(&mut self, pose: &Pose) -> Vec<Vec3> {
        self.puppet.follow(pose, &[]).unwrap();
        let puppet = &self.puppet;
        let skinned = puppet.parts().iter().enumerate().map(|(index, part)| {
            let mut out = Skinned::default();
            skin(
                puppet.character().primitive(*part),
                puppet.palette().matrices(index).unwrap(),
                &[],
                &mut out,
            );
            out.positions
        });
        let skinned: Vec<Vec<Vec3>> = skinned.collect();
        let skin = self.skin.iter().map(|&(part, vertex)| skinned[part][vertex]);
        // Include the balls, because a heel that is raised in one of two keys leaves only the ball in place.
        let balls =
            puppet.rig.soles().map(|foot| puppet.world_from_node()[foot.node].transform_point3(foot.ball));
        skin.chain(balls).collect()
    }

    /// Returns the pose in which joints are pulled from rest by vectors, in metres at human size.
    fn pulled(&mut self, pulls: &[(usize, DVec3)]) -> Pose {
        self.puppet.motion = Motion::default();
        self.puppet.update().unwrap();
        let target = |&(node, pull): &(usize, DVec3)| {
            let place = self.puppet.world_from_node()[node].translation.as_dvec3();
            Target::new(node).with_position(place + pull * f64::from(self.size))
        };
        self.puppet.targets = pulls.iter().map(target).collect();
        self.puppet.update().unwrap();
        self.puppet.targets.clear();
        self.puppet.pose().clone()
    }

    fn squat(&mut self, pull: DVec3) -> Pose {
        let hips = self.puppet.rig.body.as_ref().unwrap().hips;
        self.pulled(&[(hips, pull)])
    }

    fn rest(&self) -> Pose {
        Pose::rest(&self.puppet.character().skeleton)
    }

    /// Returns a motion with keys that are a second apart.
    fn keyed(&self, poses: &[&Pose], easing: Easing) -> Motion {
        let skeleton = &self.puppet.character().skeleton;
        let mut motion = Motion::default();
        for (time, pose) in (0..3_u8).zip(poses) {
            let key = PoseKey::new(f32::from(time), pose, skeleton);
            motion = motion.with_key(PoseKey { easing, ..key });
        }
        motion
    }

    /// Returns the largest distance by which skin moves although both keys have it in the same place, and the largest depth of skin below
    /// the floor and the keys. Skin is in the same place if it moves by at most [`SAME`].
    fn faults(
        &mut self,
        [from, to]: [&Pose; 2],
        mut pose: impl FnMut(&mut Puppet, f32) -> Pose,
        steps: u16,
    ) -> (f32, f32) {
        let [from, to] = [from, to].map(|pose| self.vertices(pose));
        let planted: Vec<usize> =
            (0..from.len()).filter(|&v| from[v].distance(to[v]) < SAME * self.size).collect();
        assert!(!planted.is_empty());
        let lowest = |vertices: &[Vec3]| vertices.iter().map(|v| v.y).fold(self.floor, f32::min);
        let bound = lowest(&from).min(lowest(&to));
        let (mut moved, mut sunk) = (0.0_f32, 0.0_f32);
        for step in 0..=steps {
            let pose = pose(&mut self.puppet, f32::from(step) / f32::from(steps));
            let now = self.vertices(&pose);
            let off = |v: usize| now[v].distance(from[v]).min(now[v].distance(to[v]));
            moved = planted.iter().map(|&v| off(v)).fold(moved, f32::max);
            sunk = now.iter().map(|v| bound - v.y).fold(sunk, f32::max);
        }
        (moved / self.size, sunk / self.size)
    }

    /// Returns these faults for the baked motion, interpolated between its keys as in other programs.
    fn baked_faults(&mut self, motion: &Motion, keys: [&Pose; 2]) -> (f32, f32) {
        self.puppet.motion = motion.clone();
        let clip = bake(&mut self.puppet, 0.0..1.0, 30.0, "keyed").unwrap().0;
        let skeleton = self.puppet.character().skeleton.clone();
        let clip = reduce(&clip, &skeleton, Tolerance::default());
        let mut playhead = Playhead::default();
        self.faults(
            keys,
            |_, time| {
                let mut pose = Pose::rest(&skeleton);
                playhead.sample(&clip, time, &skeleton, &mut pose);
                pose
            },
            127,
        )
    }
}

/// Returns the pose that the motion of a puppet has at a time.
fn played(puppet: &mut Puppet, motion: &Motion, time: f32) -> Pose {
    (puppet.motion, puppet.time) = (motion.clone(), time);
    puppet.update().unwrap();
    puppet.pose().clone()
}

/// Returns the pose between keys if only joints are interpolated.
fn interpolated(puppet: &Puppet, motion: &Motion, time: f32) -> Pose {
    let skeleton = &puppet.character().skeleton;
    let mut pose = Pose::rest(skeleton);
    motion.sample_keys(skeleton, time, &mut pose);
    pose
}

/// Checks that feet planted by two keys stay in place, although they move and sink if only joints are interpolated.
#[track_caller]
fn check_planted(figure: &mut Figure, keys: [&Pose; 2], easing: Easing) {
    let motion = figure.keyed(&keys, easing);
    let raw = figure.faults(keys, |puppet, time| interpolated(puppet, &motion, time), 8);
    assert!(raw.0 > 0.03 && raw.1 > 0.03, "{raw:?}");
    let own = figure.faults(keys, |puppet, time| played(puppet, &motion, time), 41);
    assert!(own.0 < STILL && own.1 < STILL, "{own:?}");
    let baked = figure.baked_faults(&motion, keys);
    assert!(baked.0 < STILL && baked.1 < STILL, "{baked:?}");
}

#[test]
fn feet_that_two_keys_plant_stay_planted_between_them() {
    let mut figure = Figure::new(asset::mannequin().unwrap());
    let (sit, rest) = (figure.squat(DVec3::new(0.0, -0.4, -0.2)), figure.rest());
    for easing in [Easing::Smooth, Easing::Linear] {
        check_planted(&mut figure, [&sit, &rest], easing);
    }
}

#[test]
fn feet_of_people_stay_planted_between_a_squat_and_rest() {
    let Some(models) = external_or_skip("models") else { return };
    for file in [
        "kaykit-char/models/mannequin_v2/manny_med_mod.gltf",
        "vulkan-assets/CesiumMan/glTF-Binary/CesiumMan.glb",
        "vrm/VRMC_materials_mtoon_UV_Animation_Test.vrm",
        "quaternius/modular_men/Adventurer/Adventurer.glb",
        "derived/RiggedFigure-normalised/RiggedFigure-normalised.glb",
        "ozz-animation/converted/arnaud/arnaud.glb",
    ] {
        println!("{file}");
        let mut figure = Figure::new(asset::load(&models.join(file)).unwrap());
        let (squat, rest) = (figure.squat(DVec3::Y * -0.3), figure.rest());
        check_planted(&mut figure, [&squat, &rest], Easing::Smooth);
    }
}

/// Returns the largest turn of a joint between two poses, in radians.
fn largest_turn(a: &Pose, b: &Pose) -> f32 {
    let turn = |(a, b): (&Transform, &Transform)| {
        (a.rotation.conjugate() * b.rotation).xyz().length().min(1.0).asin() * 2.0
    };
    a.locals.iter().zip(&b.locals).map(turn).fold(0.0, f32::max)
}

#[test]
fn a_planted_motion_is_continuous_and_the_same_in_both_directions() {
    let mut figure = Figure::new(asset::mannequin().unwrap());
    let (sit, rest) = (figure.squat(DVec3::new(0.0, -0.4, -0.2)), figure.rest());
    let motion = figure.keyed(&[&sit, &rest, &sit], Easing::Smooth);
    let times: Vec<f32> = (0..=480_u16).map(|i| f32::from(i) / 240.0).collect();
    let forwards: Vec<Pose> = times.iter().map(|t| played(&mut figure.puppet, &motion, *t)).collect();
    assert_eq!(forwards[0], sit);
    assert_eq!(forwards[240], rest);
    let turn = forwards.windows(2).map(|pair| largest_turn(&pair[0], &pair[1])).fold(0.0, f32::max);
    assert!(turn < 0.05, "{turn}");
    for (time, pose) in times.iter().zip(&forwards).rev().step_by(7) {
        assert_eq!(&played(&mut figure.puppet, &motion, *time), pose, "{time}");
    }
    let stepped = figure.keyed(&[&sit, &rest], Easing::Stepped);
    assert_eq!(played(&mut figure.puppet, &stepped, 0.9), sit);
}

#[test]
fn feet_that_keys_move_are_not_held_and_do_not_pass_the_floor() {
    let mut figure = Figure::new(asset::mannequin().unwrap());
    let [hips, foot] =
        ["hips", "leftFoot"].map(|name| figure.puppet.character().skeleton.find(name).unwrap());
    let down = (hips, DVec3::Y * -0.15);
    let behind = figure.pulled(&[down, (foot, DVec3::Z * -0.25)]);
    let before = figure.pulled(&[down, (foot, DVec3::Z * 0.25)]);
    let raised = figure.pulled(&[(foot, DVec3::new(0.0, 0.25, 0.1))]);
    let rest = figure.rest();
    let slide = figure.keyed(&[&behind, &before], Easing::Linear);
    let sunk = figure.faults([&behind, &before], |puppet, time| interpolated(puppet, &slide, time), 8).1;
    assert!(sunk > 0.03, "{sunk}");
    for [from, to] in [[&behind, &before], [&rest, &raised], [&raised, &before]] {
        let motion = figure.keyed(&[from, to], Easing::Linear);
        let own = figure.faults([from, to], |puppet, time| played(puppet, &motion, time), 48);
        assert!(own.0 < STILL && own.1 < STILL, "{own:?}");
        // The left foot is on its way from one place to the other.
        let place = |pose: &Pose| world_matrix(&figure.puppet.character().skeleton, pose, foot).translation;
        let (a, b) = (place(from), place(to));
        let middle = place(&played(&mut figure.puppet.clone(), &motion, 0.5));
        assert!(middle.distance(a) > 0.2 * a.distance(b) && middle.distance(b) > 0.2 * a.distance(b));
    }
}

/// Regression test: while a walk faded in after a sitting pose, a foot sank 6 cm into the floor.
#[test]
fn feet_do_not_sink_while_a_clip_fades_in_from_a_key() {
    let mut figure = Figure::new(asset::mannequin().unwrap());
    let sit = figure.squat(DVec3::new(0.0, -0.4, -0.2));
    let clip =
        figure.puppet.character().clips.iter().position(|c| c.name.as_deref() == Some("walk")).unwrap();
    let fade_in = Some(0.4);
    let walk = Strip { start: 1.0, fade_in, ..Strip::new(clip) };
    let motion = Motion { strips: vec![walk], ..figure.keyed(&[&sit, &sit], Easing::Smooth) };
    let mut lowest = |motion: &Motion, time: f32| {
        let pose = played(&mut figure.puppet, motion, time);
        figure.vertices(&pose).iter().map(|v| v.y).fold(f32::INFINITY, f32::min)
    };
    let times: Vec<f32> = (0..=40_u8).map(|step| 0.98 + f32::from(step) * 0.02).collect();
    // The walk itself sinks below the floor by less than a millimetre.
    let sunk = times.iter().map(|time| -lowest(&motion, *time)).fold(0.0, f32::max);
    assert!(sunk < STILL, "{sunk}");
    // Where the fade begins and ends, nothing jumps.
    let steps: Vec<f32> = times.iter().map(|time| lowest(&motion, *time)).collect();
    let jump = steps.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max);
    assert!(jump < 0.03, "{steps:?}");
}

/// Regression test: a strip that covered the keys was moved by the feet that the keys plant.
#[test]
fn a_strip_that_covers_the_keys_keeps_its_feet() {
    let mut figure = Figure::new(asset::mannequin().unwrap());
    let sit = figure.squat(DVec3::Y * -0.4);
    let keys = figure.keyed(&[&figure.rest(), &sit], Easing::Linear);
    let character = figure.puppet.character();
    let mut strip = Strip::new(character.find_clip("walk").unwrap());
    strip.seconds = Some(0.4);
    let [mut alone, mut covered] = [Motion::default(), keys];
    alone.strips.push(strip.clone());
    covered.strips.push(strip);
    let [alone, covered] = [alone, covered].map(|motion| played(&mut figure.puppet, &motion, 0.7));
    for bone in ["leftUpperLeg", "leftLowerLeg", "leftFoot", "rightUpperLeg", "rightLowerLeg", "rightFoot"] {
        let node = figure.puppet.rig.bones[bone];
        let turned = alone.locals[node].rotation.angle_between(covered.locals[node].rotation);
        assert!(turned < 1e-3, "{bone} turns by {turned}");
    }
}
