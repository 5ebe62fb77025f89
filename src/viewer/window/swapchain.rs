//! The textures that a window presents in turn.

use wgpu::{CurrentSurfaceTexture, SurfaceTexture, TextureFormat};
use winit::dpi::PhysicalSize;

use crate::render::{Gpu, RenderError};

/// A window's surface and its configuration.
pub(crate) struct Swapchain {
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    /// The format of textures that contain the scene's colours.
    colors: TextureFormat,
    /// The view format without conversion to sRGB.
    pub(crate) plain: TextureFormat,
}

/// The result of acquiring a window's next texture.
pub(crate) enum Acquired {
    /// The texture to draw and present.
    Texture(SurfaceTexture),
    /// No texture is available at the moment. Drawing should be tried again soon.
    Retry,
    /// The window is not visible.
    Hidden,
}

impl Swapchain {
    /// Configures a surface for a window of `size` pixels.
    pub(crate) fn new(
        gpu: &Gpu,
        surface: wgpu::Surface<'static>,
        offered: &wgpu::SurfaceCapabilities,
        size: PhysicalSize<u32>,
    ) -> Result<Self, RenderError> {
        // On OpenGL, a texture cannot be viewed in a second format, so prefer a format without sRGB conversion. The panel is then blended as on
        // other backends.
        let is_gl = gpu.info.backend == wgpu::Backend::Gl;
        let preferred = offered.formats.iter().find(|f| f.is_srgb() != is_gl).or(offered.formats.first());
        let format =
            *preferred.ok_or_else(|| RenderError::Driver("the window has no pixel format".into()))?;
        // A canvas offers no sRGB format, so the scene's format is derived.
        let colors = format.add_srgb_suffix();
        let plain = if is_gl { format } else { format.remove_srgb_suffix() };
        let config = wgpu::SurfaceConfiguration {
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
            format,
            color_space: Default::default(),
            width: size.width.max(1),
            height: size.height.max(1),
            present_mode: wgpu::PresentMode::AutoVsync,
            desired_maximum_frame_latency: 1,
            alpha_mode: wgpu::CompositeAlphaMode::Auto,
            view_formats: if plain == format { Vec::new() } else { vec![plain] },
        };
        surface.configure(&gpu.device, &config);
        Ok(Self { surface, config, colors, plain })
    }

    /// Returns the format of textures that contain the scene's colours.
    pub(crate) fn format(&self) -> TextureFormat {
        self.colors
    }

    /// Width and height in pixels.
    pub(crate) fn size(&self) -> (u32, u32) {
        (self.config.width, self.config.height)
    }

    /// Resizes the textures to a new window size.
    pub(crate) fn resize(&mut self, gpu: &Gpu, width: u32, height: u32) {
        let limit = gpu.device.limits().max_texture_dimension_2d;
        // A minimised window has no pixels, so the surface keeps its last size.
        if width > 0 && height > 0 {
            (self.config.width, self.config.height) = (width.min(limit), height.min(limit));
            self.surface.configure(&gpu.device, &self.config);
        }
    }

    /// Asks the window system for a texture, and waits until the display has released one.
    pub(crate) fn current(&self) -> CurrentSurfaceTexture {
        self.surface.get_current_texture()
    }

    /// Returns the texture to draw, and reconfigures an unusable surface.
    ///
    /// # Errors
    /// [`RenderError::Lost`] if the surface or the device was lost.
    pub(crate) fn accept(&self, gpu: &Gpu, texture: CurrentSurfaceTexture) -> Result<Acquired, RenderError> {
        let without_texture = match texture {
            CurrentSurfaceTexture::Success(texture) => return Ok(Acquired::Texture(texture)),
            CurrentSurfaceTexture::Suboptimal(texture) => {
                // The texture must be dropped first, because a surface in use cannot be reconfigured.
                drop(texture);
                self.surface.configure(&gpu.device, &self.config);
                Acquired::Retry
            }
            CurrentSurfaceTexture::Outdated => {
                self.surface.configure(&gpu.device, &self.config);
                Acquired::Retry
            }
            CurrentSurfaceTexture::Lost => {
                gpu.check()?;
                return Err(RenderError::Lost("the surface of the window was lost".into()));
            }
            CurrentSurfaceTexture::Timeout | CurrentSurfaceTexture::Validation => Acquired::Retry,
            CurrentSurfaceTexture::Occluded => Acquired::Hidden,
        };
        gpu.check().map(|()| without_texture)
    }
}
