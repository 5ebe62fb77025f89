//! The awkward character, which is a difficult input for tests. It has a scale of 100 above the skeleton, a mirrored arm, a joint with
//! non-uniform scale, two skins, eight influences per vertex, morph targets and a clip with cubic splines.

use crate::clips::{Clip, Track, turn};
use crate::model::{Model, Morph, Node, world};
use crate::paint::{CORAL, INK, TEAL, VINYL};
use crate::rigs;
use crate::solids::{Bones, Shape, ball, tube};
use glam::{DQuat, DVec3, dvec3};
use std::error::Error;

/// Name, parent and translation relative to the parent. With the armature's scale of 100, a length of one hundredth is one metre.
const JOINTS: [(&str, Option<usize>, [f64; 3]); 20] = [
    ("armature", None, [0.0, 0.0, 0.0]),
    ("hips", Some(0), [0.0, 0.0028, 0.0]),
    ("chest", Some(1), [0.0, 0.0012, 0.0]),
    ("neck", Some(2), [0.0, 0.0011, 0.0]),
    ("head", Some(3), [0.0, 0.0006, 0.0]),
    ("shoulder.L", Some(2), [0.0, 0.0008, 0.0]),
    ("arm.L", Some(5), [0.0011, 0.0, 0.0]),
    ("forearm.L", Some(6), [0.0011, -0.0004, -0.0001]),
    ("hand.L", Some(7), [0.0010, -0.0004, 0.0002]),
    ("shoulder.R", Some(2), [0.0, 0.0008, 0.0]),
    ("arm.R", Some(9), [0.0011, 0.0, 0.0]),
    ("forearm.R", Some(10), [0.0011, -0.0004, -0.0001]),
    ("hand.R", Some(11), [0.0010, -0.0004, 0.0002]),
    ("leg.L", Some(1), [0.0006, -0.0002, 0.0]),
    ("shin.L", Some(13), [0.0001, -0.0011, 0.0002]),
    ("foot.L", Some(14), [0.0001, -0.0012, -0.0002]),
    ("leg.R", Some(1), [-0.0006, -0.0002, 0.0]),
    ("shin.R", Some(16), [-0.0001, -0.0011, 0.0002]),
    ("foot.R", Some(17), [-0.0001, -0.0012, -0.0002]),
    ("face", Some(4), [0.0, 0.0006, 0.0006]),
];

pub(crate) fn model() -> Result<Model, Box<dyn Error>> {
    let mut nodes: Vec<Node> =
        JOINTS.iter().map(|&(name, parent, at)| Node::new(name, parent, DVec3::from_array(at))).collect();
    nodes[0].scale = DVec3::splat(100.0);
    nodes[2].scale = dvec3(1.25, 0.9, 1.0);
    nodes[9].scale = dvec3(-1.0, 1.0, 1.0);
    let at: Vec<DVec3> = world(&nodes).iter().map(|m| m.translation).collect();
    // Weights fall off with distance but never reach zero, so almost every vertex has eight influences.
    let falloff = |p: DVec3| -> Bones {
        let pull =
            |j: usize| 1.0 / (0.0006 + (p - at[j]).length_squared() * (p - at[j]).length_squared() * 40.0);
        let all: Vec<(usize, f64)> = (1..19).map(|j| (j, pull(j))).collect();
        let sum: f64 = all.iter().map(|b| b.1).sum();
        all.into_iter().map(|(j, w)| (j, w / sum)).collect()
    };
    let mut body = Shape::default();
    let tube_along = |joints: &[usize], radius: f64| {
        let mut rings = Vec::new();
        for pair in joints.windows(2) {
            rings.extend((0..5).map(|s| (at[pair[0]].lerp(at[pair[1]], f64::from(s) / 5.0), radius)));
        }
        rings.extend(joints.last().map(|&j| (at[j], radius)));
        tube(&rings, dvec3(0.1, 0.2, 1.0), 14)
    };
    body.add(tube_along(&[1, 2, 3, 4], 0.085), |_| VINYL, falloff);
    for chain in [[5, 6, 7, 8], [9, 10, 11, 12]] {
        body.add(tube_along(&chain, 0.042), |_| TEAL, falloff);
        body.add(ball(0.06, 8).at(at[chain[3]]), |_| CORAL, falloff);
    }
    for chain in [[13, 14, 15], [16, 17, 18]] {
        body.add(tube_along(&chain, 0.05), |_| TEAL, falloff);
        body.add(ball(0.065, 8).stretched(dvec3(1.0, 0.6, 1.5)).at(at[chain[2]]), |_| CORAL, falloff);
    }
    let body = body.skin("body", (1..19).collect(), 8, 0.08)?;
    // The head is a separate skin with two joints of the body and the face joint.
    let mut head = Shape::default();
    let centre = at[4] + dvec3(0.0, 0.08, 0.0);
    head.rigid(ball(1.0, 14).stretched(dvec3(0.14, 0.13, 0.12)).at(centre), VINYL, 4);
    let eyes = head.points().len();
    for side in [1.0, -1.0] {
        head.rigid(
            ball(1.0, 8).stretched(dvec3(0.022, 0.03, 0.014)).at(centre + dvec3(0.05 * side, 0.03, 0.106)),
            INK,
            17,
        );
    }
    let mouth = head.points().len();
    let lip = |i: i32| (centre + dvec3(0.011 * f64::from(i), -0.05, 0.112), 0.009);
    head.rigid(tube(&(-5..=5).map(lip).collect::<Vec<_>>(), DVec3::Y, 8), CORAL, 19);
    let points = head.points().to_vec();
    let morph = |name, moved: &dyn Fn(usize, DVec3) -> DVec3| Morph {
        name,
        deltas: points.iter().enumerate().map(|(i, &p)| moved(i, p).as_vec3().to_array()).collect(),
    };
    let from = centre;
    let smile = morph("smile", &|i, p| {
        let x = (p - from).x;
        if i >= mouth { dvec3(0.25 * x, 13.0 * x * x, -4.0 * x * x) } else { DVec3::ZERO }
    });
    let blink = morph("blink", &|i, p| {
        if (eyes..mouth).contains(&i) { DVec3::Y * (-0.85 * (p.y - from.y - 0.03)) } else { DVec3::ZERO }
    });
    let mut head = head.skin("head_mesh", vec![4, 3, 19], 4, 0.08)?;
    head.morphs = vec![smile, blink];
    let mut rig = rigs::RigText::new();
    for (side, name) in [("L", "left"), ("R", "right")] {
        rig.chain(&format!("{name} arm"), "arm", &format!("arm.{side}"), &format!("hand.{side}"));
        rig.chain(&format!("{name} leg"), "leg", &format!("leg.{side}"), &format!("foot.{side}"));
    }
    rig.hinge("forearm.L", [0.0, -1.0, 0.0], -20, 140);
    rig.hinge("forearm.R", [0.0, -1.0, 0.0], -20, 140);
    Ok(Model {
        name: "awkward",
        nodes,
        skins: vec![body, head],
        clips: vec![nod()],
        humanoid: false,
        rig: rig.finish(),
    })
}

/// Returns a clip that nods, smiles and blinks. It uses cubic splines, so each key is an in-tangent, a value and an
/// out-tangent.
fn nod() -> Clip {
    let mut clip = Clip::at_rate("nod", 4, 2);
    let zero = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    let slope = |rate: f64| DQuat::from_xyzw(rate, 0.0, 0.0, 0.0);
    let keys = [(0.0, 0.3), (18.0, 0.0), (0.0, -0.3), (-18.0, 0.0), (0.0, 0.3)];
    let spline = |(degrees, rate): (f64, f64)| {
        let tangent = if rate == 0.0 { zero } else { slope(rate) };
        [tangent, turn(DVec3::X, degrees), tangent]
    };
    clip.tracks.push(Track::Rotation("head".to_owned(), keys.into_iter().flat_map(spline).collect()));
    let weights = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.5, 0.0], [0.0, 0.0]];
    let morphs = weights.iter().flat_map(|&[smile, blink]| [0.0, 0.0, smile, blink, 0.0, 0.0]).collect();
    clip.tracks.push(Track::Morphs("head_mesh".to_owned(), morphs));
    clip.cubic = true;
    clip
}
