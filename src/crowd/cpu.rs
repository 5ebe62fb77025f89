//! Crowds on the CPU: the twins of all passes, in the order of the GPU.

use std::sync::Arc;

use glam::Affine3A;
use rayon::prelude::*;

use crate::render::gpu_types::Placed;

use super::CrowdError;
use super::advance::advance;
use super::model::CrowdModel;
use super::palette::{enclose, palette};
use super::sample::{sample, sample_weights};
use super::spawn::Spawn;
use super::terrain::Terrain;
use super::types::{Character, Joint, Local, Rows};
use super::world::world;

/// A crowd on the CPU, for devices without compute shaders and as the reference for the GPU. Each character gives the same
/// bits with any number of threads.
#[derive(Clone, Debug)]
pub struct CpuCrowd {
    model: Arc<CrowdModel>,
    terrain: Option<Terrain>,
    characters: Vec<Posed>,
}

/// A character with its pose.
#[derive(Clone, Debug)]
struct Posed {
    state: Character,
    locals: Vec<Local>,
    models: Vec<Rows>,
    weights: Vec<f32>,
    palette: Vec<Rows>,
    placed: Placed,
}

impl CpuCrowd {
    /// Creates an empty crowd, on a terrain or where its characters are placed.
    pub fn new(model: impl Into<Arc<CrowdModel>>, terrain: Option<Terrain>) -> Self {
        Self { model: model.into(), terrain, characters: Vec::new() }
    }

    /// Adds a character, and returns its index.
    ///
    /// # Errors
    /// [`CrowdError`] if a value is invalid.
    pub fn spawn(&mut self, spawn: &Spawn) -> Result<usize, CrowdError> {
        let model = &self.model;
        let state = spawn.character(model.clips.infos.len())?;
        let at_rest =
            |joint: &Joint| Local::new(joint.rest_rotation, joint.rest_translation, joint.rest_scale);
        self.characters.push(Posed {
            locals: model.joints.iter().map(at_rest).collect(),
            models: vec![Rows::IDENTITY; model.joints.len()],
            weights: model.rest_weights.clone(),
            palette: vec![Rows::IDENTITY; model.bones.len()],
            placed: enclose(&state, &[], &[]),
            state,
        });
        Ok(self.characters.len() - 1)
    }

    /// Advances all characters by some seconds and poses them.
    pub fn step(&mut self, seconds: f32) {
        let (model, terrain) = (&*self.model, self.terrain.as_ref());
        self.characters.par_iter_mut().for_each(|posed| posed.step((model, terrain), seconds));
    }

    /// Returns where a character is, `world_from_model`, and `model_from_joint` of its joints, in the order of
    /// [`CrowdModel::nodes`].
    pub fn pose(&self, index: usize) -> Option<(Affine3A, Vec<Affine3A>)> {
        let posed = self.characters.get(index)?;
        let place = Affine3A::from(&posed.state.rows());
        Some((place, posed.models.iter().map(Affine3A::from).collect()))
    }

    /// Returns the morph weights of a character.
    pub fn weights(&self, index: usize) -> Option<&[f32]> {
        Some(&self.characters.get(index)?.weights)
    }

    /// Returns the sphere around a character: its centre in world metres and its radius.
    pub fn sphere(&self, index: usize) -> Option<[f32; 4]> {
        Some(self.characters.get(index)?.placed.sphere)
    }
}

impl Posed {
    fn step(&mut self, (model, terrain): (&CrowdModel, Option<&Terrain>), seconds: f32) {
        let Self { state, locals, models, weights, palette: bones, placed } = self;
        advance(state, &model.clips.infos, seconds, terrain);
        sample(&state.layers, &model.clips, &model.joints, locals);
        sample_weights(&state.layers, &model.clips, &model.rest_weights, weights);
        world(&model.joints, locals, models);
        palette(state, models, &model.bones, bones);
        *placed = enclose(state, &model.joints, models);
    }
}
