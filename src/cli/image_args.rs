//! The camera and image options, and the view settings that they describe.

use std::f32::consts::PI;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use glam::{Affine3A, Vec3};

use crate::asset::{CameraKind, Character};
use crate::puppet::Puppet;
use crate::render::{AdapterChoice, Background, Frame, ShadingMode};
use crate::scene::ViewSettings;
use crate::skin::Skinning;
use crate::view::{AUTO_DIRECTION, AUTO_FOV_Y, Bounds, Camera, Fit, Framing, Projection};
use crate::viewer::Session;

use super::failure::Failure;
use super::light_args::{LightArgs, default_light};
use super::names;
use super::posing::{numbers, unit};

/// Image height in pixels at which overlays have scale 1. Their scale is proportional to the image height, but at
/// least 0.5.
const OVERLAY_HEIGHT: f32 = 720.0;
impl ImageArgs {
    /// Returns these options with the camera's position and directions rotated to world space.
    pub(super) fn turned(&self, world_from_frame: glam::Quat) -> Self {
        let mut turned = self.clone();
        for vector in
            [&mut turned.camera_position, &mut turned.camera_focal_point, &mut turned.camera_view_up]
        {
            *vector = vector.map(|vector| world_from_frame * vector);
        }
        turned
    }
}

/// Default image size in pixels.
const DEFAULT_SIZE: (u32, u32) = (1280, 720);

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Camera and image")]
pub(super) struct ImageArgs {
    #[arg(long, value_name = "W,H", value_parser = resolution, help = "Image size in pixels [default: 1280,720, or the window's size with --replay]")]
    resolution: Option<(u32, u32)>,
    /// Look through a camera in the file, given by name or index and positioned by the pose; the options below override parts of it
    #[arg(long, value_name = "NAME|INDEX")]
    camera: Option<String>,
    /// Camera position in world space, metres [default: chosen to show the whole character]
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    camera_position: Option<Vec3>,
    /// Point that the camera looks at, metres [default: the centre of the posed character]
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    camera_focal_point: Option<Vec3>,
    /// Direction that points up in the image [default: 0,1,0]
    #[arg(long, value_name = "X,Y,Z", value_parser = direction, allow_hyphen_values = true)]
    camera_view_up: Option<Vec3>,
    /// Vertical field of view in degrees [default: 45]
    #[arg(long, value_name = "DEG", value_parser = view_angle)]
    camera_view_angle: Option<f32>,
    /// How the camera is chosen: auto (the bounding sphere fits into the image) or tight (the figure fills 78 % of it)
    #[arg(long, value_name = "KIND", default_value = "auto", value_parser = framing())]
    framing: String,
    /// Shading mode
    #[arg(long, value_name = "MODE", default_value = "shaded", value_parser = PossibleValuesParser::new(ShadingMode::ALL.map(ShadingMode::name)))]
    mode: String,
    /// Number of samples per pixel
    #[arg(long, value_name = "1|4", default_value = "4", value_parser = ["1", "4"])]
    samples: String,
    /// Background colour [default: grey in shaded and skeleton, black in the other modes]
    #[arg(long, value_name = "#rrggbb|transparent")]
    background: Option<Background>,
    /// Draw a floor under the character [default: on in shaded, off in the other modes]
    #[arg(long, value_name = "on|off")]
    ground: Option<Switch>,
    /// Draw shadows on lit surfaces and on the floor [default: on in shaded, off in the other modes]
    #[arg(long, value_name = "on|off")]
    shadow: Option<Switch>,
    /// Draw less ambient light where surfaces are close to each other, in light other than classic [default: on, off with --replay]
    #[arg(long, value_name = "on|off")]
    ambient_occlusion: Option<Switch>,
    /// Graphics adapter: auto, cpu, vulkan, gl, metal or dx12; TEXT is part of the adapter's name
    #[arg(long, value_name = "KIND[:TEXT]", default_value = "auto")]
    pub(super) adapter: AdapterChoice,
    /// Skinning method
    #[arg(long, value_name = "KIND", default_value = "linear", value_parser = PossibleValuesParser::new(Skinning::ALL.map(Skinning::name)))]
    skinning: String,
    #[command(flatten)]
    light: LightArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Switch {
    On,
    Off,
}

impl ImageArgs {
    /// Returns the image's width and height in pixels.
    pub(super) fn size(&self) -> (u32, u32) {
        self.resolution.unwrap_or(DEFAULT_SIZE)
    }

    /// Returns these options for images of another size in pixels.
    pub(super) fn with_size(&self, size: (u32, u32)) -> Self {
        Self { resolution: Some(size), ..self.clone() }
    }

    /// Returns the frame and the image size of a replayed session. Without `--resolution`, the image has the size of the recorded window.
    pub(super) fn replayed<'a>(&self, session: &'a Session) -> (Frame<'a>, (u32, u32)) {
        let size = self.resolution.unwrap_or_else(|| session.pixels());
        #[expect(clippy::cast_precision_loss, reason = "image sizes are far below 2^24")]
        let scale = session.settings().scale * size.1 as f32 / session.size().y.trunc();
        let mut frame = session.frame(scale);
        frame.background = self.background.unwrap_or(frame.background);
        frame.samples = self.samples();
        frame.light = self.light.light(&frame.light);
        // By default, a replay is drawn without ambient occlusion, like the viewer's window.
        frame.ambient_occlusion = self.ambient_occlusion == Some(Switch::On);
        (frame, size)
    }

    /// Returns a warning if part of the requested light is not drawn.
    pub(super) fn light_warning(&self, character: &Character) -> Option<String> {
        self.light.warning(character, &default_light()).filter(|_| self.mode().is_shaded())
    }

    /// Sets the ambient occlusion of a frame, which is on by default in images but not in the viewer's window.
    pub(super) fn finished<'a>(&self, frame: Frame<'a>) -> Frame<'a> {
        Frame { ambient_occlusion: self.ambient_occlusion != Some(Switch::Off), ..frame }
    }

    fn samples(&self) -> u32 {
        if self.samples == "1" { 1 } else { 4 }
    }

    pub(super) fn mode(&self) -> ShadingMode {
        // The parser accepts known names only.
        self.mode.parse().unwrap_or_default()
    }

    pub(super) fn skinning(&self) -> Skinning {
        Skinning::ALL.into_iter().find(|s| s.name() == self.skinning).unwrap_or_default()
    }

    /// Returns an empty [`Subject`] for the chosen framing.
    pub(super) fn subject(&self) -> Subject {
        let (fov_y, aspect) = (self.fov_y(), self.aspect());
        let fit = || Fit::perspective(AUTO_DIRECTION, Vec3::Y, fov_y, aspect);
        Subject { bounds: Bounds::default(), fit: (self.framing == Framing::Tight.name()).then(fit) }
    }

    /// Returns the view settings for a scene with a posed puppet. With `--camera`, one of the puppet's cameras is used.
    pub(super) fn settings(&self, subject: &Subject, puppet: &Puppet) -> Result<ViewSettings, Failure> {
        let bounds = &subject.bounds;
        if let Some(name) = &self.camera {
            let camera = file_camera(puppet, names::camera(puppet.character(), name)?, bounds);
            return self.settings_from(bounds, |fov_y, _| match self.camera_view_angle {
                Some(_) => Camera { projection: Projection::Perspective { fov_y }, ..camera },
                None => camera,
            });
        }
        self.settings_from(bounds, |fov_y, aspect| {
            let camera = Camera::framing(bounds, fov_y, aspect);
            subject.fit.map_or(camera, |fit| fit.camera(camera, bounds.sphere().1))
        })
    }

    /// Returns the vertical field of view in radians.
    fn fov_y(&self) -> f32 {
        self.camera_view_angle.map_or(AUTO_FOV_Y, |degrees| degrees * PI / 180.0)
    }

    #[expect(clippy::cast_precision_loss, reason = "image sizes are far below 2^24")]
    fn aspect(&self) -> f32 {
        self.size().0 as f32 / self.size().1 as f32
    }

    /// Returns the view settings for a scene with these bounds. `camera` creates a camera from a vertical field of view in radians and an
    /// aspect ratio. Options such as `--camera-position` then replace parts of that camera.
    pub(super) fn settings_from(
        &self,
        bounds: &Bounds,
        camera: impl Fn(f32, f32) -> Camera,
    ) -> Result<ViewSettings, Failure> {
        let mode = self.mode();
        let is_on = |switch: Option<Switch>| switch.map_or(mode == ShadingMode::Shaded, |s| s == Switch::On);
        let light = self.light.light(&default_light());
        let background =
            if mode.is_shaded() { Background::of_light(&light.source) } else { Background::BLACK };
        #[expect(clippy::cast_precision_loss, reason = "image sizes are far below 2^24")]
        let height = self.size().1 as f32;
        Ok(ViewSettings {
            camera: self.camera(bounds, camera)?,
            mode,
            light,
            background: self.background.unwrap_or(background),
            samples: self.samples(),
            bounds: *bounds,
            floor: is_on(self.ground) && !mode.is_data(),
            shadow: is_on(self.shadow),
            scale: (height / OVERLAY_HEIGHT).max(0.5),
        })
    }

    /// Returns the camera that the options describe. Missing options come from `default`.
    fn camera(&self, bounds: &Bounds, default: impl Fn(f32, f32) -> Camera) -> Result<Camera, Failure> {
        let aspect = self.aspect();
        let mut camera = default(self.fov_y(), aspect);
        camera.position = self.camera_position.unwrap_or(camera.position);
        camera.target = self.camera_focal_point.unwrap_or(camera.target);
        camera.up = self.camera_view_up.unwrap_or(camera.up);
        if self.camera_position.is_some() {
            camera.set_depth_range(bounds);
        }
        if camera.position == camera.target {
            return Err(Failure::Usage("--camera-position must differ from --camera-focal-point".into()));
        }
        let sight = (camera.target - camera.position).normalize();
        let across = sight.cross(camera.up.normalize_or_zero()).length();
        if across.is_nan() || across < 1e-4 {
            match self.camera_view_up {
                Some(_) => {
                    let text = "--camera-view-up must not be parallel to the viewing direction";
                    return Err(Failure::Usage(text.into()));
                }
                // -Z is up in an image from straight above, and +Z in an image from straight below.
                None => camera.up = Vec3::new(0.0, 0.0, sight.y),
            }
        }
        if !camera.clip_from_world(aspect).is_finite() {
            return Err(Failure::Usage(
                "camera position or view angle is outside the range of single precision".into(),
            ));
        }
        Ok(camera)
    }
}

/// Returns a camera of the file, placed by the puppet's pose. The camera's target is at the depth of the bounds' centre.
fn file_camera(puppet: &Puppet, index: usize, bounds: &Bounds) -> Camera {
    let camera = puppet.character().cameras.get(index);
    let world = camera.and_then(|camera| puppet.world_from_node().get(camera.node));
    let world = world.copied().unwrap_or(Affine3A::IDENTITY);
    let direction = |axis: Vec3| world.transform_vector3(axis).try_normalize().unwrap_or(axis);
    let (position, ahead) = (Vec3::from(world.translation), direction(Vec3::NEG_Z));
    let (center, radius) = bounds.sphere();
    let depth = (center - position).dot(ahead).max(radius);
    let projection = match camera.map(|camera| camera.kind) {
        Some(CameraKind::Orthographic { height }) => Projection::Orthographic { height },
        Some(CameraKind::Perspective { fov_y }) => Projection::Perspective { fov_y },
        _ => Projection::Perspective { fov_y: AUTO_FOV_Y },
    };
    let target = position + ahead * depth;
    let mut camera = Camera { position, target, up: direction(Vec3::Y), projection, near: 0.0, far: 0.0 };
    camera.set_depth_range(bounds);
    camera
}

/// The content of an image or of a sequence of images.
#[derive(Debug)]
pub(super) struct Subject {
    /// The bounds of everything in all images.
    pub(super) bounds: Bounds,
    /// Chooses the camera if the framing is tight.
    fit: Option<Fit>,
}

impl Subject {
    pub(super) fn add(&mut self, puppet: &Puppet) {
        self.add_moved(puppet, Vec3::ZERO);
    }

    /// Adds a posed puppet, moved by a vector in metres.
    pub(super) fn add_moved(&mut self, puppet: &Puppet, by: Vec3) {
        let Bounds { lo, hi } = puppet.bounds();
        self.bounds.extend([lo + by, hi + by]);
        if let Some(fit) = &mut self.fit {
            fit.extend(puppet.points().into_iter().map(|point| point + by));
        }
    }

    /// Adds a posed puppet that turns around. The bounds must already contain the whole puppet, because their bounding sphere does not
    /// change.
    pub(super) fn add_turning(&mut self, puppet: &Puppet, turns: impl Iterator<Item = Affine3A>) {
        if let Some(fit) = &mut self.fit {
            let points = puppet.points();
            for turn in turns {
                fit.extend(points.iter().map(|point| turn.transform_point3(*point)));
            }
        }
    }
}

pub(super) fn framing() -> PossibleValuesParser {
    PossibleValuesParser::new(Framing::ALL.map(Framing::name))
}

fn resolution(text: &str) -> Result<(u32, u32), String> {
    let parsed = text.split_once([',', 'x']).and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    match parsed {
        Some((0, _) | (_, 0)) => Err("width and height must be at least 1".into()),
        Some(size) => Ok(size),
        None => Err("expected W,H, for example 1280,720".into()),
    }
}

fn vector(text: &str) -> Result<Vec3, String> {
    let v = glam::DVec3::from_array(numbers(text)?).as_vec3();
    if v.is_finite() { Ok(v) } else { Err("position is outside the range of single precision".into()) }
}

fn direction(text: &str) -> Result<Vec3, String> {
    let v = unit(numbers(text)?).ok_or("direction has zero length")?;
    Ok(glam::DVec3::from_array(v).as_vec3())
}

fn view_angle(text: &str) -> Result<f32, String> {
    let degrees = text.parse::<f32>().ok().filter(|d| *d > 0.0 && *d < 180.0);
    degrees.ok_or_else(|| "must be an angle between 0 and 180 degrees".into())
}
