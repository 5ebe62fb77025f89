//! The contrast of every text in the window, computed from the shapes that egui draws.
//!
//! The method follows WCAG 2.2: the ratio of relative luminances must be at least 4.5. WCAG exempts text of disabled controls. Here,
//! such text has a lower limit, because it says what the control would do.

use std::collections::BTreeMap;

use egui::epaint::{ClippedShape, RectShape, TextShape};
use egui::{Color32, Pos2, Rect, Rgba, Shape};

use crate::RingMode;
use crate::panel::{Palette, toolbar};

use super::*;

/// Minimum contrasts of normal text and of text in disabled controls.
const LIMITS: [f32; 2] = [4.5, 3.0];
/// Alpha below which text belongs to a disabled control.
const DISABLED: u8 = 200;

/// A filled area of the window.
struct Fill {
    rect: Rect,
    corner: f32,
    color: Color32,
}

impl Fill {
    fn new(shape: &RectShape, clip: Rect) -> Option<Self> {
        let corner = shape.corner_radius.average();
        let is_flat = shape.blur_width == 0.0 && shape.fill != Color32::TRANSPARENT;
        is_flat.then(|| Self { rect: shape.rect.intersect(clip), corner, color: shape.fill })
    }

    /// Returns whether the fill covers a point. Rounded corners are treated as if they were not filled.
    fn contains(&self, at: Pos2) -> bool {
        self.rect.shrink(self.corner.min(3.0)).contains(at)
    }
}

/// Color combinations with too little contrast. The values are the contrast and the first text with these colors.
type Faint = BTreeMap<String, (f32, String)>;

/// Adds all text with too little contrast to `faint`. Unfilled areas show the scene, which can have any color.
fn find_faint(shapes: &[ClippedShape], name: &str, faint: &mut Faint) -> usize {
    let (mut fills, mut count) = (Vec::new(), 0);
    let mut stack: Vec<(&Shape, Rect)> = shapes.iter().rev().map(|s| (&s.shape, s.clip_rect)).collect();
    while let Some((shape, clip)) = stack.pop() {
        match shape {
            Shape::Vec(inner) => stack.extend(inner.iter().rev().map(|shape| (shape, clip))),
            Shape::Rect(rect) => fills.extend(Fill::new(rect, clip)),
            Shape::Circle(circle) if circle.fill != Color32::TRANSPARENT => {
                // Approximate the circle by the largest square inside it.
                let rect =
                    Rect::from_center_size(circle.center, egui::Vec2::splat(circle.radius * 2.0_f32.sqrt()));
                fills.push(Fill { rect: rect.intersect(clip), corner: 0.0, color: circle.fill });
            }
            Shape::Text(text) => {
                let visible = text.galley.rect.translate(text.pos.to_vec2()).intersect(clip);
                if !visible.is_positive() || text.galley.text().trim().is_empty() {
                    continue;
                }
                count += 1;
                // Skip the first fill, which belongs to the test harness. In the viewer's window, the scene is behind the panes.
                let behind: Vec<Color32> =
                    fills.iter().skip(1).filter(|f| f.contains(visible.center())).map(|f| f.color).collect();
                // Text without sections is empty and is never faint.
                let worst = colors(text).map(|color| contrast(color, &behind)).fold(f32::INFINITY, f32::min);
                let is_disabled = colors(text).all(|color| color.a() < DISABLED);
                if worst < LIMITS[usize::from(is_disabled)] {
                    let what = if is_disabled { "disabled " } else { "" };
                    let color = colors(text).next().unwrap_or_default();
                    let text = format!("{name}: {what}\"{}\"", text.galley.text());
                    faint.entry(format!("{color:?} on {behind:?}")).or_insert((worst, text));
                }
            }
            _ => {}
        }
    }
    count
}

/// Returns the colors of text.
fn colors(text: &TextShape) -> impl Iterator<Item = Color32> {
    text.galley.job.sections.iter().map(|section| {
        let own = if section.format.color == Color32::PLACEHOLDER {
            text.fallback_color
        } else {
            section.format.color
        };
        text.override_text_color.unwrap_or(own).gamma_multiply(text.opacity_factor)
    })
}

/// Returns the lowest contrast of text over fills, for all colors that may be behind the fills.
fn contrast(text: Color32, fills: &[Color32]) -> f32 {
    let over = |base: Color32| {
        let background = fills.iter().fold(base, |below, fill| below.blend(*fill));
        (luminance(background.blend(text)), luminance(background))
    };
    let (on_black, on_white) = (over(Color32::BLACK), over(Color32::WHITE));
    // If the text is lighter than one background and darker than the other, some scene color between them has the text's luminance.
    if (on_black.0 > on_black.1) != (on_white.0 > on_white.1) {
        return 1.0;
    }
    let ratio = |(a, b): (f32, f32)| (a.max(b) + 0.05) / (a.min(b) + 0.05);
    ratio(on_black).min(ratio(on_white))
}

fn luminance(color: Color32) -> f32 {
    let linear = Rgba::from(color);
    0.2126 * linear.r() + 0.7152 * linear.g() + 0.0722 * linear.b()
}

/// Returns the window in all states in which text can appear.
fn states() -> Vec<(String, TestPanel)> {
    let mut states: Vec<(String, TestPanel)> = Vec::new();
    let mut add = |name: &str, state: TestPanel| states.push((name.into(), state));
    for face in [Face::Pose, Face::Lab] {
        for &pane in face.panes() {
            let mut state = selected("leftLowerArm").showing(face, pane).of_height(TALL);
            state.session.apply(Command::Clip(Some(0)));
            state.session.apply(Command::Compare(vec![Method::Ccd, Method::Fabrik]));
            add(&format!("{face:?} {pane:?}"), state);
        }
    }
    add("idle", state());
    add("dragging", dragging().showing(Face::Lab, Pane::Solver).of_height(TALL));
    add("steps", stepping(Method::Ccd).showing(Face::Lab, Pane::Solver).of_height(TALL));
    let mut names = selected("leftUpperArm");
    names.session.document.settings.display.names = true;
    names.session.apply(Command::RingMode(RingMode { world: true, ..RingMode::default() }));
    add("names", names);
    // The rear balls of the axis gizmo are darker.
    for (view, yaw) in [2.0_f32, 4.0, 5.5].into_iter().enumerate() {
        let mut turned = state();
        turned.session.document.orbit.yaw = yaw;
        add(&format!("view {view}"), turned);
    }
    let mut keys = state();
    keys.panel.shortcuts = true;
    add("shortcuts", keys);
    let mut palette = state();
    palette.panel.palette = Some(Palette::default());
    add("palette", palette);
    let mut path = state();
    path.panel.path.show(PathPurpose::Open, String::new());
    path.panel.path.fail(PathPurpose::Open, "a.glb: No such file");
    add("path", path);
    for message in [Ok("saved".into()), Err("a.glb: No such file".into())] {
        let mut toast = state();
        toast.panel.show_message(message);
        add("toast", toast);
    }
    let mut offer = state();
    offer.panel.offer("saved", "Open folder", AppRequest::OpenFolder("a".into()));
    add("offer", offer);
    let mut question = state();
    question.panel.question = Some(Question::Leave(Leave::Close));
    add("question", question);
    states
}

#[test]
fn every_text_can_be_read_in_both_themes() {
    let (mut faint, mut count) = (Faint::new(), 0);
    for theme in [Theme::Dark, Theme::Light] {
        for (name, state) in states() {
            let (mut harness, _) = panel(state, theme);
            // Run long enough for animations to end, but not for messages to fade.
            harness.run_steps(4);
            count += find_faint(&harness.output().shapes, &format!("{theme:?} {name}"), &mut faint);
        }
    }
    assert!(count > 1000, "only {count} texts were found");
    report(&faint);
}

/// Checks the contrast of tooltips, menus and hovered controls. The test above covers few of them.
#[test]
fn what_the_pointer_is_over_can_be_read_in_both_themes() {
    let (mut faint, mut tooltips, mut hovered) = (Faint::new(), 0, 0);
    for theme in [Theme::Dark, Theme::Light] {
        for (name, menu) in [("bar", None), ("file", Some("File")), ("reset", Some("Reset"))] {
            let (mut harness, _) = panel(selected("leftLowerArm"), theme);
            harness.run();
            if let Some(menu) = menu {
                harness.get_by_label(menu).click();
                harness.run();
            }
            let places: Vec<Pos2> = controls(&harness)
                .filter(|rect| menu.is_some() || rect.top() < toolbar::HEIGHT)
                .map(|rect| rect.center())
                .collect();
            for at in places {
                // Move the pointer away first, because the previous control's tooltip may cover this control.
                harness.hover_at(Pos2::new(-1.0, -1.0));
                harness.run_steps(4);
                let before = find_faint(&harness.output().shapes, "", &mut Faint::new());
                harness.hover_at(at);
                harness.run_steps(6);
                let name = format!("{theme:?} {name} at {at:?}");
                let count = find_faint(&harness.output().shapes, &name, &mut faint);
                tooltips += usize::from(count > before);
                hovered += 1;
            }
        }
    }
    assert!(tooltips > 30 && hovered > 60, "{tooltips} tooltips of {hovered} controls were found");
    report(&faint);
}

/// Returns the rectangles of clickable controls.
fn controls(harness: &Harness<'_>) -> impl Iterator<Item = Rect> {
    use egui::accesskit::Role;
    let roles = [Role::Button, Role::CheckBox, Role::RadioButton];
    let found: Vec<Rect> =
        roles.into_iter().flat_map(|role| harness.query_all_by_role(role)).map(|node| node.rect()).collect();
    found.into_iter()
}

/// Fails if there are colors with too little contrast.
fn report(faint: &Faint) {
    let line =
        |(colors, (contrast, text)): (&String, &(f32, String))| format!("{contrast:.2} {colors}: {text}");
    let lines: Vec<String> = faint.iter().map(line).collect();
    assert!(lines.is_empty(), "{} pairs of colors:\n{}", lines.len(), lines.join("\n"));
}

#[test]
fn contrast_is_that_of_the_standard() {
    let grey = Color32::from_gray(0x76);
    assert!((contrast(Color32::BLACK, &[Color32::WHITE]) - 21.0).abs() < 0.01);
    assert!((contrast(grey, &[Color32::WHITE]) - 4.54).abs() < 0.01);
    assert!(contrast(Color32::WHITE, &[]) < 1.01 && contrast(grey, &[]) < 1.01);
    let backdrop = Color32::from_black_alpha(170);
    assert!((4.5..12.0).contains(&contrast(Color32::WHITE, &[backdrop])));
}
