//! Images of puppets, drawn without a window.

use std::sync::Arc;

use glam::Vec3;
use numpy::{IntoPyArray, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use sinew::asset::Character;
use sinew::puppet;
use sinew::render::{
    AdapterChoice, Background, DecodedImage, DecodedImages, Gpu, Light, Model, RenderError, ShadingMode,
};
use sinew::scene::{self, ViewSettings};
use sinew::view::{AUTO_DIRECTION, AUTO_FOV_Y, Bounds, Camera, Fit, Framing};

use crate::arrays::single_vector;
use crate::error::{OrRaise, error};
use crate::puppet::Puppet;

/// Image height in pixels at which overlays have scale 1, as in the program `sinew`.
const OVERLAY_HEIGHT: f32 = 720.0;
/// The sine of the smallest angle between the viewing direction and the up direction.
const PARALLEL: f32 = 1e-4;

/// Draws puppets without a window, on a graphics adapter or in software.
///
/// `adapter` is `auto`, `cpu`, `vulkan`, `gl`, `metal` or `dx12`. The last four accept a part of the adapter's name: `vulkan:radeon`. The
/// images of the character that was drawn last remain in the adapter's memory.
#[pyclass(module = "sinew")]
pub(crate) struct Renderer {
    renderer: sinew::render::Renderer,
    uploaded: Option<Uploaded>,
}

/// The character that was drawn last.
struct Uploaded {
    character: Arc<Character>,
    mode: ShadingMode,
    model: Model,
}

/// Camera placement. Missing values are chosen so that the character is in view.
struct View {
    position: Option<Vec3>,
    target: Option<Vec3>,
    up: Option<Vec3>,
    fov_y: f32,
    aspect: f32,
    framing: Framing,
}

#[pymethods]
impl Renderer {
    #[new]
    #[pyo3(signature = (adapter = "auto"))]
    fn new(py: Python<'_>, adapter: &str) -> PyResult<Self> {
        let choice: AdapterChoice = adapter.parse().or_raise()?;
        let gpu = py.detach(|| Gpu::new(&choice)).or_raise()?;
        Ok(Self { renderer: sinew::render::Renderer::new(gpu), uploaded: None })
    }

    /// The name of the adapter, its kind and its driver.
    #[getter]
    fn adapter(&self) -> String {
        self.renderer.gpu().describe()
    }

    /// Draws a puppet in the pose of its last `update`, and returns sRGB pixels with straight alpha as a uint8 array of shape
    /// (height, width, 4).
    ///
    /// `size` is the width and the height in pixels. `mode` is `shaded`, `lambert`, `normal`, `mask` or `skeleton`, and `light` is
    /// `studio`, `classic`, `outdoor` or `flat`. `background` is `#rrggbb` or `transparent`. `fov_y` is the vertical field of view in
    /// radians, and `framing` is `auto` or `tight`. By default, the floor and the shadow are drawn only in the mode `shaded`.
    #[pyo3(signature = (
        puppet, size = (1280, 720), *, mode = "shaded", light = "studio", background = None, samples = 4,
        camera_position = None, camera_target = None, camera_up = None, fov_y = AUTO_FOV_Y, framing = "auto",
        floor = None, shadow = None, ambient_occlusion = true
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python has keyword arguments")]
    fn render<'py>(
        &mut self,
        py: Python<'py>,
        puppet: PyRef<'_, Puppet>,
        size: (u32, u32),
        mode: &str,
        light: &str,
        background: Option<&str>,
        samples: u32,
        camera_position: Option<&Bound<'_, PyAny>>,
        camera_target: Option<&Bound<'_, PyAny>>,
        camera_up: Option<&Bound<'_, PyAny>>,
        fov_y: f32,
        framing: &str,
        floor: Option<bool>,
        shadow: Option<bool>,
        ambient_occlusion: bool,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let mode: ShadingMode = mode.parse().or_raise()?;
        let light = Light::new(light.parse().or_raise()?);
        let is_lit = mode == ShadingMode::Shaded;
        let default = if mode.is_shaded() { Background::of_light(&light.source) } else { Background::BLACK };
        let background = background.map_or(Ok(default), str::parse).or_raise()?;
        let (width, height) = size;
        if width == 0 || height == 0 {
            return Err(error(format!("image size {width}x{height} is empty")));
        }
        if !(fov_y > 0.0 && fov_y < std::f32::consts::PI) {
            return Err(error("fov_y must be an angle between 0 and pi"));
        }
        #[expect(clippy::cast_precision_loss, reason = "image sizes are far below 2^24")]
        let (aspect, scale) = (width as f32 / height as f32, height as f32 / OVERLAY_HEIGHT);
        let view = View {
            position: single_vector("camera_position", camera_position)?,
            target: single_vector("camera_target", camera_target)?,
            up: single_vector("camera_up", camera_up)?,
            fov_y,
            aspect,
            framing: framing.parse().or_raise()?,
        };
        let posed = &puppet.puppet;
        let bounds = posed.bounds();
        let settings = ViewSettings::new(view.camera(posed, &bounds)?, bounds)
            .with_mode(mode)
            .with_light(light)
            .with_background(background)
            .with_samples(samples)
            .with_floor(floor.unwrap_or(is_lit) && !mode.is_data())
            .with_shadow(shadow.unwrap_or(is_lit))
            .with_scale(scale.max(0.5));
        let image = py.detach(|| self.draw(posed, &settings, ambient_occlusion, size)).or_raise()?;
        let DecodedImage { width, height, rgba, .. } = image;
        rgba.into_pyarray(py).reshape([height as usize, width as usize, 4])
    }

    fn __repr__(&self) -> String {
        format!("Renderer({:?})", self.adapter())
    }
}

impl Renderer {
    /// Draws a posed puppet.
    fn draw(
        &mut self,
        puppet: &puppet::Puppet,
        settings: &ViewSettings,
        ambient_occlusion: bool,
        size: (u32, u32),
    ) -> Result<DecodedImage, RenderError> {
        let character = puppet.shared_character();
        let is_same = |u: &Uploaded| Arc::ptr_eq(&u.character, &character) && u.mode == settings.mode;
        let uploaded = match self.uploaded.take().filter(is_same) {
            Some(uploaded) => uploaded,
            None => {
                let images = DecodedImages::decode(&character, puppet.parts(), settings.mode);
                let model = self.renderer.model(&character, puppet.parts(), &images)?;
                Uploaded { character, mode: settings.mode, model }
            }
        };
        let mut frame = scene::frame(puppet, settings);
        frame.ambient_occlusion = ambient_occlusion;
        let image = self.renderer.render(&[&uploaded.model], &frame, size);
        self.uploaded = Some(uploaded);
        image
    }
}

impl View {
    fn camera(&self, puppet: &puppet::Puppet, bounds: &Bounds) -> PyResult<Camera> {
        let mut camera = Camera::framing(bounds, self.fov_y, self.aspect);
        if self.framing == Framing::Tight {
            let mut fit = Fit::perspective(AUTO_DIRECTION, Vec3::Y, self.fov_y, self.aspect);
            fit.extend(puppet.points());
            camera = fit.camera(camera, bounds.sphere().1);
        }
        camera.position = self.position.unwrap_or(camera.position);
        camera.target = self.target.unwrap_or(camera.target);
        camera.up = self.up.unwrap_or(camera.up);
        if self.position.is_some() {
            camera.set_depth_range(bounds);
        }
        let sight = (camera.target - camera.position).normalize_or_zero();
        if sight == Vec3::ZERO {
            return Err(error("camera_position must differ from camera_target"));
        }
        let across = sight.cross(camera.up.normalize_or_zero()).length();
        if across.is_nan() || across < PARALLEL {
            if self.up.is_some() {
                return Err(error("camera_up must not be parallel to the viewing direction"));
            }
            // Seen straight from above, the character's back points to the top of the image. Seen from below, its front points to the top.
            camera.up = Vec3::new(0.0, 0.0, sight.y);
        }
        if !camera.clip_from_world(self.aspect).is_finite() {
            return Err(error("camera_position or fov_y is outside the range of single precision"));
        }
        Ok(camera)
    }
}
