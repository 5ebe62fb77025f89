//! Fingerprints of frames. An image is redrawn only if its fingerprint has changed.

use std::hash::{DefaultHasher, Hasher};

use bytemuck::{bytes_of, cast_slice};
use glam::{Mat4, Vec3};

use crate::view::{Bounds, Camera, Projection};

use super::material::record;
use super::{Background, CrowdInstances, Draw, Fill, Floor, Frame, Grid, Instance, Light, LightSource, Line};

impl Frame<'_> {
    /// Returns a hash of everything in the frame. Frames with equal hashes give equal images of the same model, except for hash collisions,
    /// whose probability is about 2⁻⁶⁴.
    pub fn fingerprint(&self) -> u64 {
        // The pattern omits `..`, so that a new field does not compile until it is part of the hash.
        let Self {
            instances,
            crowds,
            camera,
            mode,
            light,
            lights,
            background,
            samples,
            ground,
            shadow,
            ambient_occlusion,
            sphere,
            ghosts,
            fills,
            lines,
        } = self;
        let mut hash = FrameHasher::default();
        hash.instances(instances);
        hash.count(crowds.len());
        for CrowdInstances { model, instances, version } in crowds {
            hash.count(*model);
            hash.0.write_u64(instances.id);
            hash.0.write_u64(*version);
        }
        hash.camera(camera);
        hash.words(&[*mode as u32, *samples, u32::from(*shadow), u32::from(ground.is_some())]);
        hash.words(&[u32::from(*ambient_occlusion)]);
        hash.light(light);
        hash.count(lights.len());
        lights.iter().for_each(|light| light.hash(&mut hash.0));
        match background {
            Background::Color([r, g, b]) => hash.words(&[1, (*r).into(), (*g).into(), (*b).into()]),
            Background::Transparent => hash.words(&[0]),
            Background::Keep => hash.words(&[2]),
        }
        if let Some(Floor { center, radius, grid }) = ground {
            hash.floats(&[if let Grid::Clear { width } = grid { *width } else { -1.0 }]);
            hash.points(&[*center]);
            hash.floats(&[*radius]);
        }
        hash.points(&[sphere.0]);
        hash.floats(&[sphere.1]);
        hash.instances(ghosts);
        hash.count(fills.len());
        for Fill { corners, color } in fills {
            hash.points(corners);
            hash.floats(&color.to_array());
        }
        hash.count(lines.len());
        for Line { start, end, widths, color } in lines {
            hash.points(&[*start, *end]);
            hash.floats(widths);
            hash.floats(&color.to_array());
        }
        hash.0.finish()
    }
}

/// Hashes the bits of numbers. Lists of variable length are preceded by their length.
#[derive(Default)]
struct FrameHasher(DefaultHasher);

impl FrameHasher {
    fn words(&mut self, words: &[u32]) {
        self.0.write(cast_slice(words));
    }

    fn floats(&mut self, numbers: &[f32]) {
        self.0.write(cast_slice(numbers));
    }

    fn points(&mut self, points: &[Vec3]) {
        self.0.write(cast_slice(points));
    }

    fn count(&mut self, count: usize) {
        self.0.write_usize(count);
    }

    fn camera(&mut self, camera: &Camera) {
        let Camera { position, target, up, projection, near, far } = camera;
        self.points(&[*position, *target, *up]);
        match projection {
            Projection::Perspective { fov_y } => self.floats(&[0.0, *fov_y]),
            Projection::Orthographic { height } => self.floats(&[1.0, *height]),
        }
        self.floats(&[*near, *far]);
    }

    fn light(&mut self, light: &Light) {
        // The lights of the file are in the frame.
        let Light { source, rotation, exposure, tone, file_lights: _ } = light;
        self.0.write(source.name().as_bytes());
        if let LightSource::Image(environment) = source {
            self.0.write_u64(environment.id);
        }
        self.floats(&[*rotation, *exposure]);
        self.words(&[*tone as u32]);
    }

    fn instances(&mut self, instances: &[Instance<'_>]) {
        self.count(instances.len());
        for Instance { model, draws, palette, place, tint } in instances {
            self.count(*model);
            self.draws(draws, palette);
            self.floats(&place.to_cols_array());
            self.floats(&tint.to_array());
        }
    }

    fn draws(&mut self, draws: &[Draw<'_>], palette: &[Mat4]) {
        self.count(palette.len());
        self.0.write(cast_slice(palette));
        self.count(draws.len());
        for Draw { part, first_matrix, dual, mirrored, morph_weights, material, bounds } in draws {
            self.count(*part);
            self.count(*first_matrix);
            self.words(&[u32::from(*dual), u32::from(*mirrored)]);
            self.count(morph_weights.len());
            self.floats(morph_weights);
            self.words(&[u32::from(material.is_some())]);
            if let Some(material) = material {
                self.0.write(bytes_of(&record(material)));
            }
            let Bounds { lo, hi } = bounds;
            self.points(&[*lo, *hi]);
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::{Affine3A, Vec4};

    use crate::asset::Material;
    use crate::{PunctualLight, ShadingMode, ToneMap};

    use super::*;

    const FOV: Projection = Projection::Perspective { fov_y: 1.0 };
    const FLOOR: Floor = Floor { center: Vec3::ZERO, radius: 2.0, grid: Grid::Faint };
    const CAMERA: Camera =
        Camera { position: Vec3::Z, target: Vec3::ZERO, up: Vec3::Y, projection: FOV, near: 0.1, far: 9.0 };

    fn frame<'a>(palette: &'a [Mat4], weights: &'a [f32]) -> Frame<'a> {
        Frame {
            instances: vec![Instance {
                model: 0,
                draws: vec![Draw { morph_weights: weights, ..Draw::default() }],
                palette,
                place: Affine3A::IDENTITY,
                tint: Vec4::ONE,
            }],
            camera: CAMERA,
            mode: ShadingMode::Shaded,
            light: Light::default(),
            lights: Vec::new(),
            background: Background::STUDIO,
            samples: 4,
            ground: Some(FLOOR),
            shadow: true,
            ambient_occlusion: false,
            sphere: (Vec3::ZERO, 1.0),
            crowds: Vec::new(),
            ghosts: Vec::new(),
            fills: Vec::new(),
            lines: Vec::new(),
        }
    }

    #[test]
    fn every_part_of_a_frame_counts() {
        let white = Material::default();
        let red = Material { base_color: Vec4::new(1.0, 0.0, 0.0, 1.0), ..white.clone() };
        let (palette, moved) = ([Mat4::IDENTITY], [Mat4::from_translation(Vec3::X)]);
        let base = || frame(&palette, &[0.5]);
        let line = Line { start: Vec3::ZERO, end: Vec3::X, widths: [1.0; 2], color: Vec4::ONE };
        let fill = Fill { corners: [Vec3::ZERO; 3], color: Vec4::ONE };
        let ghost = Instance {
            model: 0,
            draws: Vec::new(),
            palette: &palette,
            place: Affine3A::IDENTITY,
            tint: Vec4::ONE,
        };
        let mut all = vec![base(), frame(&moved, &[0.5]), frame(&palette, &[0.25]), frame(&palette, &[])];
        let mut changed = |change: &dyn Fn(&mut Frame<'_>)| {
            let mut frame = base();
            change(&mut frame);
            all.push(frame);
        };
        changed(&|f| f.instances.clear());
        changed(&|f| f.instances[0].model = 1);
        changed(&|f| f.instances[0].tint = Vec4::ZERO);
        changed(&|f| f.instances[0].place = Affine3A::from_translation(Vec3::X));
        changed(&|f| f.instances[0].draws.clear());
        changed(&|f| f.instances[0].draws[0].part = 1);
        changed(&|f| f.instances[0].draws[0].first_matrix = 1);
        changed(&|f| f.instances[0].draws[0].dual = true);
        changed(&|f| f.instances[0].draws[0].mirrored = true);
        changed(&|f| f.instances[0].draws[0].bounds = Bounds::around([Vec3::ONE]));
        changed(&|f| f.camera.position = Vec3::X);
        changed(&|f| f.camera.target = Vec3::X);
        changed(&|f| f.camera.up = Vec3::X);
        changed(&|f| f.camera.projection = Projection::Perspective { fov_y: 0.5 });
        changed(&|f| f.camera.projection = Projection::Orthographic { height: 1.0 });
        changed(&|f| f.camera.near = 0.5);
        changed(&|f| f.camera.far = 0.5);
        changed(&|f| f.mode = ShadingMode::Lambert);
        changed(&|f| f.light.source = LightSource::Studio);
        changed(&|f| f.light.source = LightSource::Flat);
        changed(&|f| f.light.rotation = 1.0);
        changed(&|f| f.light.exposure = 1.0);
        changed(&|f| f.light.tone = ToneMap::Agx);
        let lamp = PunctualLight {
            position: None,
            direction: Vec3::NEG_Y,
            color: Vec3::ONE,
            range: None,
            cone: None,
        };
        changed(&|f| f.lights.push(lamp));
        changed(&|f| f.lights.push(PunctualLight { position: Some(Vec3::ZERO), ..lamp }));
        changed(&|f| f.lights.push(PunctualLight { direction: Vec3::X, ..lamp }));
        changed(&|f| f.lights.push(PunctualLight { color: Vec3::X, ..lamp }));
        changed(&|f| f.lights.push(PunctualLight { range: Some(0.0), ..lamp }));
        changed(&|f| f.lights.push(PunctualLight { cone: Some([0.0; 2]), ..lamp }));
        changed(&|f| f.background = Background::BLACK);
        changed(&|f| f.background = Background::Transparent);
        changed(&|f| f.background = Background::Keep);
        changed(&|f| f.samples = 1);
        changed(&|f| f.ground = None);
        changed(&|f| f.ground = Some(Floor { center: Vec3::Y, ..FLOOR }));
        changed(&|f| f.ground = Some(Floor { radius: 3.0, ..FLOOR }));
        changed(&|f| f.ground = Some(Floor { grid: Grid::Clear { width: 1.0 }, ..FLOOR }));
        changed(&|f| f.shadow = false);
        changed(&|f| f.ambient_occlusion = true);
        changed(&|f| f.sphere.0 = Vec3::X);
        changed(&|f| f.sphere.1 = 2.0);
        changed(&|f| f.fills.push(fill));
        changed(&|f| f.fills.push(Fill { color: Vec4::ZERO, ..fill }));
        changed(&|f| f.lines.push(line));
        changed(&|f| f.lines.push(Line { widths: [2.0; 2], ..line }));
        changed(&|f| f.lines.push(Line { color: Vec4::ZERO, ..line }));
        for material in [&white, &red] {
            let mut painted = base();
            painted.instances[0].draws[0].material = Some(material);
            all.push(painted);
        }
        let mut with_ghost = base();
        with_ghost.ghosts.push(ghost);
        all.push(with_ghost);
        let hashes: std::collections::HashSet<u64> = all.iter().map(Frame::fingerprint).collect();
        assert_eq!(hashes.len(), all.len());
        assert_eq!(base().fingerprint(), base().fingerprint());
    }
}
