//! The camera and image options: what the user wrote, and the shot that it makes.

use std::f32::consts::PI;

use clap::{Args, ValueEnum};
use glam::Vec3;

use crate::camera::{AUTO_FOV_Y, Bounds, Camera};
use crate::render::{AdapterChoice, Background, Frame, Mode};
use crate::skin::Skinning;
use crate::stage::Shot;
use crate::viewer::Session;

use super::failure::Failure;
use super::posing::{numbers, unit};

/// Overlays are drawn for a picture of this height, and larger in larger ones.
const POINTS_HIGH: f32 = 720.0;
/// Pixels of a picture, unless asked otherwise.
const USUAL: (u32, u32) = (1280, 720);

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Camera and image")]
pub(super) struct ViewArgs {
    #[arg(long, value_name = "W,H", value_parser = resolution, help = "Pixels [default: 1280,720, with --replay the window's]")]
    resolution: Option<(u32, u32)>,
    /// Where the camera stands, world metres [default: such that all is seen]
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    camera_position: Option<Vec3>,
    /// What it looks at, world metres [default: the middle of the posed character]
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    camera_focal_point: Option<Vec3>,
    /// Which way is up in the picture [default: 0,1,0]
    #[arg(long, value_name = "X,Y,Z", value_parser = direction, allow_hyphen_values = true)]
    camera_view_up: Option<Vec3>,
    /// Vertical field of view, degrees [default: 45]
    #[arg(long, value_name = "DEG", value_parser = view_angle)]
    camera_view_angle: Option<f32>,
    /// How surfaces look
    #[arg(long, value_name = "MODE", default_value = "shaded", value_parser = clap::builder::PossibleValuesParser::new(Mode::ALL.map(Mode::name)))]
    mode: String,
    /// Samples a pixel
    #[arg(long, value_name = "1|4", default_value = "4", value_parser = ["1", "4"])]
    samples: String,
    /// What is behind everything [default: a light grey where the picture is lit, else black]
    #[arg(long, value_name = "#rrggbb|transparent")]
    background: Option<Background>,
    /// A floor under the character [default: on in shaded, else off]
    #[arg(long, value_name = "on|off")]
    ground: Option<Switch>,
    /// Shadows, on lit surfaces and on the floor [default: on in shaded, else off]
    #[arg(long, value_name = "on|off")]
    shadow: Option<Switch>,
    /// auto, cpu, or vulkan, gl, metal, dx12 with part of its name
    #[arg(long, value_name = "KIND[:TEXT]", default_value = "auto")]
    pub(super) adapter: AdapterChoice,
    /// How the joints of a vertex are blended
    #[arg(long, value_name = "KIND", default_value = "linear", value_parser = clap::builder::PossibleValuesParser::new(Skinning::ALL.map(Skinning::name)))]
    skinning: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

impl ViewArgs {
    /// Pixels across and down.
    pub(super) fn size(&self) -> (u32, u32) {
        self.resolution.unwrap_or(USUAL)
    }

    /// A session's frame in its own size, or as large as was asked for.
    pub(super) fn replayed<'a>(&self, session: &'a Session) -> (Frame<'a>, (u32, u32)) {
        let size = self.resolution.unwrap_or_else(|| session.pixels());
        #[expect(clippy::cast_precision_loss, reason = "sizes of pictures are far below 2^24")]
        let scale = session.scale() * size.1 as f32 / session.size().y.trunc();
        let mut frame = session.frame(scale);
        frame.background = self.background.unwrap_or(frame.background);
        frame.samples = self.samples();
        (frame, size)
    }

    fn samples(&self) -> u32 {
        if self.samples == "1" { 1 } else { 4 }
    }

    pub(super) fn mode(&self) -> Mode {
        // The parser has let only known names through.
        self.mode.parse().unwrap_or_default()
    }

    pub(super) fn skinning(&self) -> Skinning {
        Skinning::ALL.into_iter().find(|s| s.name() == self.skinning).unwrap_or_default()
    }

    /// A look at what is within some bounds.
    pub(super) fn shot(&self, bounds: &Bounds) -> Result<Shot, Failure> {
        let mode = self.mode();
        let wanted = |switch: Option<Switch>| switch.map_or(mode == Mode::Shaded, |s| s == Switch::On);
        let usual = if mode.is_shaded() { Background::STUDIO } else { Background::BLACK };
        #[expect(clippy::cast_precision_loss, reason = "sizes of pictures are far below 2^24")]
        let height = self.size().1 as f32;
        Ok(Shot {
            camera: self.camera(bounds)?,
            mode,
            background: self.background.unwrap_or(usual),
            samples: self.samples(),
            bounds: *bounds,
            floor: wanted(self.ground) && !mode.is_data(),
            shadow: wanted(self.shadow),
            scale: (height / POINTS_HIGH).max(0.5),
        })
    }

    /// The camera that was asked for, what is left out being the one that shows all.
    fn camera(&self, bounds: &Bounds) -> Result<Camera, Failure> {
        #[expect(clippy::cast_precision_loss, reason = "sizes of pictures are far below 2^24")]
        let aspect = self.size().0 as f32 / self.size().1 as f32;
        let fov_y = self.camera_view_angle.map_or(AUTO_FOV_Y, |degrees| degrees * PI / 180.0);
        let mut camera = Camera::framing(bounds, fov_y, aspect);
        camera.position = self.camera_position.unwrap_or(camera.position);
        camera.target = self.camera_focal_point.unwrap_or(camera.target);
        camera.up = self.camera_view_up.unwrap_or(camera.up);
        if self.camera_position.is_some() {
            camera.set_depth_range(bounds);
        }
        if camera.position == camera.target {
            return Err(Failure::Usage("the camera stands on its focal point".into()));
        }
        let sight = (camera.target - camera.position).normalize();
        let across = sight.cross(camera.up.normalize_or_zero()).length();
        if across.is_nan() || across < 1e-4 {
            match self.camera_view_up {
                Some(_) => return Err(Failure::Usage("--camera-view-up is along the line of sight".into())),
                // Straight from above or below: up in the picture is where the character looks away from.
                None => camera.up = Vec3::new(0.0, 0.0, sight.y),
            }
        }
        if !camera.clip_from_world(aspect).is_finite() {
            return Err(Failure::Usage(
                "the camera's place or view angle is beyond what single precision holds".into(),
            ));
        }
        Ok(camera)
    }
}

fn resolution(text: &str) -> Result<(u32, u32), String> {
    let parsed = text.split_once([',', 'x']).and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    match parsed {
        Some((0, _) | (_, 0)) => Err("a picture needs at least one pixel".into()),
        Some(size) => Ok(size),
        None => Err(format!("\"{text}\" is not W,H")),
    }
}

fn vector(text: &str) -> Result<Vec3, String> {
    let v = glam::DVec3::from_array(numbers(text)?).as_vec3();
    if v.is_finite() { Ok(v) } else { Err(format!("\"{text}\" is beyond what single precision holds")) }
}

fn direction(text: &str) -> Result<Vec3, String> {
    let v = unit(numbers(text)?).ok_or_else(|| format!("\"{text}\" is no direction"))?;
    Ok(glam::DVec3::from_array(v).as_vec3())
}

fn view_angle(text: &str) -> Result<f32, String> {
    let degrees = text.parse::<f32>().ok().filter(|d| *d > 0.0 && *d < 180.0);
    degrees.ok_or_else(|| format!("\"{text}\" is not an angle between 0 and 180 degrees"))
}
