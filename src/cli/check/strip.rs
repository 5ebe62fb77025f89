//! Draws strips of images for clips that fail.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use glam::{Vec3, Vec4};

use crate::asset::Character;
use crate::check::{ClipReport, Finding, Severity, StripImage};
use crate::puppet::Puppet;
use crate::render::{AdapterChoice, DecodedImages, Gpu, Line, Model, Renderer, ShadingMode};
use crate::rig::Rig;
use crate::scene;
use crate::scene::ViewSettings;
use crate::view::{AUTO_FOV_Y, Bounds, Camera};

use crate::cli::failure::Failure;

/// Width and height of an image in pixels.
const SIZE: u32 = 160;
/// Number of images per clip.
const IMAGES: u16 = 8;
/// Margin before and after a fault that the images also show, as a fraction of the clip's length.
const MARGIN: f32 = 0.08;
/// Diameter (in points) and colour of the mark on a faulty joint.
const MARK_SIZE: f32 = 9.0;
const MARK: Vec4 = Vec4::new(1.0, 0.05, 0.02, 1.0);

pub(in crate::cli) struct Strips {
    puppet: Puppet,
    renderer: Renderer,
    model: Model,
}

impl Strips {
    /// Opens the adapter and uploads the character.
    pub(in crate::cli) fn new(
        character: &Character,
        rig: &Rig,
        adapter: &AdapterChoice,
    ) -> Result<Self, Failure> {
        let puppet = Puppet::with_rig(character.clone(), character.default_scene, rig.clone());
        let renderer = Renderer::new(Gpu::new(adapter)?);
        let textures = DecodedImages::decode(puppet.character(), puppet.parts(), ShadingMode::Shaded);
        let model = renderer.model(puppet.character(), puppet.parts(), &textures)?;
        Ok(Self { puppet, renderer, model })
    }

    /// Draws a clip around its most serious faults. Returns no images for a clip that passed.
    pub(in crate::cli) fn draw(
        &mut self,
        clip: usize,
        report: &ClipReport,
    ) -> Result<Vec<StripImage>, Failure> {
        let faults: Vec<&Finding> =
            report.findings.iter().filter(|f| f.severity == Severity::Error).collect();
        let Some(span) = span(&faults, report.seconds) else { return Ok(Vec::new()) };
        let times: Vec<f32> =
            (0..IMAGES).map(|i| span.0 + (span.1 - span.0) * f32::from(i) / f32::from(IMAGES - 1)).collect();
        let mut bounds = Bounds::default();
        for &time in &times {
            self.puppet.play(clip, time);
            self.puppet.update()?;
            let posed = self.puppet.bounds();
            bounds.extend([posed.lo, posed.hi]);
        }
        let camera = Camera::framing(&bounds, AUTO_FOV_Y, 1.0);
        let settings = ViewSettings::new(camera, bounds);
        times.into_iter().map(|time| self.image(clip, time, &faults, &settings)).collect()
    }

    fn image(
        &mut self,
        clip: usize,
        time: f32,
        faults: &[&Finding],
        settings: &ViewSettings,
    ) -> Result<StripImage, Failure> {
        self.puppet.play(clip, time);
        self.puppet.update()?;
        let mut frame = scene::frame(&self.puppet, settings);
        let at_fault = faults.iter().filter(|f| time >= f.from - 0.1 && time <= f.to + 0.1);
        for node in at_fault.filter_map(|f| f.node) {
            if let Some(matrix) = self.puppet.world_from_node().get(node) {
                let at = Vec3::from(matrix.translation);
                frame.lines.push(Line { start: at, end: at, widths: [MARK_SIZE; 2], color: MARK });
            }
        }
        let image = self.renderer.render(&[&self.model], &frame, (SIZE, SIZE))?;
        let png = image.png(settings.background)?;
        Ok(StripImage { time, image: format!("data:image/png;base64,{}", STANDARD.encode(png)) })
    }
}

/// Returns the time range that a strip shows: the largest fault, with a margin before and after it.
fn span(faults: &[&Finding], seconds: f32) -> Option<(f32, f32)> {
    let excess = |f: &Finding| f.value / f.limit.max(1e-9);
    let worst = faults.iter().max_by(|a, b| excess(a).total_cmp(&excess(b)))?;
    let margin = (MARGIN * seconds).max(0.1);
    Some(((worst.from - margin).max(0.0), (worst.to + margin).min(seconds)))
}
