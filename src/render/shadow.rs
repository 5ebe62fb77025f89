//! The shadow map: depth as seen from the key light.

use std::collections::HashMap;

use glam::{Mat4, Vec3, camera::rh};

use super::crowd_batch::{CrowdBatch, crowd_parts, draw_crowds};
use super::draw_list::{Batcher, DrawList, Item, draw_all};
use super::gpu_types::flags;
use super::layout::Layouts;
use super::model::{Model, ModelPart};
use super::overrides::MaterialOverrides;
use super::skinning::{SkinningVariant, vertex_state};
use super::surface::{depth_state, primitive_state};
use super::{Frame, Gpu, Light, shaders};

/// Minimum and maximum width of the map in texels.
const SIZE_RANGE: (u32, u32) = (512, 2048);

/// Returns the width of the shadow map in texels for an image, about two texels per pixel. A finer map would make no
/// visible difference. On a software driver, a large map would take longer to draw than a small image.
pub(super) fn size((width, height): (u32, u32)) -> u32 {
    width.max(height).saturating_mul(2).clamp(SIZE_RANGE.0, SIZE_RANGE.1).next_power_of_two()
}

/// The properties that select a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ShadowVariant {
    skinning: SkinningVariant,
    /// A single-sided surface casts a shadow only if its front faces the light.
    culled: bool,
    mirrored: bool,
    /// Whether holes come from a base colour map. `None` if there are no holes.
    holes: Option<bool>,
}

/// The shadow map and its pipelines.
#[derive(Debug)]
pub(super) struct Shadow {
    pub(super) view: wgpu::TextureView,
    size: u32,
    module: wgpu::ShaderModule,
    layout: wgpu::PipelineLayout,
    /// Created on first use.
    pipelines: HashMap<ShadowVariant, wgpu::RenderPipeline>,
    casters: Batcher<ShadowVariant>,
    crowds: Vec<CrowdBatch>,
}

impl Shadow {
    pub(super) fn new(gpu: &Gpu, layouts: &Layouts, size: u32) -> Self {
        let module = shaders::module(&gpu.device, "shadow", shaders::SHADOW);
        let groups = [Some(&layouts.globals), Some(&layouts.instances), None, Some(&layouts.material)];
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("shadow"),
            bind_group_layouts: &groups,
            immediate_size: 0,
        });
        let view = create_map(gpu, size);
        let casters = Batcher::default();
        Self { view, size, module, layout, pipelines: HashMap::new(), casters, crowds: Vec::new() }
    }

    /// Recreates the map if its size has changed.
    pub(super) fn resize(&mut self, gpu: &Gpu, size: u32) {
        if self.size != size {
            (self.view, self.size) = (create_map(gpu, size), size);
        }
    }

    /// Prepares the parts of a frame that cast shadows.
    pub(super) fn prepare(
        &mut self,
        gpu: &Gpu,
        (models, frame): (&[&Model], &Frame<'_>),
        list: &mut DrawList,
    ) {
        let (module, layout, pipelines) = (&self.module, &self.layout, &mut self.pipelines);
        let mut pipeline = |variant| {
            pipelines.entry(variant).or_insert_with(|| create_pipeline(gpu, layout, module, variant)).clone()
        };
        let variant = |item: &Item| {
            let part = item.part(models).filter(|part| item.is_lit && !part.blended)?;
            Some(ShadowVariant::new(part, (item.dual, item.few_bones), item.mirrored))
        };
        self.casters.group(list, variant, &mut pipeline);
        self.crowds.clear();
        let casters = crowd_parts(models, frame).filter(|(_, _, part, _)| !part.blended);
        self.crowds.extend(casters.map(|(crowd, index, part, mirrored)| {
            let pipeline = pipeline(ShadowVariant::new(part, (false, false), mirrored));
            CrowdBatch { crowd, part: index, pipeline, is_blended: false }
        }));
    }

    /// Draws the map. The instances must be bound already.
    pub(super) fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        models: (&[&Model], &MaterialOverrides),
        frame: &Frame<'_>,
    ) {
        draw_all(&self.casters.batches, pass, models);
        draw_crowds(self.crowds.iter(), pass, (models.0, frame), 1);
    }
}

impl ShadowVariant {
    fn new(part: &ModelPart, (dual, few_bones): (bool, bool), mirrored: bool) -> Self {
        Self {
            skinning: SkinningVariant::of(part, dual, few_bones),
            culled: !part.double_sided,
            mirrored,
            holes: (part.flags & flags::ALPHA_MASK != 0).then_some(part.textures.maps.core[0]),
        }
    }
}

fn create_pipeline(
    gpu: &Gpu,
    layout: &wgpu::PipelineLayout,
    module: &wgpu::ShaderModule,
    v: ShadowVariant,
) -> wgpu::RenderPipeline {
    let constants = [
        ("BASE_COLOR_MAP", f64::from(u8::from(v.holes == Some(true)))),
        ("FLAGS", f64::from(flags::ALPHA_MASK)),
    ];
    gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("shadow"),
        layout: Some(layout),
        vertex: vertex_state(
            module,
            if v.holes.is_some() { "cut_out_vertex" } else { "shadow_vertex" },
            &v.skinning.constants(),
        ),
        primitive: primitive_state(v.culled, v.mirrored),
        depth_stencil: Some(wgpu::DepthStencilState {
            bias: wgpu::DepthBiasState { constant: 2, slope_scale: 2.0, clamp: 0.0 },
            ..depth_state(true)
        }),
        multisample: Default::default(),
        fragment: v.holes.map(|_| wgpu::FragmentState {
            module,
            entry_point: Some("shadow_cut_out"),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &constants,
                ..Default::default()
            },
            targets: &[],
        }),
        multiview_mask: None,
        cache: None,
    })
}

/// Creates a depth texture that can be rendered to and sampled.
pub(super) fn create_map(gpu: &Gpu, size: u32) -> wgpu::TextureView {
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("shadow map"),
        size: wgpu::Extent3d { width: size, height: size, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: super::offscreen::DEPTH,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    });
    texture.create_view(&Default::default())
}

/// Returns the matrix from world space to the key light's clip space, which encloses the given sphere. The two numbers
/// are the width of a texel as a fraction of the map, and in world metres.
pub(super) fn light_space(light: &Light, (center, radius): (Vec3, f32), size: u32) -> (Mat4, f32, f32) {
    let towards = light.key_direction();
    let eye = center + towards * (2.0 * radius);
    let up = if towards.x == 0.0 && towards.z == 0.0 { Vec3::Z } else { Vec3::Y };
    let view = rh::view::look_at_mat4(eye, center, up);
    let projection = rh::proj::directx::orthographic(-radius, radius, -radius, radius, 0.0, 4.0 * radius);
    #[expect(clippy::cast_precision_loss, reason = "a power of two")]
    let texel = 1.0 / size as f32;
    (projection * view, texel, 2.0 * radius * texel)
}
