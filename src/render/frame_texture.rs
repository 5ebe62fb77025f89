//! An image of a frame in a texture, which is redrawn only if something has changed.

use wgpu::{TextureFormat, TextureUsages};

use super::{Canvas, Composed, Compositor, Frame, Gpu, Model, Placement, RenderError, Renderer};

/// A texture that contains the last frame drawn into it.
#[derive(Debug)]
pub struct FrameTexture {
    /// The formats in which colours and data are stored. They may differ only in whether they are sRGB.
    formats: [TextureFormat; 2],
    texture: Option<wgpu::Texture>,
    /// The format of the view that is composed.
    shown: TextureFormat,
    /// What the texture contains.
    drawn: Option<Contents>,
    draws: u64,
}

/// Everything that the image depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Contents {
    frame: u64,
    models: Vec<u64>,
    size: (u32, u32),
}

impl FrameTexture {
    /// Creates an empty texture. `formats` are the formats of colours and of data, which may differ only in whether
    /// they are sRGB.
    pub fn new(formats: [TextureFormat; 2]) -> Self {
        Self { formats, texture: None, shown: formats[1], drawn: None, draws: 0 }
    }

    /// Encodes the commands that draw a frame into an image of `size` pixels, unless the texture already contains that image. The caller
    /// must submit the commands.
    ///
    /// ```
    /// use sinew_render::{AdapterChoice, Compositor, FrameTexture, Gpu, Placement, Renderer};
    /// use sinew_render::scene::{self, ViewSettings};
    /// use sinew_character::view::{AUTO_FOV_Y, Camera};
    /// use sinew_character::{asset, puppet::Puppet};
    /// use wgpu::TextureFormat;
    ///
    /// let puppet = Puppet::new(asset::mannequin()?, 0);
    /// let gpu = Gpu::new(&AdapterChoice::Cpu)?;
    /// let mut renderer = Renderer::new(gpu.clone());
    /// let model = renderer.model(puppet.character(), puppet.parts(), &Default::default())?;
    /// let formats = [TextureFormat::Rgba8UnormSrgb, TextureFormat::Rgba8Unorm];
    /// let mut texture = FrameTexture::new(formats);
    /// let settings =
    ///     ViewSettings::new(Camera::framing(&puppet.bounds(), AUTO_FOV_Y, 1.0), puppet.bounds());
    /// for _ in 0..3 {
    ///     let frame = scene::frame(&puppet, &settings);
    ///     let mut encoder = gpu.device.create_command_encoder(&Default::default());
    ///     texture.update(&mut renderer, (&[&model], &frame), (64, 64), &mut encoder)?;
    ///     gpu.queue.submit([encoder.finish()]);
    /// }
    /// // A frame that does not change is drawn once.
    /// assert_eq!(texture.draws(), 1);
    ///
    /// // `draw` of what this returns copies the frame into a rectangle of a window.
    /// let compositor = Compositor::new(&gpu, formats[1]);
    /// let place = Placement { origin: (8, 8), size: (64, 64) };
    /// let _composed = texture.compose(&gpu, &compositor, place).ok_or("nothing was drawn")?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Renderer::render`].
    pub fn update(
        &mut self,
        renderer: &mut Renderer,
        (models, frame): (&[&Model], &Frame<'_>),
        size: (u32, u32),
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), RenderError> {
        let models_drawn = models.iter().map(|model| model.id).collect();
        let contents = Contents { frame: frame.fingerprint(), models: models_drawn, size };
        if self.drawn.as_ref() == Some(&contents) {
            return Ok(());
        }
        // The texture contains nothing useful until all commands are encoded.
        self.drawn = None;
        let [colors, data] = self.formats;
        let format = if frame.mode.is_data() { data } else { colors };
        let (stored, shown) =
            if renderer.gpu().capabilities.has_view_formats { (colors, data) } else { (format, format) };
        let kept = self.texture.take();
        let kept = kept.filter(|t| (t.width(), t.height()) == size && t.format() == stored);
        let texture = match kept {
            Some(texture) => texture,
            None => create(renderer.gpu(), size, stored, shown)?,
        };
        let view = view(&texture, format);
        renderer.draw(
            models,
            frame,
            &Canvas { view: &view, size, format, area: size, is_hdr: false },
            encoder,
        )?;
        (self.texture, self.shown) = (Some(texture), shown);
        (self.drawn, self.draws) = (Some(contents), self.draws + 1);
        Ok(())
    }

    /// Returns a view of the stored values and the size in pixels, or `None` if nothing has been drawn yet. OpenGL and WebGL2 cannot
    /// read the stored values of colours, so there the view has linear values. [`Self::compose`] handles both.
    pub fn view(&self) -> Option<(wgpu::TextureView, (u32, u32))> {
        let texture = self.texture.as_ref()?;
        Some((view(texture, self.shown), (texture.width(), texture.height())))
    }

    /// Prepares to draw the image into a rectangle of a window that has the format for data. Returns `None` if nothing has been drawn
    /// yet.
    pub fn compose(&self, gpu: &Gpu, compositor: &Compositor, placement: Placement) -> Option<Composed> {
        let (view, size) = self.view()?;
        let [_, data] = self.formats;
        // OpenGL and WebGL2 convert colours whenever they read them.
        Some(if self.shown.is_srgb() && !data.is_srgb() {
            compositor.bind_linear(gpu, (&view, size), placement)
        } else {
            compositor.bind(gpu, (&view, size), placement)
        })
    }

    /// Returns the number of frames that have been drawn.
    pub fn draws(&self) -> u64 {
        self.draws
    }
}

fn view(texture: &wgpu::Texture, format: TextureFormat) -> wgpu::TextureView {
    texture.create_view(&wgpu::TextureViewDescriptor { format: Some(format), ..Default::default() })
}

/// Creates the texture of a frame. `stored` is its format, and `shown` is the format of the view that is composed.
fn create(
    gpu: &Gpu,
    size: (u32, u32),
    stored: TextureFormat,
    shown: TextureFormat,
) -> Result<wgpu::Texture, RenderError> {
    let limit = gpu.device.limits().max_texture_dimension_2d;
    let (width, height) = size;
    if width == 0 || height == 0 {
        return Err(RenderError::Empty { width, height });
    }
    if width > limit || height > limit {
        return Err(RenderError::TooLarge { width, height, limit });
    }
    let other = if shown == stored { &[] } else { std::slice::from_ref(&shown) };
    Ok(drawable_texture(gpu, "scene", size, stored, other))
}

/// Creates a texture that is drawn into and then composed. The size in pixels must be valid for the device: from 1 to the largest side of
/// a two-dimensional texture.
pub fn drawable_texture(
    gpu: &Gpu,
    label: &str,
    (width, height): (u32, u32),
    format: TextureFormat,
    view_formats: &[TextureFormat],
) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::TEXTURE_BINDING,
        view_formats,
    })
}
