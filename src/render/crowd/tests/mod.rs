//! Tests inverse kinematics on the CPU, and compares the shaders with their CPU twins.

mod arrivals;
mod destination;
mod fades;
mod fading_parts;
mod holds;
mod levels;
mod limbs;
mod pick;
mod smooth;
mod spawning;
mod spheres;
mod twins;
mod walk;

use std::path::{Path, PathBuf};

use glam::{Quat, Vec2, Vec3};

use super::gait;
use crate::body::stance::Stance;
use crate::body::{CrowdBody, Figure, GOALS, Inputs, PackedGoal};
use crate::crowd::Crowd;
use crate::crowd::model::CrowdModel;
use crate::crowd::sample::sample;
use crate::crowd::terrain::Terrain;
use crate::crowd::types::{Character, CrowdJoint, CrowdLayer, LAYERS, Local, Rows};
use crate::crowd::world::world;
use crate::rig::Rig;
use crate::{DecodedImages, Model, Renderer, asset, rig};

pub(super) struct Actor {
    pub(super) model: CrowdModel,
    pub(super) body: CrowdBody,
    pub(super) rig: Rig,
}

impl Actor {
    pub(super) fn load(path: &Path) -> Self {
        let character = if path == Path::new(asset::MANNEQUIN_PATH) {
            asset::mannequin().unwrap()
        } else {
            asset::load(path).unwrap()
        };
        let rig = rig::load(&character, None).unwrap();
        let scene = character.default_scene;
        let model = CrowdModel::new(character, scene, &rig);
        Self { body: model.body.clone(), model, rig }
    }

    pub(super) fn mannequin() -> Self {
        Self::load(Path::new(asset::MANNEQUIN_PATH))
    }

    /// Returns a crowd of the character on the GPU, and the model that it draws. The crowd has no levels of detail, because making them would
    /// take longer than a test.
    pub(super) fn crowd(&self, renderer: &Renderer, terrain: Option<Terrain>) -> (Model, Crowd) {
        let (character, parts) = (self.model.character(), self.model.parts());
        let surface = renderer.model(character, parts, &DecodedImages::default()).unwrap();
        let mut crowd = Crowd::new(renderer, self.model.clone(), terrain).unwrap();
        crowd.set_pixel_error(0.0).unwrap();
        (surface, crowd)
    }

    pub(super) fn find_clip(&self, name: &str) -> Option<usize> {
        let clips = &self.model.character.clips;
        let named = |n: &Option<String>| n.as_deref().is_some_and(|n| n.to_lowercase().contains(name));
        clips.iter().position(|clip| named(&clip.name))
    }

    pub(super) fn clip(&self, name: &str) -> usize {
        self.find_clip(name).unwrap()
    }

    pub(super) fn joints(&self) -> &[CrowdJoint] {
        &self.model.joints
    }

    /// Returns a character that plays one clip.
    pub(super) fn play(&self, clip: usize, time: f32) -> Posed {
        let mut layers = [CrowdLayer::EMPTY; LAYERS];
        layers[0] = CrowdLayer { clip: clip as u32, time, weight: 1.0, ..CrowdLayer::EMPTY };
        let state = Character {
            rotation: Quat::IDENTITY,
            position: Vec3::ZERO,
            scale: 1.0,
            tint: [1.0; 4],
            pace: 1.0,
            turn: 0.0,
            is_present: 1,
            looks: 0.0,
            looked_at: Vec3::ZERO,
            looks_at_point: 0,
            destination: Vec2::ZERO,
            radius: 0.0,
            steering: 0.0,
            layers,
        };
        let local =
            |joint: &CrowdJoint| Local::new(joint.rest_rotation, joint.rest_translation, joint.rest_scale);
        let locals: Vec<Local> = self.joints().iter().map(local).collect();
        let models = vec![Rows::IDENTITY; locals.len()];
        Posed { state, locals, models, stance: Stance::default(), goals: [PackedGoal::NONE; GOALS] }
    }
}

#[derive(Clone)]
pub(super) struct Posed {
    pub(super) state: Character,
    pub(super) locals: Vec<Local>,
    pub(super) models: Vec<Rows>,
    pub(super) stance: Stance,
    pub(super) goals: [PackedGoal; GOALS],
}

impl Posed {
    pub(super) fn sample(&mut self, actor: &Actor) {
        sample(&self.state.layers, &actor.model.clips, actor.joints(), &mut self.locals);
        world(actor.joints(), &self.locals, &mut self.models);
    }

    /// Solves for the goals, and updates the matrices.
    pub(super) fn solve(&mut self, actor: &Actor, terrain: Option<&Terrain>, seconds: f32) {
        let (body, joints) = (&actor.body, actor.joints());
        let mut figure = Figure {
            seconds,
            body,
            joints,
            place: self.state.place(),
            contacts: gait::contacts(body, joints, &self.state.layers),
            models: &self.models,
            stance: &mut self.stance,
            locals: &mut self.locals,
        };
        let (eye, goals) = (self.state.looked_at(Vec3::new(1.0, 1.6, 3.0)), &self.goals);
        figure.pose_body(&Inputs { eye, looks: self.state.looks, ground: terrain, goals });
        world(actor.joints(), &self.locals, &mut self.models);
    }

    pub(super) fn position(&self, joint: u32) -> Vec3 {
        self.models[joint as usize].translation()
    }

    /// Returns the world positions of a sole's points.
    pub(super) fn soles(&self, actor: &Actor, leg: usize) -> Vec<Vec3> {
        let limb = &actor.body.legs()[leg];
        let place = self.state.rows();
        let soles = &limb.sole[..limb.soles as usize];
        soles.iter().map(|s| place.point(self.models[s.joint as usize].point(s.position))).collect()
    }
}

/// Returns the path of a file in the test data, or `None` if there is no test data.
pub(super) fn data(path: &str) -> Option<PathBuf> {
    let root = std::env::var_os("SINEW_TEST_DATA")?;
    Some(Path::new(&root).join(path))
}
