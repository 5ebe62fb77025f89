//! The panel section for lighting.

use egui::{Slider, Ui};

use crate::render::{FileLights, Light, LightSource, ToneMap};
use crate::{Command, Session};

/// Maximum exposure of the slider in stops, in both directions.
const EXPOSURE: f32 = 4.0;

/// Shows the light source, its rotation and exposure, and the tone map.
pub(super) fn show(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let before = &session.document.settings.light;
    let mut light = before.clone();
    ui.horizontal_wrapped(|ui| {
        ui.label("Light");
        for source in LightSource::BUILT_IN {
            let name = source.name();
            ui.selectable_value(&mut light.source, source, name);
        }
    });
    egui::Grid::new("light").num_columns(2).show(ui, |ui| {
        let label = ui.label("Rotation");
        let mut degrees = light.rotation.to_degrees().round();
        let slider = Slider::new(&mut degrees, -180.0..=180.0).suffix("°").fixed_decimals(0);
        if ui.add(slider).labelled_by(label.id).changed() {
            light.rotation = degrees.to_radians();
        }
        ui.end_row();
        let label = ui.label("Exposure");
        let slider = Slider::new(&mut light.exposure, -EXPOSURE..=EXPOSURE).step_by(0.1).fixed_decimals(1);
        ui.add(slider).labelled_by(label.id).on_hover_text("In stops, each of which doubles the brightness");
        ui.end_row();
    });
    ui.horizontal_wrapped(|ui| {
        ui.label("Tone map").on_hover_text("How light becomes colours");
        for tone in ToneMap::ALL {
            ui.selectable_value(&mut light.tone, tone, tone.name());
        }
    });
    if !session.puppet().character().lights.is_empty() {
        let mut is_on = light.file_lights != FileLights::Off;
        let hover = "Not in classic light";
        if ui.checkbox(&mut is_on, "Lights of the file").on_hover_text(hover).changed() {
            light.file_lights = if is_on { FileLights::On } else { FileLights::Off };
        }
    }
    let is_reset = light != Light::new(LightSource::Studio)
        && ui.small_button("Reset light").on_hover_text("The studio without rotation and exposure").clicked();
    if is_reset {
        light = Light::new(LightSource::Studio);
    }
    if light != *before {
        commands.push(Command::Light(light));
    }
}
