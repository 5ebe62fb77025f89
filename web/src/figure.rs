//! A character in a canvas of another page, without the panel. The page's script moves it.

use std::path::Path;

use glam::{DVec3, Vec2};
use sinew_character::asset::{self, Character};
use sinew_render::{Compositor, DecodedImages, FrameTexture, Gpu, Model, Placement, Renderer, ShadingMode};
use sinew_character::rig;
use sinew_viewer::{Command, NodePoint, Session, pose_text, set_pose_command};
use wasm_bindgen::prelude::*;
use web_sys::HtmlCanvasElement;

use super::error;

/// A character in a canvas. Points are in world metres, and positions in the canvas are in pixels.
#[wasm_bindgen]
pub struct Figure {
    session: Session,
    renderer: Renderer,
    model: Model,
    /// The image of the figure. A canvas stores sRGB without converting to it, so translucent surfaces drawn directly into it would be
    /// blended as sRGB.
    picture: FrameTexture,
    compositor: Compositor,
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
}

/// Opens a character in a canvas. Shows the character in the bytes of a self-contained `.glb` or `.vrm` file, or the built-in one if there
/// are none.
///
/// # Errors
/// If the browser has neither WebGPU nor WebGL2 for the canvas, or if the file is not a character.
#[wasm_bindgen]
pub async fn open(canvas: HtmlCanvasElement, bytes: Option<Vec<u8>>) -> Result<Figure, JsError> {
    let size = (canvas.width().max(1), canvas.height().max(1));
    let character = read(bytes)?;
    let (gpu, surface, offered) =
        Gpu::with_canvas(wgpu::SurfaceTarget::Canvas(canvas), super::backends()).await.map_err(error)?;
    let format = offered.formats.iter().find(|format| !format.is_srgb()).or(offered.formats.first());
    let format = *format.ok_or_else(|| error("the canvas has no pixel format"))?;
    let config = wgpu::SurfaceConfiguration {
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
        format,
        color_space: Default::default(),
        width: size.0,
        height: size.1,
        present_mode: wgpu::PresentMode::AutoVsync,
        desired_maximum_frame_latency: 1,
        alpha_mode: wgpu::CompositeAlphaMode::Auto,
        view_formats: Vec::new(),
    };
    surface.configure(&gpu.device, &config);
    let picture = FrameTexture::new([format.add_srgb_suffix(), format]);
    let compositor = Compositor::new(&gpu, format);
    let renderer = Renderer::new(gpu);
    let rig = rig::load(&character, None).map_err(error)?;
    let session = Session::new(character, Some(rig), pixels(size));
    let puppet = session.puppet();
    let images = DecodedImages::decode(puppet.character(), puppet.parts(), ShadingMode::Shaded);
    let model = renderer.model(puppet.character(), puppet.parts(), &images).map_err(error)?;
    Ok(Figure { session, renderer, model, picture, compositor, surface, config })
}

fn read(bytes: Option<Vec<u8>>) -> Result<Character, JsError> {
    match bytes {
        None => asset::mannequin().map_err(error),
        Some(bytes) => asset::gltf::load_bytes(Path::new("character.glb"), &bytes, None).map_err(error),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a canvas has few pixels")]
fn pixels((width, height): (u32, u32)) -> Vec2 {
    Vec2::new(width as f32, height as f32)
}

#[wasm_bindgen]
impl Figure {
    /// Returns the names of all joints.
    pub fn joints(&self) -> Vec<String> {
        let skeleton = &self.session.puppet().character().skeleton;
        (0..skeleton.nodes.len()).map(|node| skeleton.label(node)).collect()
    }

    /// Returns the world position of a joint.
    ///
    /// # Errors
    /// If there is no such joint.
    pub fn position(&self, joint: &str) -> Result<Vec<f32>, JsError> {
        let node = self.node(joint)?;
        let world = self.session.puppet().world_from_node().get(node);
        let at = world.ok_or_else(|| error("the joint has no position"))?;
        Ok(at.translation.to_array().to_vec())
    }

    /// Pulls a joint to a point, and the body with it. Returns the remaining distance in metres.
    ///
    /// # Errors
    /// If there is no such joint, or if the point cannot be a goal.
    pub fn reach(&mut self, joint: &str, x: f64, y: f64, z: f64) -> Result<f32, JsError> {
        let (node, to) = (self.node(joint)?, DVec3::new(x, y, z));
        self.session.apply(Command::GrabNode(NodePoint { node, offset: DVec3::ZERO }));
        self.session.apply(Command::DragTo(to));
        self.session.apply(Command::Release);
        if let Some(cause) = self.session.error() {
            return Err(error(cause));
        }
        let at = self.position(joint)?;
        let at = DVec3::new(at[0].into(), at[1].into(), at[2].into());
        #[expect(clippy::cast_possible_truncation, reason = "a distance to show")]
        Ok(at.distance(to) as f32)
    }

    /// Drags the part of the character at a position in the canvas to another position, or orbits the camera if nothing is there.
    pub fn drag(&mut self, from_x: f32, from_y: f32, to_x: f32, to_y: f32) {
        self.grab(from_x, from_y);
        self.pull(from_x, from_y, to_x, to_y);
        self.release();
    }

    /// Begins to drag the part of the character at a position in the canvas. Returns whether anything is there.
    pub fn grab(&mut self, x: f32, y: f32) -> bool {
        self.session.apply(Command::Grab(Vec2::new(x, y)));
        self.session.is_dragging()
    }

    /// Continues a drag, or orbits the camera if nothing was grabbed.
    pub fn pull(&mut self, from_x: f32, from_y: f32, to_x: f32, to_y: f32) {
        let (from, to) = (Vec2::new(from_x, from_y), Vec2::new(to_x, to_y));
        self.session.apply(if self.session.is_dragging() {
            Command::Drag(to)
        } else {
            Command::Orbit(to - from)
        });
    }

    /// Ends a drag.
    pub fn release(&mut self) {
        self.session.apply(Command::Release);
    }

    /// Returns the pose as JSON text.
    ///
    /// # Errors
    /// If a number of the pose is not finite.
    pub fn pose(&self) -> Result<String, JsError> {
        pose_text(self.session.puppet()).map_err(error)
    }

    /// Sets a pose that [`Figure::pose`] has returned.
    ///
    /// # Errors
    /// If the text is not a pose of this character.
    #[wasm_bindgen(js_name = setPose)]
    pub fn set_pose(&mut self, text: &str) -> Result<(), JsError> {
        let command = set_pose_command(self.session.puppet(), text).map_err(error)?;
        self.session.apply(command);
        Ok(())
    }

    /// Adapts the figure to a new size of the canvas.
    pub fn resize(&mut self, width: u32, height: u32) {
        (self.config.width, self.config.height) = (width.max(1), height.max(1));
        self.surface.configure(&self.renderer.gpu().device, &self.config);
        self.session.apply(Command::Resize(pixels((self.config.width, self.config.height))));
    }

    /// Draws the figure.
    ///
    /// # Errors
    /// If the device was lost.
    pub fn draw(&mut self) -> Result<(), JsError> {
        let texture = match self.surface.get_current_texture() {
            wgpu::CurrentSurfaceTexture::Success(texture)
            | wgpu::CurrentSurfaceTexture::Suboptimal(texture) => texture,
            // There is no texture in this frame, but the next frame has one.
            _ => return Ok(()),
        };
        let view = texture.texture.create_view(&Default::default());
        let size = (self.config.width, self.config.height);
        let gpu = self.renderer.gpu().clone();
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let frame = self.session.frame(1.0);
        self.picture.update(&mut self.renderer, (&[&self.model], &frame), size, &mut encoder).map_err(error)?;
        let composed = self.picture.compose(&gpu, &self.compositor, Placement { origin: (0, 0), size });
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("figure"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..Default::default()
        });
        composed.iter().for_each(|composed| composed.draw(&mut pass, size));
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
        gpu.queue.present(texture);
        gpu.check().map_err(error)
    }
}

impl Figure {
    fn node(&self, joint: &str) -> Result<usize, JsError> {
        let found = self.session.puppet().character().skeleton.find(joint);
        found.ok_or_else(|| error(format!("joint \"{joint}\" does not exist")))
    }
}
