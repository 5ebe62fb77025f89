//! Uses an accepted character: poses it, solves its goals, skins it, and writes and reads it again.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use glam::{DVec3, Vec3};
use sinew::asset::{Character, Clip, bvh, gltf};
use sinew::export::PoseDocument;
use sinew::ik::Method;
use sinew::motion::Motion;
use sinew::pose::Pose;
use sinew::puppet::{Puppet, Target};
use sinew::rig;
use sinew::rig::Rig;
use sinew::skin::{Skinned, Skinning};
use sinew_character::shared::skeleton_only;

/// The built-in character, reduced to a few vertices, and its rig.
pub(crate) static FIGURE: LazyLock<(Arc<Character>, Rig)> = LazyLock::new(|| {
    let (mut root, binary) = crate::seeds::trimmed(sinew::asset::MANNEQUIN);
    let bytes = crate::seeds::glb(&mut root, &binary);
    let character = gltf::load_bytes(Path::new("figure.glb"), &bytes, None).expect("the built-in character");
    let rig = rig::file::read(sinew::asset::MANNEQUIN_RIG, &character.skeleton).expect("the built-in rig");
    (Arc::new(character), rig)
});

/// Returns a puppet of the built-in character with its rig.
pub(crate) fn figure() -> Puppet {
    let (character, rig) = &*FIGURE;
    Puppet::with_rig(Arc::clone(character), character.default_scene, rig.clone())
}

/// Checks that all numbers of a pose are finite.
pub(crate) fn check_finite(pose: &Pose, when: &str) -> Result<(), String> {
    let is_finite = |(_, l): &(usize, &sinew::asset::Transform)| {
        l.translation.is_finite() && l.rotation.is_finite() && l.scale.is_finite()
    };
    match pose.locals.iter().enumerate().find(|l| !is_finite(l)) {
        Some((node, local)) => Err(format!("pose not finite {when}: node {node}: {local:?}")),
        None if pose.weights.iter().all(|w| w.is_finite()) => Ok(()),
        None => Err(format!("pose not finite {when}: morph weights {:?}", pose.weights)),
    }
}

/// Poses a puppet at several times of its motion.
pub(crate) fn sample(puppet: &mut Puppet) -> Result<(), String> {
    let seconds = puppet.seconds();
    for time in [0.0, 0.4 * seconds, seconds, -1.0, 1e9] {
        puppet.time = time;
        if puppet.update().is_ok() {
            check_finite(puppet.pose(), "when sampled")?;
        }
    }
    puppet.time = 0.0;
    Ok(())
}

/// Moves the effectors of two chains to targets by several methods.
pub(crate) fn solve(puppet: &mut Puppet, methods: &[Method]) -> Result<(), String> {
    let ends: Vec<usize> = puppet.rig.chains.iter().map(|c| c.effector).take(2).collect();
    for (&method, offset) in
        methods.iter().zip([Vec3::new(0.1, 0.2, 0.1), Vec3::new(0.0, 9.0, 0.0)].iter().cycle())
    {
        puppet.options.solver.method = method;
        let target = |&node: &usize| {
            let position = Vec3::from(puppet.world_from_node()[node].translation) + *offset;
            Target::new(node).with_position(position.as_dvec3()).with_look(DVec3::Z)
        };
        puppet.targets = ends.iter().map(target).collect();
        drop(puppet.update());
        check_finite(puppet.pose(), &format!("after {method}"))?;
        for report in puppet.reports() {
            let errors = [report.position_error, report.orientation_error];
            if let Some(error) = errors.into_iter().flatten().find(|e| e.is_nan()) {
                return Err(format!("error not finite after {method}: {error} of node {}", report.node));
            }
        }
    }
    puppet.targets.clear();
    Ok(())
}

/// Skins all parts of a puppet with both skinning methods, and writes its pose as JSON.
fn skin(puppet: &mut Puppet) -> Result<(), String> {
    for skinning in Skinning::ALL {
        puppet.options.skinning = skinning;
        if puppet.update().is_err() {
            return Ok(());
        }
        std::hint::black_box(puppet.bounds());
    }
    let skinned = |part: usize| {
        let mut out = Skinned::default();
        puppet.skin(part, &mut out);
        out
    };
    let document = PoseDocument::new(puppet, &[], Some((0..puppet.parts().len()).map(skinned).collect()));
    serde_json::to_vec(&document).map_err(|e| format!("pose as JSON: {e}"))?;
    Ok(())
}

/// Checks that a written rig can be read.
pub(crate) fn check_rig_round_trip(rig: &Rig, character: &Character) -> Result<(), String> {
    let Ok(text) = rig::file::write(rig, &character.skeleton, "") else { return Ok(()) };
    match rig::file::read(&text, &character.skeleton) {
        Ok(_) => Ok(()),
        Err(cause) => Err(format!("written rig rejected: {cause}")),
    }
}

/// Checks that a clip written as BVH can be read.
pub(crate) fn check_bvh_round_trip(character: &Character, clip: &Clip) -> Result<(), String> {
    if clip.seconds > 20.0 {
        return Ok(());
    }
    let Ok(written) = sinew::export::bvh::write(character, clip, 30.0, 0.01) else { return Ok(()) };
    match bvh::read(&written.text, Path::new("written.bvh"), None) {
        Ok(_) => Ok(()),
        Err(cause) => Err(format!("written BVH rejected: {cause}")),
    }
}

/// Uses a character. `glb` contains the bytes of the character's glTF file, if it has one.
pub(crate) fn exercise(character: Character, glb: Option<&[u8]>) -> Result<(), String> {
    let rig = rig::detect(&character);
    check_rig_round_trip(&rig, &character)?;
    let _ = std::hint::black_box(sinew::rig::humanoid(&character));
    let mut puppet = Puppet::with_rig(character, 0, rig);
    let clips = puppet.character().clips.len();
    for clip in 0..clips.min(2) {
        puppet.motion = Motion::clip(clip);
        sample(&mut puppet)?;
    }
    let several = [Method::Auto, Method::Ccd, Method::FullBody, Method::Dls];
    solve(&mut puppet, &several)?;
    skin(&mut puppet)?;
    let character = puppet.character();
    check_bvh_round_trip(character, character.clips.first().unwrap_or(&Clip::default()))?;
    let read = skeleton_only(character);
    let Pose { locals, weights } = puppet.pose();
    let bytes = glb.unwrap_or(&read);
    let skeleton = &character.skeleton;
    let copy = gltf::posed_copy(&character.path, bytes, None, skeleton, locals, weights, &character.clips);
    match copy.map(|copy| gltf::load_bytes(Path::new("copy.glb"), &copy, None)) {
        Ok(Err(cause)) => Err(format!("written GLB rejected: {cause}")),
        _ => Ok(()),
    }
}

/// Retargets the clips of a character to the built-in character.
pub(crate) fn retarget(source: Character) -> Result<(), String> {
    let seconds: f32 = source.clips.iter().map(|c| c.seconds).sum();
    let keys: usize = source.clips.iter().flat_map(|c| &c.timelines).map(Vec::len).sum();
    if seconds > 3.0 || keys > 500 {
        return Ok(());
    }
    let (target, rig) = &*FIGURE;
    let mut puppet = figure();
    if let Ok(clips) = sinew::export::bake::Source::Character(Box::new(source)).clips(target, rig, true) {
        puppet.add_clips(clips.clips.into_iter().take(1));
        puppet.motion = Motion::clip(puppet.character().clips.len() - 1);
        sample(&mut puppet)?;
    }
    Ok(())
}
