//! Tests single limbs, chains and heads on the CPU.

use glam::{Quat, Vec3};

use super::{Actor, data};
use crate::body::{HAS_ROTATION, HEAD, PackedGoal};
use crate::crowd::terrain::Terrain;
use crate::ik::Limit;
use sinew_base::Random;

#[test]
fn limbs_meet_targets_within_their_limits() {
    let actor = Actor::mannequin();
    let mut random = Random(1);
    let walk = actor.clip("walk");
    let (mut met, mut worst) = (0, 0.0_f32);
    for case in 0..2000 {
        let mut posed = actor.play(walk, random.range_f32(0.0, 1.0));
        posed.sample(&actor);
        let index = case % actor.body.limbs().len();
        let limb = actor.body.limbs()[index];
        let [first, middle, end] = [limb.first, limb.middle, limb.end].map(|j| posed.position(j));
        let reach = first.distance(middle) + middle.distance(end);
        let before = posed.clone();
        // The target is the current position of the end, moved by up to half of the reach.
        let target = end + 0.5 * reach * random.turn(1.0).as_vec3();
        let rotation = posed.models[limb.end as usize];
        posed.goals[0] = PackedGoal { limb: index as u32, position: target, weight: 1.0, ..PackedGoal::NONE };
        posed.solve(&actor, None, 1.0 / 60.0);
        let distance = target.distance(first);
        let (upper, lower) = (first.distance(middle), middle.distance(end));
        let nearest = (upper * upper + lower * lower + 2.0 * upper * lower * limb.least_cos).sqrt();
        let violation = |posed: &super::Posed, joint: u32| -> f64 {
            let limit: Limit = actor.rig.joint(actor.model.nodes[joint as usize]).limit;
            let rest = actor.joints()[joint as usize].rest_rotation;
            let local = posed.locals[joint as usize].rotation;
            limit.limit_violation((rest.inverse() * local).as_dquat())
        };
        for joint in [limb.first, limb.middle] {
            let (old, new) = (violation(&before, joint), violation(&posed, joint));
            assert!(new <= old + 2e-2, "case {case}, joint {joint}: {old} {new}");
        }
        let kept = posed.models[limb.end as usize];
        assert!((kept.x - rotation.x).truncate().length() < 1e-4, "the end turned");
        let unlimited = actor.rig.joint(actor.model.nodes[limb.first as usize]).limit == Limit::Free;
        let is_reachable = distance < 0.995 * reach && distance > nearest * 1.001;
        let missed = posed.position(limb.end).distance(target);
        if is_reachable && (unlimited || missed < 0.002) {
            met += 1;
            worst = worst.max(missed);
            assert!(missed < 0.002, "case {case}: missed by {missed}");
        }
    }
    println!("limbs: {met} of 2000 reachable targets met, largest error {worst:e} m");
    assert!(met > 700, "{met}");
}

#[test]
fn a_goal_sets_the_orientation_of_a_hand() {
    let actor = Actor::mannequin();
    let mut posed = actor.play(actor.clip("walk"), 0.2);
    posed.sample(&actor);
    let index = actor.body.parts.legs;
    let limb = actor.body.limbs()[index as usize];
    let position = posed.position(limb.end) + Vec3::new(0.0, 0.1, 0.1);
    let rotation = Quat::from_rotation_x(0.7);
    let goal =
        PackedGoal { limb: index, position, rotation, weight: 1.0, flags: HAS_ROTATION, ..PackedGoal::NONE };
    posed.goals[0] = goal;
    posed.solve(&actor, None, 0.1);
    let node = actor.model.nodes[limb.end as usize];
    let mut q = Quat::IDENTITY;
    for above in actor.model.character.skeleton.ancestors(node) {
        let slot = actor.model.nodes.iter().position(|n| *n == above).unwrap();
        q = posed.locals[slot].rotation * q;
    }
    assert!(q.angle_between(rotation) < 1e-3, "{q}");
    assert!(posed.position(limb.end).distance(position) < 1e-4);
}

#[test]
fn a_head_follows_smoothly_and_not_behind_the_body() {
    let actor = Actor::mannequin();
    let parts = actor.body.parts;
    assert!(parts.necks > 0);
    let mut posed = actor.play(actor.clip("idle"), 0.0);
    let head = parts.neck[parts.necks as usize - 1];
    let (mut last, mut met) = (None, f32::INFINITY);
    for frame in 0..600 {
        posed.state.layers[0].time = 0.0;
        posed.sample(&actor);
        // The target circles the head once every ten seconds.
        let angle = frame as f32 * std::f32::consts::TAU / 600.0;
        let at = posed.position(head) + 2.0 * Vec3::new(angle.sin(), 0.1, angle.cos());
        posed.goals[0] = PackedGoal { limb: HEAD, position: at, weight: 1.0, ..PackedGoal::NONE };
        posed.solve(&actor, None, 1.0 / 60.0);
        let face = posed.models[head as usize].vector(parts.facing).normalize();
        if let Some(last) = last {
            let turned = face.angle_between(last);
            assert!(turned < 0.12, "frame {frame}: the head turned by {turned}");
        }
        met = met.min(face.angle_between(at - posed.position(head)));
        if (250..350).contains(&frame) {
            assert!(face.z > 0.8, "frame {frame}: the head looks back, {face}");
        }
        last = Some(face);
    }
    assert!(met < 0.05, "{met}");
    // If the target does not move relative to the head, the head turns all the way to it.
    for _ in 0..120 {
        posed.sample(&actor);
        let at = posed.position(head) + Vec3::new(0.8, 0.2, 1.5);
        posed.goals[0].position = at;
        posed.solve(&actor, None, 1.0 / 60.0);
        let face = posed.models[head as usize].vector(parts.facing).normalize();
        met = face.angle_between(at - posed.position(head));
    }
    println!("head: {met} rad from the target");
    assert!(met < 0.01, "{met}");
}

#[test]
fn a_tail_reaches_its_goal() {
    let Some(path) = data("models/khronos-sample-models/Fox/glTF-Binary/Fox.glb") else { return };
    let actor = Actor::load(&path);
    let body = &actor.body;
    assert!(body.parts.chains > 0, "no tail");
    let mut posed = actor.play(0, 0.3);
    posed.sample(&actor);
    let chain = body.chains()[0];
    let tip = chain.joints[chain.links as usize];
    let base = posed.position(chain.joints[0]);
    let offset = posed.position(tip) - base;
    let target = base + 0.95 * (Quat::from_rotation_y(0.5) * offset);
    let before = posed.position(tip).distance(target);
    posed.goals[0] = PackedGoal { limb: body.parts.limbs, position: target, weight: 1.0, ..PackedGoal::NONE };
    posed.solve(&actor, None, 0.1);
    let after = posed.position(tip).distance(target);
    println!("tail: {before} m before, {after} m after");
    assert!(after < 0.1 * before, "{before} {after}");
}

#[test]
fn nothing_changes_where_nothing_is_to_be_changed() {
    let actor = Actor::mannequin();
    for clip in 0..actor.model.character.clips.len() {
        let mut posed = actor.play(clip, 0.3);
        posed.sample(&actor);
        let before = posed.locals.clone();
        posed.solve(&actor, None, 1.0 / 60.0);
        assert_eq!(posed.locals, before);
    }
    // On level ground, a foot above the floor is unchanged.
    let mut posed = actor.play(actor.clip("idle"), 0.0);
    posed.sample(&actor);
    let before = posed.locals.clone();
    posed.solve(&actor, Some(&Terrain::flat(10.0)), 1.0 / 60.0);
    let moved = |(a, b): (&super::Local, &super::Local)| a.rotation.angle_between(b.rotation);
    let most = posed.locals.iter().zip(&before).map(moved).fold(0.0, f32::max);
    println!("idle on level ground: turned by {most}");
}

#[test]
fn bad_input_is_harmless() {
    let actor = Actor::mannequin();
    let bad = [f32::NAN, f32::INFINITY, 1e38, -1e38, 0.0];
    for value in bad {
        for scale in [1.0, 0.0, value] {
            let mut posed = actor.play(0, 0.3);
            posed.sample(&actor);
            posed.state.scale = scale;
            posed.state.position = Vec3::splat(value);
            for (limb, goal) in (0..).zip(&mut posed.goals) {
                let (position, pole) = (Vec3::splat(value), Vec3::splat(value));
                let flags = crate::body::HAS_POLE | HAS_ROTATION;
                *goal = PackedGoal { limb, position, pole, weight: 1.0, flags, ..PackedGoal::NONE };
            }
            posed.solve(&actor, Some(&Terrain::hills(1, 5.0)), 1.0 / 60.0);
            let is_finite = |l: &super::Local| l.rotation.is_finite() && l.translation.is_finite();
            assert!(posed.locals.iter().all(is_finite), "{value}");
        }
    }
}
