//! Dark and light: quiet, one accent.

use egui::{Color32, Context, Theme, ThemePreference, Ui, Visuals};

/// The looks of both themes; which of them is on is the system's choice until somebody makes one.
pub(in super::super) fn style(context: &Context) {
    for theme in [Theme::Dark, Theme::Light] {
        context.set_visuals_of(theme, visuals(theme));
    }
    // The scene's area is measured by the window's own scale.
    context.options_mut(|options| options.zoom_with_keyboard = false);
    context.all_styles_mut(|style| {
        style.spacing.item_spacing = egui::vec2(8.0, 6.0);
        style.spacing.slider_width = 104.0;
    });
}

fn visuals(theme: Theme) -> Visuals {
    let mut visuals = theme.default_visuals();
    match theme {
        Theme::Dark => {
            visuals.panel_fill = Color32::from_rgb(24, 26, 32);
            visuals.window_fill = Color32::from_rgb(28, 30, 37);
            visuals.extreme_bg_color = Color32::from_rgb(15, 17, 21);
            visuals.selection.bg_fill = Color32::from_rgb(176, 96, 24);
        }
        Theme::Light => {
            visuals.panel_fill = Color32::from_rgb(243, 244, 247);
            visuals.window_fill = Color32::from_rgb(250, 250, 252);
            visuals.extreme_bg_color = Color32::from_rgb(255, 255, 255);
            visuals.selection.bg_fill = Color32::from_rgb(255, 190, 120);
            visuals.selection.stroke.color = Color32::from_rgb(88, 42, 0);
        }
    }
    visuals.slider_trailing_fill = true;
    visuals.hyperlink_color = tone(theme, (255, 158, 64), (176, 82, 0));
    visuals
}

/// Which theme is on.
pub(super) fn choice(ui: &mut Ui) {
    let before = ui.ctx().options(|o| o.theme_preference);
    let mut now = before;
    ui.horizontal_wrapped(|ui| {
        ui.label("theme");
        for theme in [ThemePreference::System, ThemePreference::Dark, ThemePreference::Light] {
            ui.selectable_value(&mut now, theme, theme.name());
        }
    });
    if now != before {
        ui.ctx().set_theme(now);
    }
}

/// What matters now.
pub(super) fn accent(ui: &Ui) -> Color32 {
    ui.visuals().hyperlink_color
}

/// What is there for those who look.
pub(super) fn quiet(ui: &Ui) -> Color32 {
    tone(ui.theme(), (140, 148, 164), (96, 102, 116))
}

/// What is read.
pub(super) fn ink(ui: &Ui) -> Color32 {
    tone(ui.theme(), (214, 219, 228), (44, 48, 58))
}

/// What went well.
pub(super) fn good(ui: &Ui) -> Color32 {
    tone(ui.theme(), (118, 205, 130), (30, 122, 48))
}

/// What went wrong.
pub(super) fn bad(ui: &Ui) -> Color32 {
    tone(ui.theme(), (244, 112, 96), (186, 36, 22))
}

/// A clip's bar on the line of time: its fill, its edge, what is written on it. Six hues of one lightness, in turn.
pub(super) fn bar(ui: &Ui, clip: usize) -> (Color32, Color32, Color32) {
    const DARK: [(u8, u8, u8); 6] =
        [(52, 78, 118), (44, 94, 92), (88, 66, 116), (62, 92, 58), (116, 62, 84), (102, 86, 50)];
    const LIGHT: [(u8, u8, u8); 6] = [
        (188, 210, 242),
        (178, 224, 220),
        (216, 200, 240),
        (200, 228, 192),
        (244, 204, 218),
        (238, 224, 182),
    ];
    let hue = |hues: [(u8, u8, u8); 6]| hues.get(clip % hues.len()).copied().unwrap_or_default();
    let fill = tone(ui.theme(), hue(DARK), hue(LIGHT));
    let strength = if ui.theme() == Theme::Dark { 1.7 } else { 0.72 };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
    let strong = |channel: u8| (f32::from(channel) * strength).clamp(0.0, 255.0) as u8;
    let edge = Color32::from_rgb(strong(fill.r()), strong(fill.g()), strong(fill.b()));
    (fill, edge, tone(ui.theme(), (236, 240, 247), (30, 36, 48)))
}

fn tone(theme: Theme, dark: (u8, u8, u8), light: (u8, u8, u8)) -> Color32 {
    let (r, g, b) = if theme == Theme::Dark { dark } else { light };
    Color32::from_rgb(r, g, b)
}
