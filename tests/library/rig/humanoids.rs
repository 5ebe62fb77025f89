//! Chains and hinges found in humanoid skeletons with the names of common tools.

use glam::{DVec3, Vec3};
use sinew::asset;
use sinew::asset::{Character, Mesh, Primitive};
use sinew::rig::{ChainKind, LimbKind, detect, recognize};

/// Returns a humanoid skeleton with given joint names. `center` contains the names of hips, spine, chest, neck and
/// head. `sides` contains the names of collar, upper arm, lower arm, hand, a finger, upper leg, lower leg, foot and
/// toes for each side.
fn humanoid(center: [&str; 5], sides: [[&str; 9]; 2], extensions: Option<serde_json::Value>) -> Character {
    let mut nodes = Vec::new();
    let mut add = |name: &str, parent: Option<usize>, at: [f64; 3]| -> usize {
        nodes.push((name.to_owned(), parent, DVec3::from_array(at)));
        nodes.len() - 1
    };
    let hips = add(center[0], None, [0.0, 1.0, 0.0]);
    let spine = add(center[1], Some(hips), [0.0, 1.15, 0.0]);
    let chest = add(center[2], Some(spine), [0.0, 1.35, 0.0]);
    let neck = add(center[3], Some(chest), [0.0, 1.5, 0.0]);
    add(center[4], Some(neck), [0.0, 1.6, 0.0]);
    for (names, side) in sides.into_iter().zip([1.0, -1.0]) {
        let arm =
            [(0.05, 1.42, 0.0), (0.2, 1.42, 0.0), (0.45, 1.42, -0.01), (0.7, 1.42, 0.0), (0.8, 1.42, 0.0)];
        let leg = [(0.1, 0.95, 0.0), (0.1, 0.5, 0.01), (0.1, 0.08, 0.0), (0.1, 0.0, 0.12)];
        for (names, positions, top) in [(&names[..5], &arm[..], chest), (&names[5..], &leg[..], hips)] {
            let mut parent = top;
            for (name, &(x, y, z)) in names.iter().zip(positions) {
                parent = add(name, Some(parent), [side * x, y, z]);
            }
        }
    }
    let json: Vec<serde_json::Value> = nodes
        .iter()
        .enumerate()
        .map(|(i, (name, parent, at))| {
            let from = parent.map_or(DVec3::ZERO, |p| nodes[p].2);
            let children: Vec<usize> = (0..nodes.len()).filter(|&c| nodes[c].1 == Some(i)).collect();
            let mut node = serde_json::json!({"name": name, "translation": (*at - from).to_array()});
            if !children.is_empty() {
                node["children"] = children.into();
            }
            node
        })
        .collect();
    let joints: Vec<usize> = (0..nodes.len()).collect();
    let mut file =
        serde_json::json!({"asset": {"version": "2.0"}, "nodes": json, "skins": [{"joints": joints}]});
    if let Some(extensions) = extensions {
        file["extensions"] = extensions;
    }
    asset::gltf::load_bytes(std::path::Path::new("humanoid.gltf"), file.to_string().as_bytes(), None).unwrap()
}

fn check_humanoid(character: &Character, convention: &str) {
    let found = detect(character);
    let kinds = |kind: ChainKind| found.chains.iter().filter(|c| c.kind == kind).collect::<Vec<_>>();
    // The order of nodes is fixed: 5 in the middle, then 9 per side.
    for (side, first) in [("left", 5), ("right", 14)] {
        let chain = |name: String| {
            found
                .chains
                .iter()
                .find(|c| c.name == name)
                .unwrap_or_else(|| panic!("{convention}: no {name} in {found:#?}"))
        };
        let arm = chain(format!("{side} arm"));
        assert_eq!((arm.base, arm.effector, arm.joints.len()), (first + 1, first + 3, 3), "{convention}");
        assert!(arm.bend.unwrap().z < -0.9, "{convention}: {arm:?}");
        let leg = chain(format!("{side} leg"));
        assert_eq!((leg.base, leg.effector, leg.joints.len()), (first + 5, first + 7, 3), "{convention}");
        assert!(leg.bend.unwrap().z > 0.9, "{convention}: {leg:?}");
    }
    let neck = kinds(ChainKind::Neck);
    assert_eq!((neck[0].base, neck[0].effector), (3, 4), "{convention}");
    let spine = kinds(ChainKind::Spine);
    assert_eq!((spine[0].base, spine[0].effector), (1, 2), "{convention}");
    // Elbows, knees and toes are hinges. All other joints of the body have cones.
    let hinges = found.joints.values().filter(|j| matches!(j.limit, sinew::ik::Limit::Hinge { .. })).count();
    assert_eq!(hinges, 6, "{convention}");
    let body = found.body.unwrap_or_else(|| panic!("{convention}: no body"));
    assert_eq!((body.hips, body.chest(), body.head()), (0, 2, Some(4)), "{convention}");
    assert!(body.certainty > 0.9 && body.facing.z > 0.99, "{convention}: {body:#?}");
}

#[test]
fn chains_are_found_by_the_names_of_common_tools() {
    let mixamo = humanoid(
        ["mixamorig:Hips", "mixamorig:Spine", "mixamorig:Spine1", "mixamorig:Neck", "mixamorig:Head"],
        [
            [
                "mixamorig:LeftShoulder",
                "mixamorig:LeftArm",
                "mixamorig:LeftForeArm",
                "mixamorig:LeftHand",
                "mixamorig:LeftHandIndex1",
                "mixamorig:LeftUpLeg",
                "mixamorig:LeftLeg",
                "mixamorig:LeftFoot",
                "mixamorig:LeftToeBase",
            ],
            [
                "mixamorig:RightShoulder",
                "mixamorig:RightArm",
                "mixamorig:RightForeArm",
                "mixamorig:RightHand",
                "mixamorig:RightHandIndex1",
                "mixamorig:RightUpLeg",
                "mixamorig:RightLeg",
                "mixamorig:RightFoot",
                "mixamorig:RightToeBase",
            ],
        ],
        None,
    );
    check_humanoid(&mixamo, "Mixamo");
    let rigify = humanoid(
        ["DEF-pelvis", "DEF-spine.001", "DEF-spine.003", "DEF-neck", "DEF-head"],
        [
            [
                "DEF-shoulder.L",
                "DEF-upper_arm.L",
                "DEF-forearm.L",
                "DEF-hand.L",
                "DEF-f_index.01.L",
                "DEF-thigh.L",
                "DEF-shin.L",
                "DEF-foot.L",
                "DEF-toe.L",
            ],
            [
                "DEF-shoulder.R",
                "DEF-upper_arm.R",
                "DEF-forearm.R",
                "DEF-hand.R",
                "DEF-f_index.01.R",
                "DEF-thigh.R",
                "DEF-shin.R",
                "DEF-foot.R",
                "DEF-toe.R",
            ],
        ],
        None,
    );
    check_humanoid(&rigify, "Rigify");
    let unreal = humanoid(
        ["pelvis", "spine_01", "spine_02", "neck_01", "head"],
        [
            [
                "clavicle_l",
                "upperarm_l",
                "lowerarm_l",
                "hand_l",
                "index_01_l",
                "thigh_l",
                "calf_l",
                "foot_l",
                "ball_l",
            ],
            [
                "clavicle_r",
                "upperarm_r",
                "lowerarm_r",
                "hand_r",
                "index_01_r",
                "thigh_r",
                "calf_r",
                "foot_r",
                "ball_r",
            ],
        ],
        None,
    );
    check_humanoid(&unreal, "Unreal");
    check_humanoid(&mapped(), "VRM");
}

/// Returns a humanoid whose names have no meaning, but whose VRM extension maps them to bones.
fn mapped() -> Character {
    let bones = [
        "hips",
        "spine",
        "chest",
        "neck",
        "head",
        "leftShoulder",
        "leftUpperArm",
        "leftLowerArm",
        "leftHand",
        "leftIndexProximal",
        "leftUpperLeg",
        "leftLowerLeg",
        "leftFoot",
        "leftToes",
        "rightShoulder",
        "rightUpperArm",
        "rightLowerArm",
        "rightHand",
        "rightIndexProximal",
        "rightUpperLeg",
        "rightLowerLeg",
        "rightFoot",
        "rightToes",
    ];
    let map: serde_json::Map<String, serde_json::Value> =
        bones.iter().enumerate().map(|(i, b)| ((*b).to_owned(), serde_json::json!({"node": i}))).collect();
    let side = ["J1", "J2", "J3", "J4", "J5", "J6", "J7", "J8", "J9"];
    let vrm = serde_json::json!({"VRMC_vrm": {"humanoid": {"humanBones": map}}});
    humanoid(["A", "B", "C", "D", "E"], [side, side], Some(vrm))
}

#[test]
fn bones_of_a_map_count_even_if_the_meshes_show_no_body() {
    // A sign at the hips is the only mesh. Regression: the toes were left out, and the floor was at the ankles.
    let mut character = mapped();
    character.skins.clear();
    let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
    let sign = Primitive { positions, triangles: vec![[0, 1, 2]], ..Primitive::default() };
    let mesh = Mesh { name: None, primitives: vec![sign], weights: Vec::new(), target_names: Vec::new() };
    character.meshes.push(mesh);
    character.skeleton.nodes[0].mesh = Some(character.meshes.len() - 1);
    let plan = recognize(&character).unwrap().plan;
    let legs: Vec<_> = plan.legs().collect();
    assert!(legs.len() == 2 && legs.iter().all(|leg| leg.digits.len() == 1), "{legs:#?}");
    assert!(plan.floor.abs() < 1e-6 && legs.iter().all(|leg| leg.sole.is_none()), "{}", plan.floor);
}

#[test]
fn soles_are_measured_on_the_skin() {
    let plan = recognize(&asset::mannequin().unwrap()).unwrap().plan;
    for leg in plan.legs() {
        let sole = leg.sole.unwrap();
        assert!((-0.1..-0.03).contains(&sole.heel) && (0.15..0.25).contains(&sole.toe), "{sole:?}");
        assert!((0.03..0.06).contains(&sole.half_width), "{sole:?}");
    }
    assert!(plan.limbs.iter().all(|limb| limb.sole.is_some() == (limb.kind == LimbKind::Leg)));
}

#[test]
fn chains_are_found_by_shape_where_names_have_no_meaning() {
    let side = ["b", "c", "d", "e", "f", "g", "h", "i", "j"];
    let found = detect(&humanoid(["a", "k", "l", "m", "n"], [side, side], None)).chains;
    for (kind, count) in [(ChainKind::Arm, 2), (ChainKind::Leg, 2)] {
        assert_eq!(found.iter().filter(|c| c.kind == kind).count(), count, "{found:#?}");
    }
}
