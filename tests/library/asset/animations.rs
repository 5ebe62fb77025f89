//! Reading and playing clips.

use glam::{Quat, Vec3};
use serde_json::{Value, json};
use sinew::asset::Character;
use sinew::motion::Playhead;
use sinew::pose::Pose;

use crate::{load, refusal};
use sinew_testkit::Builder;

fn clip(times: &[f32], path: &str, interpolation: &str, kind: (&str, usize), values: &[f32]) -> Vec<u8> {
    let mut b = Builder::default();
    let input = b.floats("SCALAR", 1, times);
    let output = b.floats(kind.0, kind.1, values);
    b.file(json!({
        "nodes": [{}],
        "animations": [{
            "channels": [
                {"sampler": 0, "target": {"node": 0, "path": path}},
                {"sampler": 0, "target": {"path": path}},
            ],
            "samplers": [{"input": input, "output": output, "interpolation": interpolation}],
        }],
    }))
}

/// Plays to each time in turn with one playhead, and checks that a new playhead yields the same pose.
fn play(character: &Character, times: &[f32]) -> Vec<Pose> {
    let mut playhead = Playhead::default();
    let sample = |playhead: &mut Playhead, time| {
        let mut pose = Pose::rest(&character.skeleton);
        playhead.sample(&character.clips[0], time, &character.skeleton, &mut pose);
        pose
    };
    let mut poses = Vec::new();
    for &time in times {
        let pose = sample(&mut playhead, time);
        assert_eq!(
            pose,
            sample(&mut Playhead::default(), time),
            "at {time}: the result depends on the times before"
        );
        poses.push(pose);
    }
    poses
}

fn heights(character: &Character, times: &[f32]) -> Vec<f32> {
    play(character, times).iter().map(|p| p.locals[0].translation.y).collect()
}

const VEC3: (&str, usize) = ("VEC3", 3);

#[test]
fn step_and_linear_keys_are_interpolated_and_clamped() {
    let values = [0.0, 1.0, 0.0, 0.0, 3.0, 0.0, 0.0, 2.0, 0.0];
    let times = [0.5, 1.0, 2.0];
    let sampled_times = [-1.0, 0.5, 0.75, 1.0, 1.5, 2.0, 9.0, 0.625, f32::NAN];
    let step = load(&clip(&times, "translation", "STEP", VEC3, &values)).unwrap();
    assert_eq!(heights(&step, &sampled_times), [1.0, 1.0, 1.0, 3.0, 3.0, 2.0, 2.0, 1.0, 1.0]);
    let linear = load(&clip(&times, "translation", "LINEAR", VEC3, &values)).unwrap();
    assert_eq!(heights(&linear, &sampled_times), [1.0, 1.0, 2.0, 3.0, 2.5, 2.0, 2.0, 1.5, 1.0]);
    assert_eq!(linear.clips[0].seconds, 2.0);
    assert_eq!(linear.clips[0].channels.len(), 1, "the channel without a node is left out");
}

#[test]
fn a_single_key_is_constant() {
    let character = load(&clip(&[1.0], "scale", "LINEAR", VEC3, &[2.0, 3.0, 4.0])).unwrap();
    for pose in play(&character, &[0.0, 1.0, 2.0]) {
        assert_eq!(pose.locals[0].scale, Vec3::new(2.0, 3.0, 4.0));
    }
}

#[test]
fn rotations_take_the_shorter_arc() {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    // The clip rotates from the rest pose by a quarter turn about y. The second key has the negative of the usual quaternion.
    let values = [0.0, 0.0, 0.0, 1.0, 0.0, -half, 0.0, -half];
    let character = load(&clip(&[0.0, 1.0], "rotation", "LINEAR", ("VEC4", 4), &values)).unwrap();
    let pose = play(&character, &[0.5]).remove(0);
    assert!(
        pose.locals[0].rotation.dot(Quat::from_rotation_y(std::f32::consts::FRAC_PI_4)).abs() > 1.0 - 1e-6
    );
}

#[test]
fn splines_pass_through_their_values_with_their_tangents() {
    // Two keys, two seconds apart, each with an in-tangent, a value and an out-tangent.
    let values: Vec<f32> = [0.0, 1.0, 2.0, -1.0, 5.0, 0.0].iter().flat_map(|&y| [0.0, y, 0.0]).collect();
    let character = load(&clip(&[1.0, 3.0], "translation", "CUBICSPLINE", VEC3, &values)).unwrap();
    let y = heights(&character, &[1.0, 2.0, 3.0, 1.001]);
    // Halfway: (1 + 5) / 2 + 2 s · (2 − (−1)) / 8.
    assert_eq!(y[..3], [1.0, 3.75, 5.0]);
    assert!((y[3] - 1.002).abs() < 1e-5, "does not leave along its out-tangent: {}", y[3]);
}

#[test]
fn morph_weights_are_played() {
    let mut b = Builder::default();
    let positions = b.floats("VEC3", 3, &[0.0; 9]);
    let input = b.floats("SCALAR", 1, &[0.0, 1.0]);
    let output = b.floats("SCALAR", 1, &[0.0, 1.0, 1.0, 0.0]);
    let target = json!({"POSITION": positions});
    let file = b.file(json!({
        "meshes": [{
            "primitives": [{"attributes": {"POSITION": positions}, "targets": [target, target]}],
            "weights": [0.5, 0.25],
        }],
        "nodes": [{}, {"mesh": 0, "weights": [0.125]}, {"mesh": 0}],
        "animations": [{
            "channels": [
                {"sampler": 0, "target": {"node": 2, "path": "weights"}},
                {"sampler": 0, "target": {"node": 0, "path": "weights"}},
            ],
            "samplers": [{"input": input, "output": output}],
        }],
    }));
    let character = load(&file).unwrap();
    assert_eq!(character.skeleton.rest_weights, [0.125, 0.0, 0.5, 0.25]);
    assert_eq!(play(&character, &[0.25])[0].weights, [0.125, 0.0, 0.25, 0.75]);
}

#[test]
fn names_of_morph_targets_are_read() {
    let with_extras = |extras: Value| {
        let mut b = Builder::default();
        let positions = b.floats("VEC3", 3, &[0.0; 9]);
        let target = json!({"POSITION": positions});
        let primitive = json!({"attributes": {"POSITION": positions}, "targets": [target, target]});
        let meshes = json!([{"primitives": [primitive], "extras": extras}]);
        load(&b.file(json!({"meshes": meshes, "nodes": [{"mesh": 0}, {}, {"mesh": 0}]}))).unwrap()
    };
    let character = with_extras(json!({"targetNames": ["smile", "blink"], "other": {"targetNames": 3}}));
    assert_eq!(character.meshes[0].target_names, ["smile", "blink"]);
    assert_eq!(
        [0, 1, 2, 3, 4].map(|w| character.skeleton.morph_of(w)),
        [Some((0, 0)), Some((0, 1)), Some((2, 0)), Some((2, 1)), None]
    );
    for extras in
        [json!(null), json!(7), json!([]), json!({"targetNames": [1, 2]}), json!({"targetNames": "smile"})]
    {
        assert!(with_extras(extras).meshes[0].target_names.is_empty());
    }
}

#[test]
fn decreasing_times_and_missing_values_are_refused() {
    let back = clip(&[0.0, 2.0, 1.0], "translation", "LINEAR", VEC3, &[0.0; 9]);
    assert_eq!(
        refusal(&back),
        "test.gltf: animations[0].samplers[0].input[2]: time 1 is before the previous time 2"
    );
    let few = clip(&[0.0, 1.0], "translation", "CUBICSPLINE", VEC3, &[0.0; 6]);
    assert_eq!(
        refusal(&few),
        "test.gltf: animations[0].samplers[0].output: has 2 elements, but 2 keys need 6"
    );
}

#[test]
fn an_unknown_path_is_ignored_with_a_warning() {
    let file: Value = serde_json::from_slice(&clip(&[0.0], "pointer", "LINEAR", VEC3, &[0.0; 3])).unwrap();
    let character = load(&serde_json::to_vec(&file).unwrap()).unwrap();
    assert!(character.clips[0].channels.is_empty());
    assert!(character.warnings[0].contains("target.path"), "{:?}", character.warnings);
}
