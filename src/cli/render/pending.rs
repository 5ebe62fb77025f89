//! A renderer that is opened while the model is loaded.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::cli::failure::Failure;
use crate::cli::image_args::ImageArgs;
use crate::cli::timing::Stopwatch;
use crate::cli::{Verbosity, output};
use crate::puppet::Puppet;
use crate::render::{DecodedImage, DecodedImages, Gpu, Model, RenderError, Renderer, ShadingMode};
use crate::scene;
use crate::scene::compare::Comparison;

/// A renderer whose adapter is being opened on another thread while the model is loaded.
pub(super) struct PendingRenderer {
    opening: Option<thread::JoinHandle<Result<(Renderer, Duration), RenderError>>>,
    verbosity: Verbosity,
}

/// Waits until an unused adapter is open, because a driver that is still loading when the program ends prints errors.
impl Drop for PendingRenderer {
    fn drop(&mut self) {
        if let Some(opening) = self.opening.take() {
            drop(opening.join());
        }
    }
}

/// A renderer and a model that is uploaded to its adapter.
pub(super) struct LoadedModel {
    pub(super) renderer: Renderer,
    pub(super) model: Model,
}

impl PendingRenderer {
    pub(super) fn open(image_args: &ImageArgs, verbosity: Verbosity) -> Self {
        let choice = image_args.adapter.clone();
        let opening = thread::spawn(move || {
            let started = Instant::now();
            let renderer = Renderer::new(Gpu::new(&choice)?);
            Ok((renderer, started.elapsed()))
        });
        Self { opening: Some(opening), verbosity }
    }

    /// Waits for the renderer and loads the model with the textures that a shading mode needs.
    pub(super) fn load(
        mut self,
        puppet: &Puppet,
        mode: ShadingMode,
        watch: &mut Stopwatch,
    ) -> Result<LoadedModel, Failure> {
        let character = puppet.character();
        let textures = DecodedImages::decode(character, puppet.parts(), mode);
        self.verbosity.warn(&textures.warnings);
        watch.stage("textures");
        let panicked = || RenderError::Driver("opening the adapter failed".into());
        let opening = self.opening.take().and_then(|o| o.join().ok());
        let (renderer, time) = opening.ok_or_else(panicked)??;
        watch.note("adapter", &renderer.gpu().describe());
        watch.duration("opened in", time);
        watch.stage("wait");
        let model = renderer.model(character, puppet.parts(), &textures)?;
        if mode.is_shaded() {
            self.verbosity.warn(model.warnings());
        }
        watch.stage("upload");
        Ok(LoadedModel { renderer, model })
    }

    /// Draws the puppet's current pose and writes the image to a file.
    pub(super) fn draw_to_file(
        self,
        puppet: &Puppet,
        comparison: &Comparison,
        image_args: &ImageArgs,
        path: &Path,
        watch: &mut Stopwatch,
    ) -> Result<DecodedImage, Failure> {
        let mut subject = image_args.subject();
        subject.add(puppet);
        comparison.candidates().iter().for_each(|ghost| subject.add(ghost.puppet()));
        let settings = image_args.settings(&subject, puppet)?;
        let mut loaded = self.load(puppet, image_args.mode(), watch)?;
        let mut frame = image_args.finished(scene::frame(puppet, &settings));
        comparison.add_to_frame(&mut frame, puppet, settings.scale);
        let mut image = loaded.renderer.render(&[&loaded.model], &frame, image_args.size())?;
        watch.stage("draw");
        let legend = scene::legend(comparison);
        if !frame.mode.is_data() {
            scene::draw_legend(&mut image, &legend);
        }
        output::file(path, &image.png(settings.background)?)?;
        watch.stage("write");
        watch.total();
        Ok(image)
    }
}
