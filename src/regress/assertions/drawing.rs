//! Draws the puppets of assertions with one renderer per process.

use std::sync::{Mutex, PoisonError};

use crate::explain::{Conditions, Explanation, GoldenView, RecordedImage, Redraw};
use crate::golden::Drawn;
use crate::puppet::Puppet;
use crate::record::{RecordedScene, SceneRecord};
use crate::render::{AdapterChoice, DecodedImages, Frame, Gpu, RenderError, Renderer};
use crate::scene::{self, ViewSettings};
use crate::tolerance::KindTolerance;
use crate::view::{AUTO_FOV_Y, Camera};

use super::AssertedImage;

/// Width and height of an image whose size is not given, in pixels.
const SIZE: (u32, u32) = (256, 256);

/// The renderer of this process, which is opened for the first image. Opening an adapter takes longer than drawing. Tests on other
/// threads wait, because one software adapter already uses all processors.
static RENDERER: Mutex<Option<Renderer>> = Mutex::new(None);

fn draw(puppet: &Puppet, frame: &Frame<'_>, size: (u32, u32)) -> Result<Drawn, RenderError> {
    let mut renderer = RENDERER.lock().unwrap_or_else(PoisonError::into_inner);
    let renderer = match &mut *renderer {
        Some(renderer) => renderer,
        closed => closed.insert(Renderer::new(Gpu::new(&AdapterChoice::Cpu)?)),
    };
    let images = DecodedImages::decode(puppet.character(), puppet.parts(), frame.mode);
    let model = renderer.model(puppet.character(), puppet.parts(), &images)?;
    let image = renderer.render(&[&model], frame, size)?;
    let scene = RecordedScene::encode(&SceneRecord::of(puppet, frame, size)).ok();
    Ok(Drawn { drawn_by: Some(renderer.gpu().describe()), scene, ..Drawn::new(image) })
}

fn explain(
    puppet: &Puppet,
    settings: &ViewSettings,
    size: (u32, u32),
    golden: &Drawn,
    drawn: &Drawn,
) -> Option<Explanation> {
    let [before, now] =
        [golden, drawn].map(|image| image.scene.as_ref().and_then(|scene| scene.decode().ok()));
    let (before, now) = (before?, now?);
    let tolerance = KindTolerance::default();
    let again = |frame: &Frame<'_>| draw(puppet, frame, size).ok();
    let redraw = Redraw::of(puppet, &before, &now);
    let redrawn = redraw.as_ref().and_then(|redraw| {
        Some((again(&redraw.frame(puppet, scene::frame(puppet, settings)))?.image, redraw.record()))
    });
    // The adapter's name does not include the CPU, but a software adapter's results depend on it.
    let explain = |image: &Drawn, record: &SceneRecord| {
        let golden = RecordedImage { image: &golden.image, record: &before };
        let actual = RecordedImage { image: &image.image, record };
        let redrawn = redrawn.as_ref().map(|(image, record)| [RecordedImage { image, record }, actual]);
        Explanation::with_redrawn(puppet, golden, actual, &tolerance, Conditions::default(), redrawn)
    };
    if let Some(view) = GoldenView::of(&before, &now) {
        let held = again(&view.frame(scene::frame(puppet, settings)))?;
        let mut explanation = explain(&held, &view.record(&before, &now))?;
        if explanation.fails() {
            explanation.add_camera(puppet, &before, &now, size, &tolerance);
            return Some(explanation);
        }
    }
    explain(drawn, &now)
}

/// The default view, which shows the whole puppet from the front.
fn default_view(puppet: &Puppet) -> ViewSettings {
    let bounds = puppet.bounds();
    ViewSettings::new(Camera::framing(&bounds, AUTO_FOV_Y, 1.0), bounds)
}

impl AssertedImage for Puppet {
    fn drawn(&self) -> Result<Drawn, String> {
        draw(self, &scene::frame(self, &default_view(self)), SIZE).map_err(|e| e.to_string())
    }

    fn explain(&self, golden: &Drawn, drawn: &Drawn) -> Option<Explanation> {
        explain(self, &default_view(self), SIZE, golden, drawn)
    }
}

impl AssertedImage for (&Puppet, &ViewSettings) {
    fn drawn(&self) -> Result<Drawn, String> {
        draw(self.0, &scene::frame(self.0, self.1), SIZE).map_err(|e| e.to_string())
    }

    fn explain(&self, golden: &Drawn, drawn: &Drawn) -> Option<Explanation> {
        explain(self.0, self.1, SIZE, golden, drawn)
    }
}

impl AssertedImage for (&Puppet, &ViewSettings, (u32, u32)) {
    fn drawn(&self) -> Result<Drawn, String> {
        draw(self.0, &scene::frame(self.0, self.1), self.2).map_err(|e| e.to_string())
    }

    fn explain(&self, golden: &Drawn, drawn: &Drawn) -> Option<Explanation> {
        explain(self.0, self.1, self.2, golden, drawn)
    }
}
