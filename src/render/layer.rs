//! Frames that are blended over the host's drawing.

use wgpu::TextureFormat;

use super::compose::{Composed, Compositor, Placement};
use super::offscreen::RenderTarget;
use super::{Gpu, RenderError};

/// A multisampled frame that is blended over the current contents of the caller's view. Resolving samples would replace these contents.
#[derive(Debug)]
pub(super) struct RenderLayer {
    pub(super) target: RenderTarget,
    pub(super) area: (u32, u32),
    over: Composed,
}

impl RenderLayer {
    pub(super) fn new(
        gpu: &Gpu,
        size: (u32, u32),
        area: (u32, u32),
        samples: u32,
        format: TextureFormat,
        reads_depth: bool,
    ) -> Result<Self, RenderError> {
        let target = RenderTarget::new(gpu, size, samples, format, reads_depth)?;
        let all = Placement { origin: (0, 0), size };
        let over = Compositor::new(gpu, format).bind_over(gpu, (&target.resolved, size), all);
        Ok(Self { target, area, over })
    }

    /// Blends the frame over a view.
    pub(super) fn blend(
        &self,
        view: &wgpu::TextureView,
        size: (u32, u32),
        encoder: &mut wgpu::CommandEncoder,
    ) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("layer"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: wgpu::LoadOp::Load, store: wgpu::StoreOp::Store },
            })],
            ..Default::default()
        });
        let area = Placement { origin: (0, 0), size: self.area };
        self.over.draw_parts(&mut pass, size, &[area]);
    }
}
