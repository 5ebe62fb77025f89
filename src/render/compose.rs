//! Draws a texture into a rectangle of a window.

use wgpu::{FilterMode, TextureFormat};

use super::{Gpu, shaders};

/// A rectangle of a window in pixels. It may extend beyond the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// Left and upper edge.
    pub origin: (u32, u32),
    /// Width and height.
    pub size: (u32, u32),
}

impl Placement {
    /// Returns the part that is inside a window of `window` pixels.
    fn inside(self, window: (u32, u32)) -> Self {
        let origin = (self.origin.0.min(window.0), self.origin.1.min(window.1));
        let size = (self.size.0.min(window.0 - origin.0), self.size.1.min(window.1 - origin.1));
        Self { origin, size }
    }
}

/// Draws textures into windows of one pixel format.
#[derive(Debug)]
pub struct Compositor {
    layout: wgpu::BindGroupLayout,
    /// Replaces the pixels under the texture.
    replace: wgpu::RenderPipeline,
    /// Like `replace`, but also encodes linear values as sRGB.
    encode: wgpu::RenderPipeline,
    /// Blends a texture with premultiplied alpha.
    over: wgpu::RenderPipeline,
    /// Makes pixels transparent.
    clear: wgpu::RenderPipeline,
    /// The sampler for textures that have the size of their rectangle, and the sampler for all others.
    samplers: [wgpu::Sampler; 2],
}

impl Compositor {
    /// Creates a compositor that draws into views of a format.
    pub fn new(gpu: &Gpu, format: TextureFormat) -> Self {
        let device = &gpu.device;
        let entry = |binding: u32, ty: wgpu::BindingType| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::FRAGMENT,
            ty,
            count: None,
        };
        let texture = wgpu::BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Float { filterable: true },
            view_dimension: wgpu::TextureViewDimension::D2,
            multisampled: false,
        };
        let sampler = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("compose"),
            entries: &[entry(0, texture), entry(1, sampler)],
        });
        let samplers = [FilterMode::Nearest, FilterMode::Linear].map(|filter| {
            device.create_sampler(&wgpu::SamplerDescriptor {
                label: Some("compose"),
                mag_filter: filter,
                min_filter: filter,
                ..Default::default()
            })
        });
        let module = shaders::module(device, "compose", shaders::COMPOSE);
        let blend = Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING);
        let pipeline = |entry_point, group, blend| {
            let target = wgpu::ColorTargetState { format, blend, write_mask: wgpu::ColorWrites::ALL };
            create_pipeline(device, &module, entry_point, group, target)
        };
        let replace = pipeline("compose", Some(&layout), None);
        let encode = pipeline("compose_linear", Some(&layout), None);
        let over = pipeline("compose", Some(&layout), blend);
        let clear = pipeline("clear", None, None);
        Self { layout, replace, encode, over, clear, samplers }
    }

    /// Prepares to draw `texture`, whose width and height are `texels`, into a rectangle. If both have the same size, the texture's values
    /// are copied exactly.
    pub fn bind(
        &self,
        gpu: &Gpu,
        (texture, texels): (&wgpu::TextureView, (u32, u32)),
        placement: Placement,
    ) -> Composed {
        self.compose(gpu, &self.replace, texture, texels, placement)
    }

    /// Like [`Compositor::bind`], but for a view with linear values, which are converted to sRGB in the shader because the format of the
    /// target does not convert them.
    pub fn bind_linear(
        &self,
        gpu: &Gpu,
        (texture, texels): (&wgpu::TextureView, (u32, u32)),
        placement: Placement,
    ) -> Composed {
        self.compose(gpu, &self.encode, texture, texels, placement)
    }

    /// Like [`Compositor::bind`], but for a texture with premultiplied alpha, which is blended over the window.
    pub fn bind_over(
        &self,
        gpu: &Gpu,
        (texture, texels): (&wgpu::TextureView, (u32, u32)),
        placement: Placement,
    ) -> Composed {
        self.compose(gpu, &self.over, texture, texels, placement)
    }

    /// Makes a rectangle of a pass's target transparent.
    pub fn clear(&self, pass: &mut wgpu::RenderPass<'_>, rect: Placement) {
        pass.set_scissor_rect(rect.origin.0, rect.origin.1, rect.size.0, rect.size.1);
        pass.set_pipeline(&self.clear);
        pass.draw(0..3, 0..1);
    }

    fn compose(
        &self,
        gpu: &Gpu,
        pipeline: &wgpu::RenderPipeline,
        texture: &wgpu::TextureView,
        texels: (u32, u32),
        placement: Placement,
    ) -> Composed {
        let [exact, smooth] = &self.samplers;
        let sampler = if texels == placement.size { exact } else { smooth };
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("compose"),
            layout: &self.layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(texture) },
                wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Sampler(sampler) },
            ],
        });
        Composed { pipeline: pipeline.clone(), group, placement }
    }
}

/// A texture and the rectangle into which it is drawn.
#[derive(Debug)]
pub struct Composed {
    pipeline: wgpu::RenderPipeline,
    group: wgpu::BindGroup,
    placement: Placement,
}

impl Composed {
    /// Draws the texture in a pass over a window of `window` pixels. Afterwards the viewport covers the texture.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, window: (u32, u32)) {
        self.draw_parts(pass, window, &[self.placement]);
    }

    /// Draws only the parts of the texture that are inside the given rectangles of the window.
    pub fn draw_parts(&self, pass: &mut wgpu::RenderPass<'_>, window: (u32, u32), parts: &[Placement]) {
        let Placement { origin, size } = self.placement;
        #[expect(clippy::cast_precision_loss, reason = "image sizes are far below 2^24")]
        pass.set_viewport(origin.0 as f32, origin.1 as f32, size.0 as f32, size.1 as f32, 0.0, 1.0);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        let inside = parts.iter().map(|part| part.inside(window));
        for Placement { origin, size } in inside.filter(|part| part.size.0 > 0 && part.size.1 > 0) {
            pass.set_scissor_rect(origin.0, origin.1, size.0, size.1);
            pass.draw(0..3, 0..1);
        }
    }
}

/// The target of a depth-only pipeline.
#[derive(Debug)]
pub(super) struct DepthTarget<'a> {
    pub(super) format: TextureFormat,
    /// Override constants of the shader.
    pub(super) constants: &'a [(&'a str, f64)],
}

/// A pipeline's outputs.
#[derive(Debug, Default)]
struct Written<'a> {
    colors: &'a [Option<wgpu::ColorTargetState>],
    depth: Option<wgpu::DepthStencilState>,
    /// Override constants of the fragment shader.
    constants: &'a [(&'a str, f64)],
}

/// Creates a pipeline that covers the viewport and writes colors.
pub(super) fn create_pipeline(
    device: &wgpu::Device,
    module: &wgpu::ShaderModule,
    entry_point: &str,
    group: Option<&wgpu::BindGroupLayout>,
    target: wgpu::ColorTargetState,
) -> wgpu::RenderPipeline {
    create(
        device,
        module,
        entry_point,
        group.map(Some).as_slice(),
        Written { colors: &[Some(target)], ..Written::default() },
    )
}

/// Creates a pipeline that covers the viewport and writes depths.
pub(super) fn create_depth_pipeline(
    device: &wgpu::Device,
    module: &wgpu::ShaderModule,
    entry_point: &str,
    groups: &[Option<&wgpu::BindGroupLayout>],
    target: &DepthTarget<'_>,
) -> wgpu::RenderPipeline {
    let depth = wgpu::DepthStencilState {
        format: target.format,
        depth_write_enabled: Some(true),
        depth_compare: Some(wgpu::CompareFunction::Always),
        stencil: Default::default(),
        bias: Default::default(),
    };
    create(
        device,
        module,
        entry_point,
        groups,
        Written { depth: Some(depth), constants: target.constants, ..Written::default() },
    )
}

fn create(
    device: &wgpu::Device,
    module: &wgpu::ShaderModule,
    entry_point: &str,
    groups: &[Option<&wgpu::BindGroupLayout>],
    written: Written<'_>,
) -> wgpu::RenderPipeline {
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("compose"),
        bind_group_layouts: groups,
        immediate_size: 0,
    });
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("compose"),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some("compose_vertex"),
            compilation_options: Default::default(),
            buffers: &[],
        },
        primitive: Default::default(),
        depth_stencil: written.depth,
        multisample: Default::default(),
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some(entry_point),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: written.constants,
                ..Default::default()
            },
            targets: written.colors,
        }),
        multiview_mask: None,
        cache: None,
    })
}

/// Returns the attachment of a depth texture that the pass clears.
pub(super) fn cleared_depth(view: &wgpu::TextureView) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    depth_attachment(view, wgpu::LoadOp::Clear(1.0))
}

/// Returns the attachment of a depth texture.
pub(super) fn depth_attachment(
    view: &wgpu::TextureView,
    load: wgpu::LoadOp<f32>,
) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(wgpu::Operations { load, store: wgpu::StoreOp::Store }),
        stencil_ops: None,
    }
}
