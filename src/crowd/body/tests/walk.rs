//! Characters that walk over hills.

use std::path::Path;

use glam::{Quat, Vec3Swizzles};

use super::{Actor, data};
use crate::asset::MANNEQUIN_PATH;
use crate::crowd::advance::advance;
use crate::crowd::terrain::Terrain;

/// The largest values of a walk.
#[derive(Debug, Default)]
struct Walk {
    /// How far a point of a sole was below the ground, metres.
    penetration: f32,
    /// How far the lower end of a standing sole moved in a frame, metres.
    slide: f32,
    /// Number of frames in which a foot stood.
    standing: usize,
    /// How far a foot that stands was above the ground, metres.
    hover: f32,
    distance: f32,
    let_go: usize,
}

/// Walks for some seconds at 60 Hz, in a circle.
fn walk(actor: &Actor, clip: usize, terrain: &Terrain, seconds: f32, turn: f32) -> Walk {
    let infos = &actor.model.clips.infos;
    let mut posed = actor.play(clip, 0.0);
    posed.state.turn = turn;
    posed.state.rotation = Quat::from_rotation_y(0.4);
    let mut walk = Walk::default();
    let legs = actor.body.legs().len();
    let mut before: Vec<Option<[glam::Vec3; 2]>> = vec![None; legs];
    let frames = (seconds * 60.0) as usize;
    let mut last = posed.state.position;
    for _ in 0..frames {
        advance(&mut posed.state, infos, 1.0 / 60.0, Some(terrain));
        walk.distance += posed.state.position.xz().distance(last.xz());
        last = posed.state.position;
        posed.sample(actor);
        posed.solve(actor, Some(terrain), 1.0 / 60.0);
        walk.let_go += posed.stance.spent.count_ones() as usize;
        for (leg, before) in before.iter_mut().enumerate() {
            let soles = posed.soles(actor, leg);
            let above = |p: &glam::Vec3| p.y - terrain.height(p.xz());
            let lowest = soles.iter().map(above).fold(f32::INFINITY, f32::min);
            walk.penetration = walk.penetration.max(-lowest);
            let limb = &actor.body.legs()[leg];
            let ends = [soles[limb.heel as usize], soles[limb.toe as usize]];
            let held = posed.stance.held >> leg & 1 == 1;
            if let (Some(old), true) = (*before, held) {
                walk.standing += 1;
                // The end that carries the foot stands still. Both do if the foot is flat.
                let slides = [0, 1].map(|i| ends[i].xz().distance(old[i].xz()));
                walk.slide = walk.slide.max(slides[0].min(slides[1]));
                walk.hover = walk.hover.max(lowest);
            }
            *before = held.then_some(ends);
        }
    }
    walk
}

fn check(path: &Path, clip: &str, turn: f32) {
    let actor = Actor::load(path);
    let clip = actor.clip(clip);
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    for seed in [1, 7] {
        let walked = walk(&actor, clip, &Terrain::hills(seed, 40.0), 10.0, turn);
        println!(
            "{name}: legs {} size {:.3} stride {:?} jump {:?} {walked:?}",
            actor.body.parts.legs,
            actor.body.parts.size,
            actor.model.clips.infos[clip].stride,
            actor.model.clips.infos[clip].jump
        );
        assert!(walked.penetration < 0.002, "{name}: {walked:?}");
        assert!(walked.slide < 0.001 * actor.body.parts.size.max(1.0), "{name}: {walked:?}");
        assert!(walked.standing > 30, "{name}: {walked:?}");
    }
}

#[test]
fn a_mannequin_walks_over_hills() {
    check(Path::new(MANNEQUIN_PATH), "walk", 0.0);
    check(Path::new(MANNEQUIN_PATH), "walk", 0.3);
}

#[test]
fn other_characters_walk_over_hills() {
    let files = [
        ("models/quaternius/platformer_game_pack/Character/Character.glb", "walk"),
        ("models/quaternius/single_knight_pack/KnightCharacter/KnightCharacter.glb", "walk"),
        ("models/quaternius/animals_pack/Wolf/Wolf.glb", "walk"),
        ("models/quaternius/animals_pack/Horse/Horse.glb", "walk"),
        ("models/quaternius/easy_enemies_pack/Spider/Spider.glb", "walk"),
        ("models/quaternius/mech_pack/Leela/Leela.glb", "walk"),
        ("models/quaternius/dinosaurs_pack/Trex/Trex.glb", "walk"),
    ];
    for (file, clip) in files {
        let Some(path) = data(file) else { continue };
        check(&path, clip, 0.1);
    }
}
