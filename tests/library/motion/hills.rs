//! Characters that walk over hills with [`FootPlacer`], measured on the vertices of their feet.

use std::f32::consts::TAU;

use glam::{Affine3A, Quat, Vec2, Vec3, Vec3Swizzles};
use sinew::asset::{Character, Clip};
use sinew::motion::{FootPlacer, Playhead, Retarget};
use sinew::pose::{Pose, world_matrices};
use sinew::rig::{BodyLimb, Rig};
use sinew::skin::{Palette, Skinned, Skinning, skin};

const FRAME: f32 = 1.0 / 60.0;
/// Maximum height above the ground at which a vertex touches it, in metres at human size.
const TOUCHES: f32 = 0.015;

/// Rolling hills: one wave along a random direction that is near x or z, and a smaller one across it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hills {
    /// Wave vectors in radians per metre.
    waves: [Vec2; 2],
    heights: [f32; 2],
    phases: [f32; 2],
    /// Size of the character relative to a person.
    size: f32,
}

impl Hills {
    /// Returns hills of 0.3 m with wavelengths of 4 to 6 m, for a person.
    pub(crate) fn new(seed: u32, size: f32) -> Self {
        let random = |index: u32| {
            let mut h = seed.wrapping_mul(0x9E37_79B1) ^ index.wrapping_mul(0x85EB_CA77);
            h = (h ^ (h >> 15)).wrapping_mul(0x7FEB_352D);
            h = (h ^ (h >> 13)).wrapping_mul(0x846C_A68B);
            (h >> 8) as f32 / 16_777_216.0
        };
        let wave = |angle: f32, index: u32| Vec2::from_angle(angle) * TAU / (4.0 + 2.0 * random(index));
        let angle = TAU * random(0);
        let waves = [wave(angle, 1), wave(angle + 1.2 + random(2), 3)];
        Self { waves, heights: [0.25, 0.05], phases: [TAU * random(4), TAU * random(5)], size }
    }

    fn flat(size: f32) -> Self {
        Self { waves: [Vec2::ZERO; 2], heights: [0.0; 2], phases: [0.0; 2], size }
    }

    /// Returns the height and the upward unit normal.
    pub(crate) fn at(&self, p: Vec3) -> (f32, Vec3) {
        let (mut height, mut slope) = (0.0, Vec2::ZERO);
        for ((wave, h), phase) in self.waves.iter().zip(self.heights).zip(self.phases) {
            let angle = wave.dot(p.xz() / self.size) + phase;
            height += h * angle.sin();
            slope += *wave * h * angle.cos();
        }
        (height * self.size, Vec3::new(-slope.x, 1.0, -slope.y).normalize())
    }
}

/// A character that walks or runs.
pub(crate) struct Walker {
    character: Character,
    rig: Rig,
    /// The clip, and the character that it belongs to if it is retargeted.
    clip: Clip,
    source: Option<(Character, Retarget)>,
    /// Poses of one cycle at 60 Hz, and the displacement of the hips during the cycle in the pose's unit.
    poses: Vec<Pose>,
    travel: Vec3,
    /// Velocity at which a clip in place must move so that its standing feet do not slide.
    stride: Vec3,
    /// The feet, and the vertices that each of them moves, as pairs of part and index.
    feet: Vec<(usize, Vec<(usize, usize)>)>,
    pub(crate) size: f32,
    scratch: Scratch,
}

#[derive(Default)]
struct Scratch {
    world: Vec<Affine3A>,
    skinned: Skinned,
}

/// Measurements of feet on the ground. Lengths are in metres at human size.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Measured {
    /// Depth of the deepest vertex of a foot inside the ground.
    pub(crate) depth: f32,
    /// Largest distance of a standing foot from the ground.
    pub(crate) gap: f32,
    /// Largest distance by which a foot slides while it stands.
    pub(crate) slide: f32,
    /// Largest vertical acceleration of the hips, m/s².
    pub(crate) acceleration: f32,
    /// Fraction of the time during which at least one foot stands.
    pub(crate) standing: f32,
    /// Slope of the steepest ground under the character, in degrees.
    pub(crate) steepest: f32,
}

impl Measured {
    fn most(self, other: Self) -> Self {
        Self {
            depth: self.depth.max(other.depth),
            gap: self.gap.max(other.gap),
            slide: self.slide.max(other.slide),
            acceleration: self.acceleration.max(other.acceleration),
            standing: self.standing.min(other.standing),
            steepest: self.steepest.max(other.steepest),
        }
    }
}

impl Walker {
    /// Prepares a clip of a character, or a clip of another character that is retargeted to it. Returns `None` if it has no standing legs,
    /// or no skin on its feet.
    pub(crate) fn new(
        character: Character,
        rig: Rig,
        clip: usize,
        source: Option<(Character, Retarget)>,
    ) -> Option<Self> {
        let plan = rig.body.as_ref()?;
        let (size, hips) = (plan.size, plan.hips);
        let ends: Vec<usize> = plan.legs().filter(|leg| leg.stands).map(BodyLimb::end).collect();
        let feet: Vec<_> = ends.iter().map(|end| (*end, vertices_below(&character, *end))).collect();
        let owner = source.as_ref().map_or(&character, |(source, _)| source);
        let clip = owner.clips.get(clip)?.clone();
        let mut walker = Self {
            character,
            rig,
            clip,
            source,
            poses: Vec::new(),
            travel: Vec3::ZERO,
            stride: Vec3::ZERO,
            feet,
            size,
            scratch: Scratch::default(),
        };
        walker.bake();
        let path: Vec<Vec3> = (0..walker.poses.len()).map(|i| walker.node_at(i, hips)).collect();
        let travel = (path[path.len() - 1] - path[0]) * Vec3::new(1.0, 0.0, 1.0);
        if travel.length() > 0.2 * size {
            walker.travel = travel;
        } else {
            walker.stride = walker.stride();
        }
        walker.feet.iter().all(|(_, vertices)| !vertices.is_empty()).then_some(walker)
    }

    fn bake(&mut self) {
        let frames = (self.clip.seconds / FRAME).round().max(1.0) as usize;
        let (mut playhead, mut contacts) = (Playhead::default(), Vec::new());
        for frame in 0..=frames {
            let time = self.clip.seconds * frame as f32 / frames as f32;
            let mut pose = Pose::rest(&self.character.skeleton);
            if let Some((source, retarget)) = &mut self.source {
                let mut from = Pose::rest(&source.skeleton);
                playhead.sample(&self.clip, time, &source.skeleton, &mut from);
                retarget.pose(&from, &mut pose, &mut contacts);
            } else {
                playhead.sample(&self.clip, time, &self.character.skeleton, &mut pose);
            }
            self.poses.push(pose);
        }
    }

    fn node_at(&mut self, frame: usize, node: usize) -> Vec3 {
        world_matrices(&self.character.skeleton, &self.poses[frame], &mut self.scratch.world);
        self.scratch.world[node].translation.into()
    }

    /// Returns the negative median velocity of the lowest foot vertices over the cycle.
    fn stride(&mut self) -> Vec3 {
        let place = Affine3A::IDENTITY;
        let frames: Vec<Vec<Vec<Vec3>>> = (0..self.poses.len())
            .map(|i| {
                let pose =
                    Pose { locals: self.poses[i].locals.clone(), weights: self.poses[i].weights.clone() };
                self.feet_vertices(&pose, &place)
            })
            .collect();
        let lowest = |v: &[Vec3]| v.iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
        let floor = frames.iter().flatten().map(|v| lowest(v)).fold(f32::INFINITY, f32::min);
        let mut velocities: Vec<Vec3> = Vec::new();
        for pair in frames.windows(2) {
            for (before, after) in pair[0].iter().zip(&pair[1]) {
                for (a, b) in before.iter().zip(after) {
                    if a.y.max(b.y) < floor + 0.02 * self.size {
                        velocities.push((*b - *a) / FRAME);
                    }
                }
            }
        }
        let median = |axis: fn(&Vec3) -> f32| {
            let mut all: Vec<f32> = velocities.iter().map(axis).collect();
            all.sort_by(f32::total_cmp);
            all.get(all.len() / 2).copied().unwrap_or(0.0)
        };
        -Vec3::new(median(|v| v.x), 0.0, median(|v| v.z))
    }

    /// Returns the world positions of the vertices of each foot.
    fn feet_vertices(&mut self, pose: &Pose, place: &Affine3A) -> Vec<Vec<Vec3>> {
        let Scratch { world, skinned } = &mut self.scratch;
        world_matrices(&self.character.skeleton, pose, world);
        world.iter_mut().for_each(|m| *m = *place * *m);
        let parts = self.character.parts(self.character.default_scene);
        let mut palette = Palette::new(&self.character, &parts);
        palette.update(&self.character, world, Skinning::Linear);
        let mut out: Vec<Vec<Vec3>> = self.feet.iter().map(|_| Vec::new()).collect();
        for (index, part) in parts.iter().enumerate() {
            let is_used = self.feet.iter().any(|(_, vertices)| vertices.iter().any(|(p, _)| *p == index));
            let Some(matrices) = palette.matrices(index).filter(|_| is_used) else { continue };
            skin(self.character.primitive(*part), matrices, &[], skinned);
            for ((_, vertices), out) in self.feet.iter().zip(&mut out) {
                let own = vertices.iter().filter(|(p, _)| *p == index);
                out.extend(own.map(|(_, vertex)| skinned.positions[*vertex]));
            }
        }
        out
    }

    /// Walks over hills for some seconds, and measures after the first second. `speed` is the speed of the clip, and `heading` is the
    /// direction of the walk. `is_placed` places the feet.
    pub(crate) fn walk(
        &mut self,
        hills: &Hills,
        speed: f32,
        heading: f32,
        seconds: f32,
        is_placed: bool,
    ) -> Measured {
        let mut placer = FootPlacer::new(&self.character, &self.rig).unwrap();
        let hips = self.rig.body.as_ref().unwrap().hips;
        placer.rotation = Quat::from_rotation_y(heading);
        let cycle = self.poses.len() - 1;
        let mut measured = Measured { standing: 0.0, ..Measured::default() };
        let (mut hip_heights, mut before): (Vec<f32>, Vec<Vec<Vec3>>) = (Vec::new(), Vec::new());
        let mut slides = vec![0.0_f32; self.feet.len()];
        let mut pose = Pose::default();
        let frames = (seconds / FRAME) as usize;
        for frame in 0..frames {
            let phase = speed * frame as f32;
            let (cycles, at) = ((phase / cycle as f32).floor(), phase % cycle as f32);
            pose.clone_from(&self.poses[at as usize]);
            sinew::motion::blend(&mut pose, &self.poses[at as usize + 1], at.fract());
            let walked = self.stride * (frame as f32 * FRAME * speed) + self.travel * cycles;
            placer.position = placer.rotation * walked;
            let (height, normal) = hills.at(placer.position);
            measured.steepest = measured.steepest.max(normal.y.acos().to_degrees());
            placer.position.y = if is_placed { height } else { 0.0 };
            if is_placed {
                placer.update(FRAME, |p| Some(hills.at(p)), &mut pose);
            }
            let place = Affine3A::from_rotation_translation(placer.rotation, placer.position);
            let feet = self.feet_vertices(&pose, &place);
            hip_heights.push(self.scratch.world[hips].translation.y / self.size);
            if frame as f32 * FRAME < 1.0 {
                before = feet;
                continue;
            }
            let standing: Vec<usize> = placer.standing().collect();
            measured.standing += f32::from(u8::from(!standing.is_empty()));
            for (index, vertices) in feet.iter().enumerate() {
                let above = |p: &Vec3| (p.y - hills.at(*p).0) / self.size;
                let lowest = vertices.iter().map(above).fold(f32::INFINITY, f32::min);
                measured.depth = measured.depth.max(-lowest);
                if !standing.contains(&self.feet[index].0) {
                    slides[index] = 0.0;
                    continue;
                }
                measured.gap = measured.gap.max(lowest);
                let touching = vertices.iter().zip(&before[index]);
                let touching = touching.filter(|(now, then)| above(now).max(above(then)) < TOUCHES);
                let slid = touching.map(|(now, then)| now.xz().distance(then.xz()) / self.size);
                let slid = slid.fold(f32::INFINITY, f32::min);
                slides[index] += if slid.is_finite() { slid } else { 0.0 };
                measured.slide = measured.slide.max(slides[index]);
            }
            before = feet;
        }
        let accelerations = hip_heights.windows(3).skip((1.0 / FRAME) as usize);
        let acceleration = |w: &[f32]| ((w[2] - 2.0 * w[1] + w[0]) / (FRAME * FRAME)).abs();
        measured.acceleration = accelerations.map(acceleration).fold(0.0, f32::max);
        measured.standing /= frames as f32 - 1.0 / FRAME;
        measured
    }

    /// Walks over several hills at several speeds and in several directions. Returns the worst values, and the values of the clip on level
    /// ground without the placer.
    pub(crate) fn sweep(&mut self, seeds: u32, speeds: &[f32], seconds: f32) -> (Measured, Measured) {
        let size = self.size;
        let mut worst = Measured { standing: 1.0, ..Measured::default() };
        let mut level = worst;
        for speed in speeds {
            level = level.most(self.walk(&Hills::flat(size), *speed, 0.0, seconds, false));
            for seed in 0..seeds {
                for turn in 0..4_u8 {
                    let heading = 0.25 * TAU * f32::from(turn);
                    let hills = Hills::new(seed, size);
                    worst = worst.most(self.walk(&hills, *speed, heading, seconds, true));
                }
            }
        }
        (worst, level)
    }
}

/// Minimum weight of the foot at a measured vertex, which excludes vertices that bend with the ankle.
const OF_THE_FOOT: f32 = 0.9;

/// Returns the vertices that a node and its descendants move, as pairs of part and index.
fn vertices_below(character: &Character, top: usize) -> Vec<(usize, usize)> {
    let is_below = |node: usize| character.skeleton.ancestors(node).any(|n| n == top);
    let mut found = Vec::new();
    for (index, part) in character.parts(character.default_scene).iter().enumerate() {
        let primitive = character.primitive(*part);
        let joints = part.skin.map(|skin| &character.skins[skin].joints);
        for vertex in 0..primitive.positions.len() {
            let weight: f32 = joints.map_or(f32::from(u8::from(is_below(part.node))), |joints| {
                let sets = primitive.influences.iter();
                let all = sets.flat_map(|s| s.joints[vertex].into_iter().zip(s.weights[vertex].to_array()));
                all.filter(|(joint, _)| is_below(joints[usize::from(*joint)])).map(|(_, w)| w).sum()
            });
            found.extend((weight >= OF_THE_FOOT).then_some((index, vertex)));
        }
    }
    found
}
