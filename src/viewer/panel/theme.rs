//! The dark and the light theme, with muted colors and one accent color. `tests/contrast.rs` computes the contrast of all texts.

use egui::{
    Color32, Context, FontData, FontDefinitions, FontFamily, FontId, TextStyle, Theme, ThemePreference, Ui,
    Visuals,
};

/// Sets up the font and both themes. The system's preference applies until the user chooses a theme.
pub(crate) fn style(context: &Context) {
    context.set_fonts(fonts());
    for theme in [Theme::Dark, Theme::Light] {
        context.set_visuals_of(theme, visuals(theme));
    }
    // The scene's size is computed with the window's scale factor, which egui's zoom would change.
    context.options_mut(|options| options.zoom_with_keyboard = false);
    context.all_styles_mut(|style| {
        style.spacing.item_spacing = egui::vec2(8.0, 6.0);
        style.spacing.slider_width = 104.0;
        // Smaller text is hard to read at 96 pixels per inch.
        style.text_styles.insert(TextStyle::Small, FontId::proportional(12.0));
        style.text_styles.insert(TextStyle::Heading, FontId::proportional(16.0));
    });
}

/// Returns the definition of the only font. Its digits have equal widths, so numbers need no monospaced font, which would enlarge the page.
fn fonts() -> FontDefinitions {
    let mut fonts = FontDefinitions::empty();
    let name = "Ubuntu-Light";
    fonts.font_data.insert(name.into(), FontData::from_static(epaint_default_fonts::UBUNTU_LIGHT).into());
    for family in [FontFamily::Proportional, FontFamily::Monospace] {
        fonts.families.insert(family, vec![name.into()]);
    }
    fonts
}

fn visuals(theme: Theme) -> Visuals {
    let mut visuals = theme.default_visuals();
    match theme {
        Theme::Dark => {
            // Labels, menus and tooltips.
            visuals.widgets.noninteractive.fg_stroke.color = Color32::from_rgb(178, 184, 196);
            visuals.panel_fill = Color32::from_rgb(24, 26, 32);
            visuals.window_fill = Color32::from_rgb(28, 30, 37);
            visuals.extreme_bg_color = Color32::from_rgb(15, 17, 21);
            visuals.selection.bg_fill = Color32::from_rgb(176, 96, 24);
            visuals.selection.stroke.color = Color32::WHITE;
            visuals.widgets.hovered.weak_bg_fill = Color32::from_rgb(48, 52, 62);
            visuals.widgets.open.weak_bg_fill = Color32::from_rgb(30, 33, 40);
        }
        Theme::Light => {
            visuals.panel_fill = Color32::from_rgb(243, 244, 247);
            visuals.window_fill = Color32::from_rgb(250, 250, 252);
            visuals.extreme_bg_color = Color32::from_rgb(255, 255, 255);
            visuals.selection.bg_fill = Color32::from_rgb(255, 190, 120);
            visuals.selection.stroke.color = Color32::from_rgb(88, 42, 0);
            visuals.widgets.hovered.weak_bg_fill = Color32::from_rgb(228, 230, 236);
        }
    }
    // Disabled controls remain readable.
    visuals.disabled_alpha = 0.6;
    visuals.weak_text_color = Some(quiet_of(theme));
    visuals.slider_trailing_fill = true;
    visuals.hyperlink_color = tone(theme, (255, 158, 64), (176, 82, 0));
    visuals
}

/// Colour of an active tool, in both themes. White text on it has a contrast above 4.5:1.
pub(super) const TOOL: Color32 = Color32::from_rgb(170, 90, 22);

/// Shows the theme selector.
pub(super) fn choice(ui: &mut Ui) {
    let before = ui.ctx().options(|o| o.theme_preference);
    let mut now = before;
    ui.horizontal_wrapped(|ui| {
        ui.label("Theme");
        for theme in [ThemePreference::System, ThemePreference::Dark, ThemePreference::Light] {
            ui.selectable_value(&mut now, theme, theme.name());
        }
    });
    if now != before {
        ui.ctx().set_theme(now);
    }
}

pub(super) fn accent(ui: &Ui) -> Color32 {
    ui.visuals().hyperlink_color
}

/// Returns the color behind the panes.
pub(super) fn behind(visuals: &Visuals) -> Color32 {
    let theme = if visuals.dark_mode { Theme::Dark } else { Theme::Light };
    tone(theme, (15, 17, 21), (222, 225, 231))
}

/// Returns the color of secondary text.
pub(super) fn quiet(ui: &Ui) -> Color32 {
    quiet_of(ui.theme())
}

fn quiet_of(theme: Theme) -> Color32 {
    tone(theme, (152, 160, 176), (96, 102, 116))
}

/// Returns the color of primary text.
pub(super) fn ink(ui: &Ui) -> Color32 {
    tone(ui.theme(), (214, 219, 228), (44, 48, 58))
}

/// Returns the color of the x, y or z axis, readable on the scene's background in both themes.
pub(super) fn axis(index: usize) -> Color32 {
    const COLORS: [(u8, u8, u8); 3] = [(255, 92, 92), (140, 214, 72), (96, 160, 255)];
    let (r, g, b) = COLORS.get(index).copied().unwrap_or_default();
    Color32::from_rgb(r, g, b)
}

pub(super) fn good(ui: &Ui) -> Color32 {
    tone(ui.theme(), (118, 205, 130), (30, 122, 48))
}

pub(super) fn bad(ui: &Ui) -> Color32 {
    tone(ui.theme(), (244, 112, 96), (186, 36, 22))
}

/// Returns the fill, edge and text colors of a clip strip. Clips cycle through six hues of equal lightness.
pub(super) fn strip(ui: &Ui, clip: usize) -> (Color32, Color32, Color32) {
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
