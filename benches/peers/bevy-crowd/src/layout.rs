//! The figures, the camera and the extent of the shadow map: the formulas of sinew for a crowd of mannequins on level ground.
//!
//! The figures are placed as in `src/render/scene/crowd.rs`, and walk as in `src/render/crowd/advance.rs`.

use bevy::prelude::*;
use sinew_base::Random;

/// Diameter in metres of the sphere around the mannequin's bounding box at rest.
const SIZE: f32 = 2.202_100_5;
/// Distance between neighbouring figures, as a multiple of their diameter.
const SPACING: f32 = 1.15;
/// Largest radius in metres of the area with shadows.
const SHADOWED: f32 = 45.0;
/// Seconds for which the crowd walks before the first image, and the duration of a step.
const WARM_UP: f32 = 1.0;
const WARM_STEP: f32 = 1.0 / 30.0;
/// Figures turn back when they leave this fraction of the ground around its centre, until the cosine of the angle to the centre exceeds
/// `ROUGHLY`. `TURN_BACK` is their turn rate in radians per second.
const BORDER: f32 = 0.8;
const ROUGHLY: f32 = 0.8;
const TURN_BACK: f32 = 0.9;

/// A walking clip of the mannequin.
pub struct Clip {
    /// Index of the clip in the file.
    pub index: usize,
    /// Duration in seconds.
    pub seconds: f32,
    /// Speed at which feet in contact stand still, in metres per second, to within 1 %.
    stride: f32,
}

/// The clips that the figures play: `walk` and `run`.
pub const CLIPS: [Clip; 2] =
    [Clip { index: 2, seconds: 1.0, stride: 0.863 }, Clip { index: 3, seconds: 0.7, stride: 2.399 }];

/// A walking figure.
#[derive(Component, Clone, Debug)]
pub struct Figure {
    pub position: Vec3,
    /// Rotation about the vertical axis, in radians.
    pub heading: f32,
    pub scale: f32,
    /// Linear RGB factor of the base colour.
    pub tint: Vec3,
    /// Index of the clip in [`CLIPS`].
    pub clip: usize,
    /// Time in the clip in seconds, and the factor of its speed.
    pub time: f32,
    pub speed: f32,
    /// Turn rate in radians per second.
    turn: f32,
    /// Half the size of the area in which the figure does not turn back.
    inner: f32,
}

impl Figure {
    /// Moves the figure by a time step in seconds.
    pub fn step(&mut self, seconds: f32) {
        let turn = self.steering().unwrap_or(self.turn);
        self.heading += turn * seconds;
        let distance = CLIPS[self.clip].stride * self.speed * seconds * self.scale;
        let walk = distance * self.direction();
        self.position += Vec3::new(walk.x, 0.0, walk.y);
        self.time = (self.time + self.speed * seconds) % CLIPS[self.clip].seconds;
    }

    /// Returns the walking direction in the horizontal plane.
    fn direction(&self) -> Vec2 {
        let (sin, cos) = self.heading.sin_cos();
        Vec2::new(sin, cos)
    }

    /// Returns the turn rate of a figure that turns back.
    fn steering(&self) -> Option<f32> {
        let (away, walk) = (self.position.xz(), self.direction());
        let is_outside = away.abs().max_element() > self.inner;
        if !is_outside || -walk.dot(away) > ROUGHLY * away.length() {
            return None;
        }
        let side = walk.x * away.y - walk.y * away.x;
        Some(if side < 0.0 { -TURN_BACK } else { TURN_BACK })
    }
}

/// A crowd on its ground.
#[derive(Resource)]
pub struct Crowd {
    /// The figures at the time of the first image.
    pub figures: Vec<Figure>,
    /// Half the size of the area in which the figures start.
    half: f32,
}

impl Crowd {
    pub fn new(count: u32, seed: u32) -> Self {
        let mut random = Random(u64::from(seed));
        let side = f64::from(count).sqrt().ceil() as u32;
        let cell = SPACING * SIZE;
        let mut crowd = Self { figures: Vec::new(), half: 0.5 * side as f32 * cell };
        for index in 0..count {
            let (column, row) = (index % side, index / side);
            let mut along = |n: u32| (n as f32 + 0.5 + random.range_f32(-0.3, 0.3)) * cell - crowd.half;
            let (x, z) = (along(column), along(row));
            let mut figure = crowd.figure(Vec3::new(x, 0.0, z), &mut random);
            let mut seconds = 0.0;
            while seconds < WARM_UP {
                figure.step(WARM_STEP);
                seconds += WARM_STEP;
            }
            crowd.figures.push(figure);
        }
        crowd
    }

    /// Draws the numbers of a figure in the same order as sinew.
    fn figure(&self, position: Vec3, random: &mut Random) -> Figure {
        let clip = random.range_f32(0.0, CLIPS.len() as f32) as usize;
        let speed = random.range_f32(0.85, 1.15);
        let time = random.range_f32(0.0, 10.0);
        let shade = random.range_f32(0.55, 1.15);
        let hue = [0.85..1.15, 0.85..1.1, 0.85..1.15].map(|range| random.range_f32(range.start, range.end));
        let heading = random.range_f32(-0.5, 0.5);
        let scale = random.range_f32(0.93, 1.05);
        let turn = random.range_f32(-0.35, 0.35);
        let tint = shade * Vec3::from_array(hue);
        let inner = BORDER * self.ground_half_size();
        Figure { position, heading, scale, tint, clip, time, speed, turn, inner }
    }

    /// Returns half the size of the ground in metres.
    pub fn ground_half_size(&self) -> f32 {
        self.half + 4.0 * SIZE
    }

    /// Returns the position and the target of the camera.
    pub fn view(&self) -> (Vec3, Vec3) {
        let position = Vec3::new(0.0, 1.2 * SIZE + 0.1 * self.half, self.half + 2.2 * SIZE);
        (position, Vec3::new(0.0, 0.7 * SIZE, 0.25 * self.half))
    }

    /// Returns the distances of the near and far planes.
    pub fn depth_range(&self) -> (f32, f32) {
        (0.05 * SIZE, 4.0 * self.sphere().1 + 10.0 * SIZE)
    }

    /// Returns the centre and the radius of the sphere that the shadow map covers.
    pub fn shadowed(&self) -> (Vec3, f32) {
        let (center, radius) = self.sphere();
        if radius > SHADOWED { (self.view().1, SHADOWED) } else { (center, 1.2 * radius) }
    }

    /// Returns the sphere around the area in which the figures start.
    fn sphere(&self) -> (Vec3, f32) {
        let half = Vec3::new(self.half, 0.5 * SIZE, self.half);
        (half.with_x(0.0).with_z(0.0), half.length())
    }
}
