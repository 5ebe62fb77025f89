//! Crowds on the CPU: runs the CPU twins of all GPU passes in the same order.

use std::sync::Arc;

use glam::{Affine3A, Mat4, Vec3, Vec4};
use rayon::prelude::*;

use crate::body::stance::Stance;
use crate::body::{Figure, GOALS, Inputs, PackedGoal};
use crate::gpu_types::Placed;
use crate::view::{Bounds, Ray};
use crate::{Draw, Instance};

use super::CrowdError;
use super::advance::{advance, fade, limited_seconds};
use super::gait;
use super::model::{CrowdModel, PartDraw};
use super::palette::{enclose, palette};
use super::pick::{PickRay, hit_skin, nearest};
use super::sample::{sample, sample_weights};
use super::slots::Slots;
use super::spawn::{CharacterId, Spawn};
use super::terrain::Terrain;
use super::types::{Character, CrowdJoint, Local, Rows};
use super::world::world;

/// A crowd on the CPU, for devices without compute shaders and as the reference for the GPU. The results are bit-identical
/// for any number of threads.
#[derive(Clone, Debug)]
pub struct CpuCrowd {
    pub(super) model: Arc<CrowdModel>,
    terrain: Option<Terrain>,
    pub(super) slots: Slots,
    /// The characters in the slots that have ever been used.
    pub(super) characters: Vec<Option<Posed>>,
    /// `change` of the goal that was set last.
    pub(super) last_change: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Posed {
    pub(super) state: Character,
    pub(super) goals: [PackedGoal; GOALS],
    /// Whether the character has arrived at its destination, and whether this was returned.
    pub(super) has_arrived: bool,
    pub(super) is_returned: bool,
    stance: Stance,
    locals: Vec<Local>,
    models: Vec<Rows>,
    weights: Vec<f32>,
    palette: Vec<Rows>,
    /// The palette as matrices.
    matrices: Vec<Mat4>,
    placed: Placed,
}

impl CpuCrowd {
    /// Creates an empty crowd. Without a terrain, characters keep the height at which they are placed.
    pub fn new(model: impl Into<Arc<CrowdModel>>, terrain: Option<Terrain>) -> Self {
        let (model, slots) = (model.into(), Slots::new(0));
        Self { model, terrain, slots, characters: Vec::new(), last_change: 0 }
    }

    /// Adds a character.
    ///
    /// # Errors
    /// [`CrowdError`] if a value is invalid.
    pub fn spawn(&mut self, spawn: &Spawn) -> Result<CharacterId, CrowdError> {
        let model = &self.model;
        let state = spawn.character(model.clips.infos.len())?;
        let at_rest =
            |joint: &CrowdJoint| Local::new(joint.rest_rotation, joint.rest_translation, joint.rest_scale);
        let posed = Posed {
            locals: model.joints.iter().map(at_rest).collect(),
            models: vec![Rows::IDENTITY; model.joints.len()],
            weights: model.rest_weights.clone(),
            palette: vec![Rows::IDENTITY; model.bones.len()],
            matrices: vec![Mat4::IDENTITY; model.bones.len()],
            placed: enclose(&state, &[], &[]),
            goals: [PackedGoal::NONE; GOALS],
            has_arrived: false,
            is_returned: false,
            stance: Stance::default(),
            state,
        };
        self.slots.grow();
        let slot = self.slots.take().ok_or(CrowdError::Despawned)?;
        match self.characters.get_mut(slot.index as usize) {
            Some(free) => *free = Some(posed),
            None => self.characters.push(Some(posed)),
        }
        self.id(slot.index).ok_or(CrowdError::Despawned)
    }

    /// Removes a character. Its identifier is invalid from now on.
    ///
    /// # Errors
    /// [`CrowdError::Despawned`] if the character was removed before.
    pub fn despawn(&mut self, id: CharacterId) -> Result<(), CrowdError> {
        if !self.is_current(id) || !self.slots.release(id.slot, id.generation) {
            return Err(CrowdError::Despawned);
        }
        if let Some(posed) = self.characters.get_mut(id.slot as usize) {
            *posed = None;
        }
        Ok(())
    }

    /// Advances all characters by a time of at most ten seconds and poses them. A negative or invalid time counts as 0. `eye` is the position
    /// of the camera, at which heads can look.
    ///
    /// ```
    /// use sinew_render::crowd::{CpuCrowd, CrowdModel, PlayedClip, Spawn};
    /// use sinew_character::glam::Vec3;
    /// use sinew_character::{asset, rig};
    ///
    /// let character = asset::mannequin()?;
    /// let rig = rig::detect(&character);
    /// let model = CrowdModel::new(character, 0, &rig);
    /// let stride = model.stride(2);
    /// let seconds = model.character().clips[2].seconds;
    /// let mut crowd = CpuCrowd::new(model, None);
    /// let walker = crowd.spawn(&Spawn { clips: vec![PlayedClip::new(2, 0.0)], ..Spawn::default() })?;
    /// // Within one cycle of the clip, the character walks as far as the clip does.
    /// (0..10).for_each(|_| crowd.step(seconds / 10.0, Vec3::Z));
    /// let (world_from_model, _) = crowd.pose(walker).ok_or("no walker")?;
    /// let walked = Vec3::from(world_from_model.translation);
    /// assert!(walked.length() > 0.5 && walked.distance(stride * seconds) < 0.01);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn step(&mut self, seconds: f32, eye: Vec3) {
        let (model, terrain) = (&*self.model, self.terrain.as_ref());
        let seconds = limited_seconds(seconds);
        // New characters replace the whole state of removed ones, so nothing is left to clear.
        self.slots.clear(|_| {});
        let present = self.characters.par_iter_mut().filter_map(Option::as_mut);
        present.for_each(|posed| posed.step(model, terrain, seconds, eye));
    }

    /// Returns the nearest character that a ray hits, and the point on its skin in world metres. Both sides of triangles count.
    ///
    /// ```
    /// use sinew_render::crowd::{CpuCrowd, CrowdModel, Spawn};
    /// use sinew_character::glam::Vec3;
    /// use sinew_character::view::Ray;
    /// use sinew_character::{asset, rig};
    ///
    /// let character = asset::mannequin()?;
    /// let rig = rig::detect(&character);
    /// let mut crowd = CpuCrowd::new(CrowdModel::new(character, 0, &rig), None);
    /// let mut ids = Vec::new();
    /// for z in [-2.0, 0.0, -4.0] {
    ///     ids.push(crowd.spawn(&Spawn { position: Vec3::Z * z, ..Spawn::default() })?);
    /// }
    /// crowd.step(0.0, Vec3::Z);
    /// let ray = Ray { origin: Vec3::new(0.0, 1.2, 5.0), direction: -Vec3::Z };
    /// let (character, point) = crowd.pick(&ray)?.ok_or("the ray misses")?;
    /// assert!(character == ids[1] && point.z.abs() < 0.3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CrowdError::NotFinite`] if a number of the ray is not finite.
    pub fn pick(&self, ray: &Ray) -> Result<Option<(CharacterId, Vec3)>, CrowdError> {
        let Some(ray) = PickRay::new(ray)? else { return Ok(None) };
        nearest(self.entries(&ray), &ray, |ids| Ok(ids.to_vec()), |id| self.hit(id, &ray))
    }

    /// Returns the distance to the skin of a character. See [`hit_skin`].
    pub(super) fn hit(&self, id: CharacterId, ray: &PickRay) -> Option<f32> {
        let posed = self.posed(id)?;
        hit_skin(ray, &self.model, &posed.palette, &posed.weights)
    }

    /// Returns [`PickRay::entry`] of each character.
    pub(super) fn entries(&self, ray: &PickRay) -> Vec<(CharacterId, f32)> {
        let entry = |(slot, posed): (u32, &Option<Posed>)| {
            Some((self.id(slot)?, ray.entry(posed.as_ref()?.placed.sphere)))
        };
        (0..).zip(&self.characters).filter_map(entry).collect()
    }

    /// Returns the identifier of the character in a slot. All characters are in one batch.
    pub(super) fn id(&self, slot: u32) -> Option<CharacterId> {
        Some(CharacterId { batch: 0, slot, generation: self.slots.generation(slot)? })
    }

    /// Returns whether a character exists.
    fn is_current(&self, id: CharacterId) -> bool {
        self.id(id.slot) == Some(id)
    }

    fn posed(&self, id: CharacterId) -> Option<&Posed> {
        let posed = self.characters.get(id.slot as usize)?.as_ref();
        posed.filter(|_| self.is_current(id))
    }

    pub(super) fn posed_mut(&mut self, id: CharacterId) -> Result<&mut Posed, CrowdError> {
        let is_current = self.is_current(id);
        let posed = self.characters.get_mut(id.slot as usize).and_then(Option::as_mut);
        posed.filter(|_| is_current).ok_or(CrowdError::Despawned)
    }

    /// Returns a character's placement (`world_from_model`), and the `model_from_joint` matrices of its joints in the order of
    /// [`CrowdModel::nodes`]. Returns `None` if the character was removed.
    pub fn pose(&self, id: CharacterId) -> Option<(Affine3A, Vec<Affine3A>)> {
        let posed = self.posed(id)?;
        let place = Affine3A::from(&posed.state.rows());
        Some((place, posed.models.iter().map(Affine3A::from).collect()))
    }

    /// Returns the number of characters.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns whether there are no characters.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the instances to draw. `index` is the crowd's model in the list passed to the renderer.
    pub fn instances(&self, index: usize) -> impl Iterator<Item = Instance<'_>> {
        self.characters.iter().flatten().map(move |posed| posed.instance(&self.model, index))
    }

    /// Returns the morph weights of a character, or `None` if it was removed.
    pub fn weights(&self, id: CharacterId) -> Option<&[f32]> {
        Some(&self.posed(id)?.weights)
    }

    /// Returns the bounding sphere of a character: the centre in world metres, and the radius. Returns `None` if it was removed.
    pub fn sphere(&self, id: CharacterId) -> Option<[f32; 4]> {
        Some(self.posed(id)?.placed.sphere)
    }
}

impl Posed {
    /// Begins another walk, so that another arrival is returned.
    pub(super) fn begin_walk(&mut self) {
        (self.has_arrived, self.is_returned) = (false, false);
    }

    fn step(&mut self, model: &CrowdModel, terrain: Option<&Terrain>, seconds: f32, eye: Vec3) {
        let Self {
            state,
            goals,
            has_arrived,
            stance,
            locals,
            models,
            weights,
            palette: bones,
            matrices,
            placed,
            ..
        } = self;
        fade(goals, seconds);
        *has_arrived = advance(state, &model.clips.infos, seconds, terrain);
        sample(&state.layers, &model.clips, &model.joints, locals);
        sample_weights(&state.layers, &model.clips, &model.rest_weights, weights);
        world(&model.joints, locals, models);
        let (body, joints) = (&model.body, &model.joints[..]);
        let contacts = gait::contacts(body, joints, &state.layers);
        let place = state.place();
        let mut figure = Figure { seconds, body, joints, place, contacts, models, stance, locals };
        let eye = state.looked_at(eye);
        figure.pose_body(&Inputs { eye, looks: state.looks, ground: terrain, goals });
        world(&model.joints, locals, models);
        palette(state, models, &model.bones, bones);
        for (matrix, rows) in matrices.iter_mut().zip(bones) {
            *matrix = Mat4::from_cols(rows.x, rows.y, rows.z, Vec4::W).transpose();
        }
        *placed = enclose(state, &model.joints, models);
    }

    fn instance(&self, model: &CrowdModel, index: usize) -> Instance<'_> {
        let [x, y, z, radius] = self.placed.sphere;
        let center = Vec3::new(x, y, z);
        let bounds = Bounds { lo: center - radius, hi: center + radius };
        let draw = |(part, draw): (usize, &PartDraw)| Draw {
            part,
            first_matrix: draw.first_matrix as usize,
            mirrored: draw.is_mirrored,
            morph_weights: self.weights.get(draw.first_weight as usize..).unwrap_or_default(),
            bounds,
            ..Draw::default()
        };
        Instance {
            model: index,
            draws: model.draws.iter().enumerate().map(draw).collect(),
            palette: &self.matrices,
            place: Affine3A::IDENTITY,
            tint: self.placed.tint.into(),
        }
    }
}
