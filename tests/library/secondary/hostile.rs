//! Files with invalid or extreme springs and constraints.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sinew::asset::Character;
use sinew::puppet::Puppet;

use super::{character, far_away, load, soft, strand};

/// Simulates a character, and checks that its pose stays finite.
fn simulate(character: Character) {
    let mut puppet = Puppet::new(character, 0);
    puppet.set_springs(true);
    puppet.update().unwrap();
    puppet.settle(2.0).unwrap();
    let is_finite = |m: &glam::Affine3A| m.is_finite();
    assert!(puppet.world_from_node().iter().all(is_finite));
}

fn with(change: impl FnOnce(&mut Value)) -> Character {
    let mut file = strand(&soft(), &far_away());
    change(&mut file);
    load(file.to_string().as_bytes()).unwrap()
}

/// The extension of a file.
fn springs(file: &mut Value) -> &mut Value {
    &mut file["extensions"]["VRMC_springBone"]
}

#[test]
fn extreme_numbers_stay_finite() {
    for value in
        [json!(0), json!(-1), json!(1e-40), json!(1e30), json!(3e38), json!(1e300), json!("a"), json!(null)]
    {
        for key in ["stiffness", "gravityPower", "dragForce", "hitRadius"] {
            let mut joint = soft();
            joint[key] = value.clone();
            simulate(character(&strand(&joint, &far_away())));
        }
        for shape in [
            json!({ "sphere": { "offset": [value, 0, 0], "radius": value } }),
            json!({ "sphere": { "radius": value, "inside": true } }),
            json!({ "capsule": { "offset": [0, value, 0], "tail": [0, value, value], "radius": value } }),
            json!({ "plane": { "normal": [0, value, 0] } }),
        ] {
            let mut file = strand(&soft(), &shape);
            file["nodes"][7]["scale"] = json!([0, 1, 1]);
            simulate(load(file.to_string().as_bytes()).unwrap());
        }
    }
}

#[test]
fn space_that_is_scaled_to_nothing_has_springs_at_rest() {
    for scale in [[0.0, 0.0, 0.0], [0.0, 1.0, 1.0], [1e-30, 1e-30, 1e-30], [-1.0, 1.0, 1.0]] {
        simulate(with(|file| file["nodes"][0]["scale"] = json!(scale)));
        simulate(with(|file| file["nodes"][3]["scale"] = json!(scale)));
        simulate(with(|file| {
            file["nodes"][7]["scale"] = json!(scale);
            springs(file)["springs"][0]["center"] = json!(7);
        }));
    }
}

#[test]
fn links_without_length_are_left_out() {
    let character = with(|file| file["nodes"][3]["translation"] = json!([0, 0, 0]));
    assert_eq!(character.springs.joints().count(), 4);
    simulate(character);
}

#[test]
fn a_joint_belongs_to_one_spring() {
    let character = with(|file| {
        let spring = springs(file)["springs"][0].clone();
        springs(file)["springs"] = json!([spring.clone(), spring]);
    });
    assert_eq!(character.springs.springs.len(), 1);
    assert_eq!(character.warnings.len(), 5, "{:?}", character.warnings);
    assert!(character.warnings[0].contains("already a joint"), "{:?}", character.warnings);
    simulate(character);
}

#[test]
fn invalid_indices_are_warned_of() {
    let character = with(|file| {
        springs(file)["springs"][0]["joints"][1]["node"] = json!(99);
        springs(file)["springs"][0]["joints"][3]["node"] = json!(0);
        springs(file)["springs"][0]["center"] = json!(-7);
        springs(file)["springs"][0]["colliderGroups"] = json!([0, 5, "x"]);
        springs(file)["colliders"][0]["node"] = json!(1e9);
    });
    assert_eq!(character.warnings.len(), 6, "{:#?}", character.warnings);
    simulate(character);
    for broken in
        [json!(null), json!([]), json!({ "springs": 3 }), json!({ "springs": [{ "joints": [1, {}] }] })]
    {
        simulate(with(|file| *springs(file) = broken));
    }
}

#[test]
fn colliders_may_hang_on_the_strand_that_they_push() {
    for node in 1..7 {
        simulate(with(|file| {
            springs(file)["colliders"][0] = json!({ "node": node, "shape": { "sphere": { "radius": 0.2 } } });
            springs(file)["springs"][0]["center"] = json!(node);
        }));
    }
}

#[test]
fn large_files_take_linear_time() {
    let count = 30_000;
    let nodes: Vec<Value> = (0..count)
        .map(|i| {
            if i + 1 < count {
                json!({ "translation": [0, 0, 1e-3], "children": [i + 1] })
            } else {
                json!({})
            }
        })
        .collect();
    let started = Instant::now();
    // Each spring runs from one node to the last one and uses all colliders.
    let all: Vec<usize> = (0..300).collect();
    let joint = |i: usize| json!({ "joints": [{ "node": i }, { "node": count - 1 }], "colliderGroups": all });
    let file = json!({
        "asset": { "version": "2.0" },
        "scenes": [{ "nodes": [0] }],
        "nodes": nodes,
        "extensions": { "VRMC_springBone": {
            "colliders": vec![json!({ "node": 0, "shape": { "sphere": {} } }); 300],
            "colliderGroups": vec![json!({ "colliders": all }); 300],
            "springs": (0..1000).map(joint).collect::<Vec<_>>(),
        } },
    });
    let character = load(file.to_string().as_bytes()).unwrap();
    assert!(character.warnings.iter().any(|w| w.contains("too many colliders")), "{:?}", character.warnings);
    assert!(character.warnings.len() < 20);
    // Every node points at one that is not above it.
    let mut nodes = nodes;
    for node in &mut nodes {
        let aim = json!({ "aim": { "source": count, "aimAxis": "PositiveX" } });
        node["extensions"] = json!({ "VRMC_node_constraint": { "constraint": aim } });
    }
    nodes.push(json!({ "translation": [1, 0, 0] }));
    let file = json!({ "asset": { "version": "2.0" }, "scenes": [{ "nodes": [0, count] }], "nodes": nodes });
    let character = load(file.to_string().as_bytes()).unwrap();
    assert!(character.warnings.iter().any(|w| w.contains("too many aim")), "{:?}", character.warnings);
    simulate(character);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn bone_groups_of_vrm_0_are_springs() {
    let mut file = strand(&soft(), &far_away());
    file["extensionsUsed"] = json!(["VRM"]);
    file["extensions"] = json!({ "VRM": { "secondaryAnimation": {
        "boneGroups": [
            { "comment": "hair", "stiffiness": 0.5, "gravityPower": 0.2, "gravityDir": { "x": 0, "y": -1, "z": 0 },
              "dragForce": 0.3, "center": -1, "hitRadius": 0.02, "bones": [1], "colliderGroups": [0] },
            { "bones": [3] },
        ],
        "colliderGroups": [{ "node": 7, "colliders": [{ "offset": { "x": 0.1, "y": 0.2, "z": 0.3 }, "radius": 0.1 }] }],
    } } });
    let character = load(file.to_string().as_bytes()).unwrap();
    assert_eq!(character.springs.springs.len(), 1);
    assert_eq!(character.warnings.len(), 1, "{:?}", character.warnings);
    let spring = &character.springs.springs[0];
    assert_eq!((spring.joints.len(), spring.name.as_deref(), spring.center), (6, Some("hair"), None));
    let end = spring.joints[5];
    assert!((end.tail.length() - 0.07).abs() < 1e-6, "the last joint has a length of 7 cm");
    let sinew::asset::ColliderShape::Sphere { offset, .. } = character.springs.colliders[0].shape else {
        panic!()
    };
    assert_eq!(offset.z, -0.3);
    simulate(character);
}
