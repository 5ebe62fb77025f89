//! Tests characters that walk over hills, on the CPU and on the GPU.

use std::path::Path;

use glam::{Quat, Vec3, Vec3Swizzles};

use super::{Actor, Posed, data};
use crate::asset::MANNEQUIN_PATH;
use crate::crowd::advance::advance;
use crate::crowd::terrain::Terrain;
use crate::crowd::{PlayedClip, Spawn};
use crate::{Gpu, Renderer};

const FRAME: f32 = 1.0 / 60.0;

/// The measurements of a walk.
#[derive(Debug, Default)]
struct Walk {
    /// Largest depth of a point of a sole below the ground, in metres.
    penetration: f32,
    /// Largest movement of the lower end of a standing sole in a frame, in metres.
    slide: f32,
    /// Number of frames in which a foot stood.
    standing: usize,
    /// Largest height of a standing foot above the ground, in metres.
    hover: f32,
    distance: f32,
    let_go: usize,
}

/// Walks in a circle for `seconds`, at 60 Hz. `step` moves the character and poses it.
fn walk(
    actor: &Actor,
    mut posed: Posed,
    terrain: &Terrain,
    seconds: f32,
    mut step: impl FnMut(&mut Posed),
) -> Walk {
    let mut walk = Walk::default();
    let legs = actor.body.legs().len();
    let mut before: Vec<Option<[glam::Vec3; 2]>> = vec![None; legs];
    let frames = (seconds * 60.0) as usize;
    let mut last = posed.state.position;
    for _ in 0..frames {
        step(&mut posed);
        walk.distance += posed.state.position.xz().distance(last.xz());
        last = posed.state.position;
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
                // The end that carries the foot must stand still. If the foot is flat, both ends must.
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
        let terrain = Terrain::hills(seed, 40.0);
        let mut start = actor.play(clip, 0.0);
        start.state.turn = turn;
        start.state.rotation = Quat::from_rotation_y(0.4);
        let walked = walk(&actor, start, &terrain, 10.0, |posed| {
            advance(&mut posed.state, &actor.model.clips.infos, FRAME, Some(&terrain));
            posed.sample(&actor);
            posed.solve(&actor, Some(&terrain), FRAME);
        });
        walked.check(&actor, &name);
    }
}

impl Walk {
    fn check(&self, actor: &Actor, name: &str) {
        println!("{name}: legs {} size {:.3} {self:?}", actor.body.parts.legs, actor.body.parts.size);
        assert!(self.penetration < 0.002, "{name}: {self:?}");
        // The hips follow with a lag, so a leg may be too short for a moment.
        assert!(self.slide < 0.0025 * actor.body.parts.size, "{name}: {self:?}");
        assert!(self.standing > 30, "{name}: {self:?}");
    }
}

/// Checks the same walk on the GPU. Runs all passes of a crowd, and reads the positions back after each step.
fn check_on_gpu(path: &Path, clip: &str, seconds: f32) {
    let actor = Actor::load(path);
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let terrain = Terrain::hills(7, 40.0);
    let mut renderer = Renderer::new(Gpu::of_tests());
    let (surface, mut crowd) = actor.crowd(&renderer, Some(terrain.clone()));
    let played = PlayedClip::new(actor.clip(clip), 0.0);
    let spawn = Spawn { heading: 0.4, turn: 0.1, clips: vec![played], ..Spawn::default() };
    let id = crowd.spawn(&mut renderer, &surface, &spawn).unwrap();
    let start = actor.play(actor.clip(clip), 0.0);
    let walked = walk(&actor, start, &terrain, seconds, |posed| {
        let mut encoder = renderer.gpu().device.create_command_encoder(&Default::default());
        crowd.step(&mut encoder, FRAME, Vec3::ZERO).unwrap();
        renderer.gpu().queue.submit([encoder.finish()]);
        (posed.state, posed.stance, posed.models) = crowd.read_state(id).unwrap();
    });
    walked.check(&actor, &format!("{name} on the GPU"));
}

#[test]
fn a_mannequin_walks_over_hills_on_the_gpu() {
    check_on_gpu(Path::new(MANNEQUIN_PATH), "walk", 10.0);
}

#[test]
fn an_animal_walks_over_hills_on_the_gpu() {
    if let Some(path) = data("models/quaternius/animals_pack/Wolf/Wolf.glb") {
        check_on_gpu(&path, "walk", 4.0);
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
