//! Multisampling only where there are surfaces.
//!
//! On a software driver, clearing and resolving the samples of an image takes longer than drawing a character. Only surfaces have edges, so
//! a rectangle around them is drawn with several samples, into a separate texture. The rest of the image is drawn with one sample. Its
//! colours are the same, because the lines of the floor are smooth by themselves. The samples are then resolved into the image.

use glam::Vec2;
use wgpu::{TextureFormat, TextureUsages};

use super::super::compose::create_pipeline;
use super::super::globals::pixels;
use super::super::model::{Model, ModelPart};
use super::super::offscreen::{DEPTH, SceneViews};
use super::super::output::Output;
use super::super::place::Place;
use super::super::rect::{Projector, Rect, corners};
use super::super::{Background, Draw, Frame, Gpu, Instance, shaders};

/// The edges of the rectangle are at multiples of this number of pixels, so that the rectangle seldom changes.
const ALIGNMENT: u32 = 32;
/// Margin around the boxes of parts, in pixels.
const MARGIN: u32 = 2;
/// The only supported sample count besides 1.
const SAMPLES: u32 = 4;

/// The rectangle of the current frame, and the resources to draw it.
#[derive(Debug, Default)]
pub(crate) struct Patch {
    /// `None` if the whole image is drawn with the same number of samples.
    pub(crate) rect: Option<Rect>,
    target: Option<PatchTarget>,
    resolve: Option<(TextureFormat, wgpu::RenderPipeline)>,
}

/// The textures for the rectangle. They may be larger than the rectangle.
#[derive(Debug)]
struct PatchTarget {
    size: (u32, u32),
    format: TextureFormat,
    samples: wgpu::TextureView,
    depth: wgpu::TextureView,
    /// Binds the samples.
    group: wgpu::BindGroup,
}

impl Patch {
    /// Decides whether only a rectangle of a frame is multisampled. Returns the number of samples for the rest of the image. Frames with
    /// outlines or transmissive surfaces have no rectangle: outlines are outside the boxes of parts, and objects behind a transmissive
    /// surface may be anywhere in the image.
    pub(crate) fn choose(
        &mut self,
        gpu: &Gpu,
        models: &[&Model],
        frame: &Frame<'_>,
        area: (u32, u32),
        output: Output,
    ) -> u32 {
        let has_outlines = models.iter().flat_map(|model| &model.parts).any(|part| part.has_outline);
        // With OpenGL, Mesa 22.3 returns black when the samples are read.
        let is_software = gpu.capabilities.is_software && gpu.info.backend != wgpu::Backend::Gl;
        let is_possible =
            is_software && is_byte_format(output.format) && !has_outlines && !is_transmissive(models, frame);
        self.rect = if is_possible { rect(frame, area) } else { None };
        let Some(rect) = self.rect else { return frame.samples };
        let format = self.inner(output).format;
        // A texture that is too large would also have to be cleared.
        let fits = |t: &PatchTarget| {
            let (width, height) = t.size;
            let is_large_enough = width >= rect.width && height >= rect.height;
            is_large_enough && width * height <= 2 * rect.width * rect.height && t.format == format
        };
        if !self.target.as_ref().is_some_and(fits) {
            self.target = Some(PatchTarget::new(gpu, (rect.width, rect.height), format));
        }
        if self.resolve.as_ref().is_none_or(|(format, _)| *format != output.format) {
            self.resolve = Some((output.format, resolve_pipeline(gpu, output.format)));
        }
        1
    }

    /// Returns the output of the surfaces. The rectangle stores linear light as half floats, which are more precise than bytes. With an
    /// sRGB format, software drivers would convert each sample to sRGB and back.
    pub(crate) fn inner(&self, output: Output) -> Output {
        let is_linear = self.rect.is_some() && output.format.is_srgb();
        if is_linear { Output { format: TextureFormat::Rgba16Float, ..output } } else { output }
    }

    /// Returns the target for the surfaces, and the rectangle that it covers in the image.
    pub(crate) fn target(&self) -> Option<(SceneViews<'_>, Rect)> {
        let target = self.target.as_ref()?;
        Some((SceneViews { color: &target.samples, resolved: None, depth: &target.depth }, self.rect?))
    }

    /// Draws the rectangle into the image. Afterwards the viewport covers the rectangle.
    pub(crate) fn resolve(&self, pass: &mut wgpu::RenderPass<'_>) {
        let (Some(target), Some(rect), Some((_, pipeline))) = (&self.target, self.rect, &self.resolve) else {
            return;
        };
        let ((x, y), (width, height)) = (pixels((rect.x, rect.y)), pixels(target.size));
        pass.set_viewport(x, y, width, height, 0.0, 1.0);
        pass.set_scissor_rect(rect.x, rect.y, rect.width, rect.height);
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &target.group, &[]);
        pass.draw(0..3, 0..1);
    }
}

impl PatchTarget {
    fn new(gpu: &Gpu, size: (u32, u32), format: TextureFormat) -> Self {
        let texture = |label: &str, format: TextureFormat, usage: TextureUsages| {
            let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size: wgpu::Extent3d { width: size.0, height: size.1, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: SAMPLES,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: TextureUsages::RENDER_ATTACHMENT | usage,
                view_formats: &[],
            });
            texture.create_view(&Default::default())
        };
        let samples = texture("patch", format, TextureUsages::TEXTURE_BINDING);
        let depth = texture("patch depth", DEPTH, TextureUsages::empty());
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("resolve"),
            layout: &resolve_layout(gpu),
            entries: &[wgpu::BindGroupEntry {
                binding: 2,
                resource: wgpu::BindingResource::TextureView(&samples),
            }],
        });
        Self { size, format, samples, depth, group }
    }
}

fn resolve_layout(gpu: &Gpu) -> wgpu::BindGroupLayout {
    gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("resolve"),
        entries: &[wgpu::BindGroupLayoutEntry {
            binding: 2,
            visibility: wgpu::ShaderStages::FRAGMENT,
            ty: wgpu::BindingType::Texture {
                sample_type: wgpu::TextureSampleType::Float { filterable: false },
                view_dimension: wgpu::TextureViewDimension::D2,
                multisampled: true,
            },
            count: None,
        }],
    })
}

fn resolve_pipeline(gpu: &Gpu, format: TextureFormat) -> wgpu::RenderPipeline {
    let module = shaders::module(&gpu.device, "resolve", shaders::COMPOSE);
    let target = wgpu::ColorTargetState { format, blend: None, write_mask: wgpu::ColorWrites::ALL };
    create_pipeline(&gpu.device, &module, "resolve", Some(&resolve_layout(gpu)), target)
}

/// Returns whether a frame may contain surfaces that let other surfaces show through. Parts of crowds do not count, because they have no
/// rectangle.
fn is_transmissive(models: &[&Model], frame: &Frame<'_>) -> bool {
    let part_of = |instance: &Instance<'_>, draw: &Draw<'_>| {
        models
            .get(instance.model)
            .and_then(|model| model.parts.get(draw.part))
            .is_some_and(ModelPart::is_transmissive)
    };
    let mut instances = frame.instances.iter();
    frame.mode.is_shaded()
        && instances.any(|instance| instance.draws.iter().any(|draw| part_of(instance, draw)))
}

/// Other formats might not be copied exactly.
fn is_byte_format(format: TextureFormat) -> bool {
    use TextureFormat::{Bgra8Unorm, Bgra8UnormSrgb, Rgba8Unorm, Rgba8UnormSrgb};
    matches!(format, Rgba8Unorm | Rgba8UnormSrgb | Bgra8Unorm | Bgra8UnormSrgb)
}

/// Returns the rectangle around the surfaces of a frame, if nothing else has edges and the rectangle is small enough to be worth a separate
/// pass.
fn rect(frame: &Frame<'_>, area: (u32, u32)) -> Option<Rect> {
    let has_others = !(frame.crowds.is_empty()
        && frame.ghosts.is_empty()
        && frame.fills.is_empty()
        && frame.lines.is_empty());
    if frame.samples != SAMPLES || has_others || frame.background == Background::Keep {
        return None;
    }
    let projector = Projector::new(&frame.camera, area);
    let (mut lo, mut hi) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
    for instance in &frame.instances {
        let place = Place::new(&instance.place);
        for draw in &instance.draws {
            // The bounds of a part may be unknown.
            let bounds = place.bounds(&draw.bounds);
            for corner in corners(&bounds) {
                let at = projector.pixel(corner)?;
                (lo, hi) = (lo.min(at), hi.max(at));
            }
        }
    }
    let all = Rect::of_size(area);
    let tight = all.around(lo, hi, MARGIN);
    let (x, y) = (tight.x / ALIGNMENT * ALIGNMENT, tight.y / ALIGNMENT * ALIGNMENT);
    let right = (tight.x + tight.width).next_multiple_of(ALIGNMENT).min(area.0);
    let bottom = (tight.y + tight.height).next_multiple_of(ALIGNMENT).min(area.1);
    let rect = Rect { x, y, width: right.saturating_sub(x), height: bottom.saturating_sub(y) };
    let count = |r: Rect| u64::from(r.width) * u64::from(r.height);
    (!tight.is_empty() && 2 * count(rect) <= count(all)).then_some(rect)
}
