//! Draws panels without a window and compares them with snapshots.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::rc::Rc;

use egui::TexturesDelta;
use egui_kittest::{Harness, HarnessBuilder, TestRenderer};
use egui_wgpu::{RendererOptions, ScreenDescriptor};

use crate::asset::DecodedImage;
use crate::render::{AdapterChoice, Background, Gpu};
use sinew_regress::{ImageTolerance, compare};

/// A harness for a panel that can be clicked, drawn and compared with snapshots.
pub(super) struct SnapshotHarness {
    harness: Harness<'static>,
    textures: TextureUpdates,
}

/// Texture updates that must be uploaded before drawing.
#[derive(Clone, Default)]
struct TextureUpdates(Rc<RefCell<TexturesDelta>>);

impl TestRenderer for TextureUpdates {
    fn handle_delta(&mut self, delta: &mut TexturesDelta) {
        self.0.borrow_mut().append(std::mem::take(delta));
    }
}

impl Drop for SnapshotHarness {
    fn drop(&mut self) {
        // egui treats dropping texture updates before uploading them as an error.
        self.textures.0.borrow_mut().clear();
    }
}

impl Deref for SnapshotHarness {
    type Target = Harness<'static>;

    fn deref(&self) -> &Self::Target {
        &self.harness
    }
}

impl DerefMut for SnapshotHarness {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.harness
    }
}

impl SnapshotHarness {
    pub(super) fn new(builder: HarnessBuilder<()>, show: impl FnMut(&mut egui::Ui) + 'static) -> Self {
        let textures = TextureUpdates::default();
        let harness = builder.with_context_setup(super::style).renderer(textures.clone()).build_ui(show);
        Self { harness, textures }
    }

    /// Compares the panel with `tests/goldens/panel/NAME.png` within the default tolerance of regression suites. If
    /// `UPDATE_SNAPSHOTS` is set, writes the file instead.
    pub(super) fn assert_snapshot(&self, name: &str) {
        let image = self.image();
        let golden = sinew_testkit::in_repository("tests/goldens/panel").join(format!("{name}.png"));
        let save = |path: &Path, image: &DecodedImage| {
            std::fs::write(path, image.png(Background::Transparent).unwrap()).unwrap();
        };
        if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
            return save(&golden, &image);
        }
        let new = golden.with_extension("new.png");
        let expected = match std::fs::read(&golden) {
            Ok(bytes) => DecodedImage::decode(&bytes).unwrap(),
            Err(error) => {
                save(&new, &image);
                panic!("{}: {error}; the new image is {}", golden.display(), new.display());
            }
        };
        let tolerance = ImageTolerance::default();
        let difference = compare(&expected, &image, tolerance.levels);
        if difference.as_ref().is_some_and(|d| d.passes(&tolerance)) {
            return;
        }
        save(&new, &image);
        if let Some(difference) = difference {
            save(&golden.with_extension("diff.png"), &difference.image(image.width, image.height));
            let (mean, worst) = (difference.mean, difference.worst);
            panic!("{} differs: mean {mean}, worst tile {worst:?}; see {}", golden.display(), new.display());
        }
        panic!("{} and {} have different sizes", golden.display(), new.display());
    }

    fn image(&self) -> DecodedImage {
        let gpu = Gpu::new(&AdapterChoice::Cpu).unwrap();
        let format = wgpu::TextureFormat::Rgba8Unorm;
        let scale = self.ctx.pixels_per_point();
        let size = self.ctx.content_rect().size() * scale;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pixels of a panel")]
        let (width, height) = (size.x.round() as u32, size.y.round() as u32);
        let mut renderer = egui_wgpu::Renderer::new(&gpu.device, format, RendererOptions::PREDICTABLE);
        for (id, deltas) in self.textures.0.borrow_mut().set.drain() {
            deltas.iter().for_each(|delta| renderer.update_texture(&gpu.device, &gpu.queue, id, delta));
        }
        let shapes = self.ctx.tessellate(self.output().shapes.clone(), scale);
        let screen = ScreenDescriptor { size_in_pixels: [width, height], pixels_per_point: scale };
        let draw = |view: &wgpu::TextureView, encoder: &mut wgpu::CommandEncoder| {
            let work = renderer.update_buffers(&gpu.device, &gpu.queue, encoder, &shapes, &screen);
            let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("panel"),
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                        store: wgpu::StoreOp::Store,
                    },
                })],
                ..Default::default()
            });
            renderer.render(&mut pass.forget_lifetime(), &shapes, &screen);
            work
        };
        gpu.image((width, height), draw).unwrap()
    }
}
