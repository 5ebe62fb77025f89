//! Draws the parts of the timeline.

use egui::epaint::Mesh;
use egui::text::{LayoutJob, TextWrapping};
use egui::{
    Align2, Color32, CornerRadius, FontId, Pos2, Rect, Response, Sense, Shape, Stroke, StrokeKind, Ui, pos2,
    vec2,
};

use crate::Timeline;
use crate::asset::Clip;
use crate::motion::{Edit, Strip, WeightedClip, ease};
use crate::panel::theme;

use super::ruler::Ruler;

/// Number of line segments of a curve.
const SEGMENTS: u8 = 24;
/// Maximum number of ruler lines, and of loop marks of a strip.
const MAX_LINES: usize = 400;
/// Corner radius in points.
const RADIUS: u8 = 6;

/// The geometry and appearance of a clip strip.
pub(super) struct StripShape<'a> {
    pub(super) rect: Rect,
    /// X coordinate in points where the strip's weight reaches one.
    pub(super) full: f32,
    /// X coordinate where the next strip begins.
    pub(super) next: f32,
    pub(super) weighted_clips: &'a [WeightedClip],
    pub(super) name: String,
    pub(super) selected: bool,
    pub(super) is_highlighted: bool,
}

/// Draws the ruler in `top` and the background of the lanes. Times outside `shown`, the part that plays, are darker.
pub(super) fn background(
    ui: &Ui,
    ruler: &Ruler,
    timeline: &Timeline,
    top: Rect,
    lanes: Rect,
    shown: [f32; 2],
) {
    let (painter, quiet) = (ui.painter(), theme::quiet(ui));
    painter.rect_filled(lanes, RADIUS, ui.visuals().extreme_bg_color);
    let frames = ruler.frame_step(timeline.frame_rate);
    let (step, parts) = if timeline.frames {
        (frames / timeline.frame_rate, small_parts(ruler, frames, timeline.frame_rate))
    } else {
        (ruler.step(), 10)
    };
    let first = (ruler.from / step).floor();
    let font = FontId::proportional(12.0);
    let inside = top.left()..=top.right();
    for line in (0_u16..).take(MAX_LINES).map(|i| first + f32::from(i)) {
        let time = line * step;
        if time > ruler.from + 1.1 * ruler.seconds {
            break;
        }
        for small in (1..parts).map(|s| ruler.x(time + step * f32::from(s) / f32::from(parts))) {
            if inside.contains(&small) {
                painter.vline(small, top.bottom() - 3.0..=top.bottom(), (1.0, quiet.gamma_multiply(0.35)));
            }
        }
        let x = ruler.x(time);
        if !inside.contains(&x) || time < 0.0 {
            continue;
        }
        painter.vline(x, top.bottom() - 7.0..=top.bottom(), (1.0, quiet.gamma_multiply(0.8)));
        painter.vline(x, lanes.y_range(), (1.0, quiet.gamma_multiply(0.12)));
        let digits = if step < 0.095 { 2 } else { usize::from(step < 0.95) };
        let at = pos2(x + 4.0, top.bottom() - 5.0);
        let label =
            if timeline.frames { format!("{:.0}", line * frames) } else { format!("{time:.digits$} s") };
        painter.text(at, Align2::LEFT_BOTTOM, label, font.clone(), quiet);
    }
    let [from, to] = shown.map(|time| ruler.x(time).clamp(lanes.left(), lanes.right()));
    let fill = ui.visuals().panel_fill.gamma_multiply(0.6);
    let sides = CornerRadius { ne: RADIUS, se: RADIUS, ..CornerRadius::ZERO };
    painter.rect_filled(Rect::from_min_max(pos2(to, lanes.top()), lanes.max), sides, fill);
    if shown[0] > 0.0 {
        let sides = CornerRadius { nw: RADIUS, sw: RADIUS, ..CornerRadius::ZERO };
        painter.rect_filled(Rect::from_min_max(lanes.min, pos2(from, lanes.bottom())), sides, fill);
    }
}

/// Returns the number of parts into which small marks divide the distance between two labels. Each part consists of whole frames.
fn small_parts(ruler: &Ruler, frames: f32, frame_rate: f32) -> u8 {
    /// Minimum distance between small marks in points.
    const MIN_DISTANCE: f32 = 5.0;
    let width = frames / frame_rate / ruler.seconds * ruler.width;
    let is_whole = |parts: &u8| (frames / f32::from(*parts)).fract() == 0.0;
    let fits = |parts: &u8| width / f32::from(*parts) >= MIN_DISTANCE;
    [10, 5, 4, 2].into_iter().find(|parts| is_whole(parts) && fits(parts)).unwrap_or(1)
}

/// Draws the marker of the current time.
pub(super) fn playhead(ui: &Ui, x: f32, top: Rect, bottom: f32) {
    let (painter, accent) = (ui.painter(), theme::accent(ui));
    let y = top.bottom() - 9.0;
    painter.vline(x, y..=bottom, (1.5, accent));
    let head = [vec2(-5.5, -7.0), vec2(5.5, -7.0), vec2(5.5, -1.0), vec2(0.0, 6.0), vec2(-5.5, -1.0)];
    let head = head.map(|v| pos2(x, y) + v).to_vec();
    painter.add(Shape::convex_polygon(head, accent, Stroke::NONE));
}

/// Draws a dashed line between two strips, where the last pose of the first strip is held.
pub(super) fn gap(ui: &Ui, from: f32, to: f32, y: f32) {
    if to > from {
        let line = [pos2(from, y), pos2(to, y)];
        let stroke = Stroke::new(1.5, theme::quiet(ui).gamma_multiply(0.5));
        ui.painter().extend(Shape::dashed_line(&line, stroke, 4.0, 3.0));
    }
}

/// Draws a clip strip. The curve of its weight shows how it fades in over the strip before it.
pub(super) fn strip(ui: &Ui, shape: &StripShape<'_>) {
    let StripShape { rect, full, next, weighted_clips, ref name, selected, is_highlighted } = *shape;
    let painter = ui.painter();
    let main = weighted_clips.iter().max_by(|a, b| a.weight.total_cmp(&b.weight)).map_or(0, |s| s.clip);
    let (mut fill, edge, text) = theme::strip(ui, main);
    if is_highlighted || selected {
        fill = fill.lerp_to_gamma(edge, 0.22);
    }
    let full = full.clamp(rect.left(), rect.right());
    let fades_in = full - rect.left() > 0.5;
    let body = Rect::from_min_max(pos2(full, rect.top()), rect.max);
    let corners = if fades_in {
        CornerRadius { ne: RADIUS, se: RADIUS, ..CornerRadius::ZERO }
    } else {
        CornerRadius::same(RADIUS)
    };
    if fades_in {
        let x = |u: f32| rect.left() + u * (full - rect.left());
        let curve = curve(|u| pos2(x(u), rect.bottom() - ease(u) * rect.height()));
        painter.add(area_below(&curve, rect.bottom(), fill));
        painter.add(Shape::line(curve, Stroke::new(1.5, edge)));
    }
    painter.rect_filled(body, corners, fill);
    weight_stripe(ui, body, weighted_clips, corners);
    // The next strip covers the end of this strip, so the name must fit into the visible part.
    let visible = Rect::from_min_max(body.min, pos2(rect.right().min(next.max(full)), rect.bottom()));
    let job = LayoutJob {
        wrap: TextWrapping::truncate_at_width((visible.width() - 20.0).max(0.0)),
        ..LayoutJob::simple_singleline(name.clone(), FontId::proportional(12.5), text)
    };
    if visible.width() > 34.0 {
        let galley = painter.layout_job(job);
        let at = pos2(visible.left() + 12.0, visible.center().y - 0.5 * galley.size().y - 0.5);
        painter.galley(at, galley, text);
    }
    for x in [rect.left() + 4.0, rect.right() - 4.0] {
        if (selected || is_highlighted) && rect.width() > 30.0 {
            let grip = Rect::from_center_size(pos2(x, rect.center().y), vec2(2.0, 12.0));
            painter.rect_filled(grip, 1, text.gamma_multiply(0.7));
        }
    }
    let stroke = if selected { Stroke::new(2.0, theme::accent(ui)) } else { Stroke::new(1.0, edge) };
    let outline = if selected { rect } else { body };
    let corners = if selected { CornerRadius::same(RADIUS) } else { corners };
    painter.rect_stroke(outline, corners, stroke, StrokeKind::Inside);
}

/// Draws a stripe at the bottom of a strip, divided in proportion to the clips' weights.
fn weight_stripe(ui: &Ui, body: Rect, weighted_clips: &[WeightedClip], corners: CornerRadius) {
    let sum: f32 = weighted_clips.iter().map(|s| s.weight).sum();
    if weighted_clips.len() < 2 || sum <= 0.0 {
        return;
    }
    let stripe = Rect::from_min_max(pos2(body.left(), body.bottom() - 5.0), body.max);
    let painter = ui.painter().with_clip_rect(stripe.intersect(ui.clip_rect()));
    let mut x = body.left();
    for (i, weighted) in weighted_clips.iter().enumerate() {
        let to = x + body.width() * weighted.weight / sum;
        let (_, edge, _) = theme::strip(ui, weighted.clip);
        let corners = CornerRadius {
            sw: if i == 0 { corners.sw } else { 0 },
            se: if i + 1 == weighted_clips.len() { corners.se } else { 0 },
            ..CornerRadius::ZERO
        };
        let piece = Rect::from_min_max(pos2(x, stripe.top()), pos2(to, stripe.bottom()));
        painter.rect_filled(piece, corners, edge);
        x = to;
    }
}

/// Draws marks where a looping clip starts over.
pub(super) fn loop_marks(ui: &Ui, ruler: &Ruler, strip: &Strip, clips: &[Clip], rect: Rect) {
    let period = strip.cycle_seconds(clips) / strip.speed.abs();
    let Some(first) = strip.clips.first().filter(|_| strip.looping && period.is_finite()) else { return };
    if period / ruler.seconds * ruler.width < 6.0 {
        return;
    }
    let (_, edge, _) = theme::strip(ui, first.clip);
    let first_loop = if strip.speed < 0.0 { strip.from } else { strip.cycle_seconds(clips) - strip.from }
        / strip.speed.abs();
    let times = (0_u16..)
        .take(MAX_LINES)
        .map(|i| strip.start + first_loop.rem_euclid(period) + f32::from(i) * period);
    for x in times.map(|t| ruler.x(t)).take_while(|x| *x < rect.right() - 1.0) {
        if x > rect.left() + 1.0 {
            for y in [rect.top()..=rect.top() + 6.0, rect.bottom() - 6.0..=rect.bottom()] {
                ui.painter().vline(x, y, (1.5, edge));
            }
        }
    }
}

/// Draws the curve of an edit's weight over the edit's window. `top` and `floor` are the y coordinates of weights one
/// and zero.
pub(super) fn edit_window(ui: &Ui, ruler: &Ruler, edit: &Edit, top: f32, floor: f32, is_strong: bool) {
    let color = theme::accent(ui);
    for (from, to) in [(edit.time - edit.before, edit.time), (edit.time, edit.time + edit.after)] {
        let curve = curve(|u| {
            let time = from + u * (to - from);
            pos2(ruler.x(time), floor - edit.weight(time) * (floor - top))
        });
        ui.painter().add(area_below(
            &curve,
            floor,
            color.gamma_multiply(if is_strong { 0.28 } else { 0.16 }),
        ));
        ui.painter().add(Shape::line(curve, Stroke::new(1.0, color.gamma_multiply(0.55))));
    }
    if is_strong {
        for time in [edit.time - edit.before, edit.time + edit.after] {
            ui.painter().circle_filled(pos2(ruler.x(time), floor - 1.0), 3.0, color);
        }
    }
}

/// Draws the diamond of a key. `radius` is the distance in points from its center to its corners.
pub(super) fn diamond(ui: &Ui, center: Pos2, radius: f32, selected: bool, is_highlighted: bool) {
    let accent = theme::accent(ui);
    let radius = if is_highlighted || selected { radius + 1.0 } else { radius };
    let tips = [vec2(0.0, -radius), vec2(radius, 0.0), vec2(0.0, radius), vec2(-radius, 0.0)];
    let fill = if selected { ui.visuals().strong_text_color() } else { accent };
    let edge = if selected { accent } else { ui.visuals().extreme_bg_color };
    let tips = tips.map(|tip| center + tip).to_vec();
    ui.painter().add(Shape::convex_polygon(tips, fill, Stroke::new(1.5, edge)));
}

/// Draws the outline of a diamond, for a key that has no effect.
pub(super) fn hollow_diamond(ui: &Ui, center: Pos2, radius: f32) {
    let tips = [vec2(0.0, -radius), vec2(radius, 0.0), vec2(0.0, radius), vec2(-radius, 0.0)];
    let tips = tips.map(|tip| center + tip).to_vec();
    let stroke = Stroke::new(1.5, theme::quiet(ui));
    ui.painter().add(Shape::convex_polygon(tips, Color32::TRANSPARENT, stroke));
}

/// Shows the play button. Its symbols are drawn because the fonts have no glyphs for them.
pub(super) fn play(ui: &mut Ui, playing: bool, enabled: bool) -> Response {
    let sense = if enabled { Sense::click() } else { Sense::hover() };
    let (rect, button) = ui.allocate_exact_size(vec2(26.0, ui.spacing().interact_size.y), sense);
    let name = if playing { "Pause the motion" } else { "Play the motion" };
    button.widget_info(|| egui::WidgetInfo::labeled(egui::accesskit::Role::Button, enabled, name));
    let visuals = *ui.style().interact(&button);
    let ink = if enabled { visuals.fg_stroke.color } else { theme::quiet(ui).gamma_multiply(0.5) };
    ui.painter().rect_filled(rect, visuals.corner_radius, visuals.weak_bg_fill);
    let middle = rect.center();
    if playing {
        for x in [-3.5, 3.5] {
            let half = Rect::from_center_size(middle + vec2(x, 0.0), vec2(3.0, 10.0));
            ui.painter().rect_filled(half, 1, ink);
        }
    } else {
        let tips = [vec2(-4.0, -5.5), vec2(5.5, 0.0), vec2(-4.0, 5.5)].map(|tip| middle + tip);
        ui.painter().add(Shape::convex_polygon(tips.to_vec(), ink, Stroke::NONE));
    }
    button.on_hover_text("Space")
}

/// Samples a curve for parameters from 0 to 1.
fn curve(at: impl Fn(f32) -> Pos2) -> Vec<Pos2> {
    (0..=SEGMENTS).map(|i| at(f32::from(i) / f32::from(SEGMENTS))).collect()
}

/// Returns the mesh of the area between a curve and a floor.
fn area_below(curve: &[Pos2], floor: f32, color: Color32) -> Mesh {
    let mut mesh = Mesh::default();
    for (i, at) in (0_u32..).zip(curve) {
        mesh.colored_vertex(*at, color);
        mesh.colored_vertex(pos2(at.x, floor), color);
        if i > 0 {
            mesh.add_triangle(2 * i - 2, 2 * i - 1, 2 * i);
            mesh.add_triangle(2 * i - 1, 2 * i, 2 * i + 1);
        }
    }
    mesh
}
