//! Crowds that fill an area: their layout and drawing.

use std::sync::Arc;

use glam::{Vec3, Vec3Swizzles, Vec4};

use crate::asset::Character;
use crate::crowd::{CpuCrowd, Crowd, CrowdError, CrowdModel, PlayedClip, Spawn, Terrain, ground};
use crate::puppet::Puppet;
use crate::rig::Rig;
use crate::view::{Bounds, Camera};
use crate::{DecodedImages, DrawnLevels, Frame, Instance, Model, RenderError, Renderer, ShadingMode};
use sinew_base::Random;

use super::crowd_ground::CrowdGround;
use super::frame::{ViewSettings, draws};

/// Range of heights, in metres, within which a character keeps its own size. Other characters are scaled to a child's height.
const USUAL_HEIGHTS: std::ops::RangeInclusive<f32> = 0.3..=4.0;
const CHILD: f32 = 1.2;
/// Distance between neighbouring characters, as a multiple of the diameter of the largest character.
const SPACING: f32 = 1.15;
/// Minimum speed of a walking clip, in metres per second per metre of the character's height.
const WALKING: f32 = 0.15;
/// Maximum distance in metres from the centre at which shadows are drawn.
const SHADOWED: f32 = 45.0;

/// The layout of a crowd.
#[derive(Clone, Debug, PartialEq)]
pub struct CrowdLayout {
    /// Number of characters, divided equally among the models.
    pub count: u32,
    /// The ground.
    pub ground: CrowdGround,
    /// Seed of the random positions, clips and tints.
    pub seed: u32,
    /// Amount by which heads turn towards the camera, from 0 to 1.
    pub looks: f32,
    /// Largest mean error of a simplified character in the image, in pixels. See [`Crowd::set_pixel_error`].
    pub pixel_error: f32,
    /// Whether characters that other surfaces hide are not drawn. See [`Crowd::set_occlusion`].
    pub occlusion: bool,
}

/// A crowd on its ground, ready to be stepped and drawn.
#[derive(Debug)]
pub struct CrowdScene {
    crowds: Vec<Walkers>,
    /// The models of the crowds, followed by the model of the ground.
    models: Vec<Model>,
    ground: Puppet,
    terrain: Terrain,
    bounds: Bounds,
    size: f32,
}

/// Characters of one model. They are animated on the GPU if it supports compute shaders.
#[derive(Debug)]
enum Walkers {
    Gpu(Box<Crowd>),
    Cpu(Box<CpuCrowd>),
}

impl Walkers {
    fn new(
        renderer: &mut Renderer,
        model: CrowdModel,
        terrain: &Terrain,
        layout: &CrowdLayout,
    ) -> Result<Self, CrowdError> {
        let terrain = Some(terrain.clone());
        if !renderer.gpu().capabilities.has_compute {
            return Ok(Self::Cpu(Box::new(CpuCrowd::new(model, terrain))));
        }
        let mut crowd = Crowd::new(renderer, model, terrain)?;
        crowd.set_pixel_error(layout.pixel_error)?;
        crowd.set_occlusion(renderer, layout.occlusion)?;
        Ok(Self::Gpu(Box::new(crowd)))
    }

    fn reserve(&mut self, renderer: &mut Renderer, surface: &Model, count: u32) -> Result<(), CrowdError> {
        match self {
            Self::Gpu(crowd) => crowd.reserve(renderer, surface, count),
            Self::Cpu(_) => Ok(()),
        }
    }

    fn spawn(&mut self, renderer: &mut Renderer, surface: &Model, spawn: &Spawn) -> Result<(), CrowdError> {
        match self {
            Self::Gpu(crowd) => crowd.spawn(renderer, surface, spawn).map(drop),
            Self::Cpu(crowd) => crowd.spawn(spawn).map(drop),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Gpu(crowd) => crowd.len(),
            Self::Cpu(crowd) => crowd.len(),
        }
    }
}

/// One kind of character.
#[derive(Debug)]
struct Kind {
    scale: f32,
    /// Indices of the walking clips, or of all clips if there are none.
    clips: Vec<usize>,
}

impl CrowdScene {
    /// Spreads characters of the given models over the ground, and uploads everything.
    ///
    /// # Errors
    /// [`CrowdError::Render`] if the adapter cannot hold the models or the crowd, or [`CrowdError::Ground`] if the terrain is too small.
    pub fn new(
        renderer: &mut Renderer,
        characters: &[(Arc<Character>, Rig)],
        layout: &CrowdLayout,
        mode: ShadingMode,
    ) -> Result<Self, CrowdError> {
        let mut random = Random(u64::from(layout.seed));
        let (mut kinds, mut models, mut sources) = (Vec::new(), Vec::new(), Vec::new());
        let mut size = 0.0_f32;
        for (character, rig) in characters {
            let puppet = Puppet::with_rig(Arc::clone(character), character.default_scene, rig.clone());
            let bounds = puppet.bounds();
            let height = if bounds.is_empty() { 1.0 } else { (bounds.hi.y - bounds.lo.y).max(1e-6) };
            let scale = if USUAL_HEIGHTS.contains(&height) { 1.0 } else { CHILD / height };
            size = size.max(scale * 2.0 * bounds.sphere().1);
            let model = CrowdModel::new(Arc::clone(character), character.default_scene, rig);
            let images = DecodedImages::decode(model.character(), model.parts(), mode);
            models.push(renderer.model(model.character(), model.parts(), &images)?);
            let walking = |&clip: &usize| model.stride(clip).length() > WALKING * height;
            let all = 0..model.character().clips.len();
            let clips: Vec<usize> = all.clone().filter(walking).collect();
            kinds.push(Kind { scale, clips: if clips.is_empty() { all.collect() } else { clips } });
            sources.push(model);
        }
        let spots = Spots::new(layout.count, SPACING * size);
        let terrain = layout.ground.terrain(layout.seed, spots.half_size, 4.0 * size)?;
        let mut crowds = Vec::new();
        for model in sources {
            crowds.push(Walkers::new(renderer, model, &terrain, layout)?);
        }
        let kinds_count = u32::try_from(crowds.len()).unwrap_or(1).max(1);
        for (crowd, surface) in crowds.iter_mut().zip(&models) {
            crowd.reserve(renderer, surface, layout.count.div_ceil(kinds_count))?;
        }
        for index in 0..layout.count {
            let kind = (index % kinds_count) as usize;
            let spawn = spots.spawn(index, kinds.get(kind), layout, &mut random);
            if let (Some(crowd), Some(surface)) = (crowds.get_mut(kind), models.get(kind)) {
                crowd.spawn(renderer, surface, &spawn)?;
            }
        }
        let ground = Puppet::with_rig(ground(&terrain), 0, Rig::default());
        let images = DecodedImages::decode(ground.character(), ground.parts(), mode);
        models.push(renderer.model(ground.character(), ground.parts(), &images)?);
        let (low, high) = layout.ground.height_range(&terrain);
        let half = spots.half_size;
        let bounds = Bounds { lo: Vec3::new(-half, low, -half), hi: Vec3::new(half, high + size, half) };
        Ok(Self { crowds, models, ground, terrain, bounds, size })
    }

    /// Number of characters.
    pub fn len(&self) -> usize {
        self.crowds.iter().map(Walkers::len).sum()
    }

    /// Returns whether there are no characters.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the total size in bytes of the crowd's GPU buffers, excluding the models.
    pub fn bytes(&self) -> u64 {
        let bytes = |walkers: &Walkers| match walkers {
            Walkers::Gpu(crowd) => crowd.bytes(),
            Walkers::Cpu(_) => 0,
        };
        self.crowds.iter().map(bytes).sum()
    }

    /// Waits for the GPU, and returns the levels of detail of the characters that the camera saw in the last frame. Crowds on the CPU have
    /// no levels. [`CrowdMeter`](super::CrowdMeter) and [`DrawnReader`](crate::DrawnReader) do not wait.
    ///
    /// # Errors
    /// [`RenderError`] if the driver reports an error.
    pub fn read_drawn(&self) -> Result<DrawnLevels, RenderError> {
        let mut drawn = DrawnLevels::default();
        for walkers in &self.crowds {
            if let Walkers::Gpu(crowd) = walkers {
                drawn += crowd.read_drawn()?;
            }
        }
        Ok(drawn)
    }

    /// A box around the crowd, in world metres.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Returns a camera that looks over the crowd from its front, slightly above the heads. `aspect` is width / height.
    pub fn camera(&self, fov_y: f32, aspect: f32) -> Camera {
        let front = self.bounds.hi.z;
        let on_ground = |z: f32, above: f32| Vec3::new(0.0, self.ground_height(Vec3::Z * z) + above, z);
        let target = on_ground(0.25 * front, 0.7 * self.size);
        let position = on_ground(front + 2.2 * self.size, 1.2 * self.size + 0.1 * front);
        let radius = self.bounds.sphere().1;
        let framed = Camera::framing(&self.bounds, fov_y, aspect);
        Camera { position, target, near: 0.05 * self.size, far: 4.0 * radius + 10.0 * self.size, ..framed }
    }

    /// Returns the height of the ground at a position, in world metres.
    pub fn ground_height(&self, at: Vec3) -> f32 {
        self.terrain.height(at.xz())
    }

    /// Encodes a time step of `seconds`. `eye` is the position of the camera.
    ///
    /// # Errors
    /// [`RenderError`] if the driver reports an error.
    pub fn step(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        seconds: f32,
        eye: Vec3,
    ) -> Result<(), RenderError> {
        self.crowds.iter_mut().try_for_each(|walkers| match walkers {
            Walkers::Gpu(crowd) => crowd.step(encoder, seconds, eye),
            Walkers::Cpu(crowd) => {
                crowd.step(seconds, eye);
                Ok(())
            }
        })
    }

    /// Returns the models that the frame refers to.
    pub fn models(&self) -> Vec<&Model> {
        self.models.iter().collect()
    }

    /// Returns the frame to draw.
    pub fn frame(&self, settings: &ViewSettings) -> Frame<'_> {
        let (center, radius) = self.bounds.sphere();
        // Distant shadows would be smaller than a texel of their map.
        let near = settings.camera.target.min(self.bounds.hi).max(self.bounds.lo);
        let sphere = if radius > SHADOWED { (near, SHADOWED) } else { (center, 1.2 * radius) };
        let ground = Instance {
            model: self.crowds.len(),
            draws: draws(&self.ground, &self.ground.part_boxes()),
            palette: &self.ground.palette().matrices,
            place: glam::Affine3A::IDENTITY,
            tint: Vec4::ONE,
        };
        let (mut instances, mut crowds) = (vec![ground], Vec::new());
        for (model, walkers) in self.crowds.iter().enumerate() {
            match walkers {
                Walkers::Gpu(crowd) => crowds.extend(crowd.instances(model)),
                Walkers::Cpu(crowd) => instances.extend(crowd.instances(model)),
            }
        }
        Frame {
            instances,
            crowds,
            camera: settings.camera,
            mode: settings.mode,
            light: settings.light.clone(),
            lights: Vec::new(),
            background: settings.background,
            samples: settings.samples,
            ground: None,
            shadow: settings.shadow,
            ambient_occlusion: false,
            sphere,
            ghosts: Vec::new(),
            fills: Vec::new(),
            lines: Vec::new(),
        }
    }
}

/// Positions of characters in the cells of a square grid, filled from back to front.
struct Spots {
    side: u32,
    cell: f32,
    half_size: f32,
}

impl Spots {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the root of a count is at most 65,536"
    )]
    fn new(count: u32, cell: f32) -> Self {
        let side = f64::from(count).sqrt().ceil().max(1.0) as u32;
        Self { side, cell, half_size: 0.5 * side as f32 * cell }
    }

    #[expect(clippy::cast_precision_loss, reason = "at most 65,536 rows")]
    fn spawn(&self, index: u32, kind: Option<&Kind>, layout: &CrowdLayout, random: &mut Random) -> Spawn {
        let (column, row) = (index % self.side, index / self.side);
        let mut along = |n: u32| (n as f32 + 0.5 + random.range_f32(-0.3, 0.3)) * self.cell - self.half_size;
        let (x, z) = (along(column), along(row));
        let clips = kind.map_or(&[][..], |kind| &kind.clips);
        let pick = random.range_f32(0.0, clips.len() as f32) as usize;
        let play = |&clip: &usize| PlayedClip {
            speed: random.range_f32(0.85, 1.15),
            ..PlayedClip::new(clip, random.range_f32(0.0, 10.0))
        };
        let clips: Vec<PlayedClip> = clips.get(pick).map(play).into_iter().collect();
        let shade = random.range_f32(0.55, 1.15);
        let hue = Vec3::new(
            random.range_f32(0.85, 1.15),
            random.range_f32(0.85, 1.1),
            random.range_f32(0.85, 1.15),
        );
        Spawn {
            position: Vec3::new(x, 0.0, z),
            heading: random.range_f32(-0.5, 0.5),
            scale: kind.map_or(1.0, |kind| kind.scale) * random.range_f32(0.93, 1.05),
            tint: (hue * shade).extend(1.0),
            turn: random.range_f32(-0.35, 0.35),
            looks: layout.looks,
            clips,
            ..Spawn::default()
        }
    }
}
