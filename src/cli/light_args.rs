//! The options for lighting.

use std::path::Path;
use std::sync::Arc;

use clap::Args;

use crate::asset::Character;
use crate::render::{Environment, FileLights, Light, LightSource, MAX_LIGHTS, ToneMap};

#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Light")]
pub(super) struct LightArgs {
    /// Light in shaded and skeleton: classic, studio, outdoor, flat, or a Radiance image [default: studio; classic in suites]
    #[arg(long, value_name = "NAME|FILE.hdr", value_parser = source, overrides_with = "light")]
    light: Option<LightSource>,
    /// Turn the light about the vertical axis, in degrees [default: 0]
    #[arg(long, value_name = "DEG", allow_hyphen_values = true, value_parser = rotation)]
    light_rotation: Option<f32>,
    /// Exposure in stops, each of which doubles the brightness [default: 0]
    #[arg(long, value_name = "STOPS", allow_hyphen_values = true, value_parser = exposure)]
    exposure: Option<f32>,
    /// How light becomes colours: neutral, aces or agx [default: neutral]
    #[arg(long, value_name = "NAME")]
    tone_map: Option<ToneMap>,
    /// Draw the lights of the file too: off, on (as bright as a key light), or a factor of their intensities [default: off]
    #[arg(long, value_name = "on|off|SCALE", value_parser = file_lights)]
    file_lights: Option<FileLights>,
}

impl LightArgs {
    /// Returns a warning if part of the requested light is not drawn.
    pub(super) fn warning(&self, character: &Character, default: &Light) -> Option<String> {
        let light = self.light(default);
        if light.file_lights == FileLights::Off {
            return None;
        }
        if light.source == LightSource::Classic {
            return Some("the lights of the file are not drawn in classic light".into());
        }
        match character.lights.len() {
            0 => Some("the file has no lights".into()),
            count if count > MAX_LIGHTS => {
                Some(format!("only the strongest {MAX_LIGHTS} of {count} lights are drawn"))
            }
            _ => None,
        }
    }

    /// Returns the light that the options describe. Missing options come from `default`.
    pub(super) fn light(&self, default: &Light) -> Light {
        Light {
            source: self.light.clone().unwrap_or_else(|| default.source.clone()),
            rotation: self.light_rotation.map_or(default.rotation, f32::to_radians),
            exposure: self.exposure.unwrap_or(default.exposure),
            tone: self.tone_map.unwrap_or(default.tone),
            file_lights: self.file_lights.unwrap_or(default.file_lights),
        }
    }
}

pub(super) fn default_light() -> Light {
    Light::new(LightSource::Studio)
}

fn source(text: &str) -> Result<LightSource, String> {
    let path = Path::new(text);
    if path.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("hdr")) {
        return text.parse().map_err(|error| format!("{error}, or a file whose name ends in .hdr"));
    }
    let environment = Environment::load(path).map_err(|error| error.to_string())?;
    Ok(LightSource::Image(Arc::new(environment)))
}

fn file_lights(text: &str) -> Result<FileLights, String> {
    match text {
        "on" => Ok(FileLights::On),
        "off" => Ok(FileLights::Off),
        _ => {
            let scale = text.parse().map(FileLights::Scale).ok().filter(|scale| scale.validate().is_ok());
            scale.ok_or_else(|| format!("must be on, off, or a number from 0 to {}", FileLights::MAX_SCALE))
        }
    }
}

fn rotation(text: &str) -> Result<f32, String> {
    let degrees = text.parse::<f32>().ok().filter(|degrees| degrees.abs() <= 360.0);
    degrees.ok_or_else(|| "must be an angle between -360 and 360 degrees".into())
}

fn exposure(text: &str) -> Result<f32, String> {
    let stops = text.parse::<f32>().ok().filter(|stops| stops.abs() <= Light::MAX_EXPOSURE);
    stops.ok_or_else(|| format!("must be between -{0} and {0} stops", Light::MAX_EXPOSURE))
}
