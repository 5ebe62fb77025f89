//! How the line looks.

use egui::epaint::Mesh;
use egui::text::{LayoutJob, TextWrapping};
use egui::{
    Align2, Color32, CornerRadius, FontId, Pos2, Rect, Response, Sense, Shape, Stroke, StrokeKind, Ui, pos2,
    vec2,
};

use crate::asset::Clip;
use crate::motion::{Bar, Edit, Share, ease};

use super::super::super::timeline::Ruler;
use super::super::theme;

/// Pieces of a curve.
const PIECES: u8 = 24;
/// Most lines of a ruler, and most rounds of a clip, that are drawn.
const MOST: usize = 400;
const ROUND: u8 = 6;

/// A bar as it is seen.
pub(super) struct Block<'a> {
    pub(super) rect: Rect,
    /// Where it has come in, points.
    pub(super) whole: f32,
    /// Where the next one begins.
    pub(super) next: f32,
    pub(super) shares: &'a [Share],
    pub(super) name: String,
    pub(super) selected: bool,
    pub(super) lit: bool,
}

/// Lanes, and times on the ruler; what is after the motion's end is in the shade.
pub(super) fn ground(ui: &Ui, ruler: &Ruler, (top, middle, bottom): (Rect, Rect, Rect), end: f32) {
    let (painter, quiet) = (ui.painter(), theme::quiet(ui));
    let lanes = middle.union(bottom);
    painter.rect_filled(lanes, ROUND, ui.visuals().extreme_bg_color);
    let step = ruler.step();
    let first = (ruler.from / step).floor();
    let font = FontId::proportional(10.0);
    let inside = top.left()..=top.right();
    for line in (0_u16..).take(MOST).map(|i| first + f32::from(i)) {
        let time = line * step;
        if time > ruler.from + 1.1 * ruler.seconds {
            break;
        }
        for small in (1_u8..10).map(|s| ruler.x(time + step * f32::from(s) / 10.0)) {
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
        painter.text(at, Align2::LEFT_BOTTOM, format!("{time:.digits$} s"), font.clone(), quiet);
    }
    let x = ruler.x(end).clamp(lanes.left(), lanes.right());
    let shade = Rect::from_min_max(pos2(x, lanes.top()), lanes.max);
    let sides = CornerRadius { ne: ROUND, se: ROUND, ..CornerRadius::ZERO };
    painter.rect_filled(shade, sides, ui.visuals().panel_fill.gamma_multiply(0.6));
}

/// Where time stands.
pub(super) fn playhead(ui: &Ui, x: f32, top: Rect, bottom: f32) {
    let (painter, accent) = (ui.painter(), theme::accent(ui));
    let y = top.bottom() - 9.0;
    painter.vline(x, y..=bottom, (1.5, accent));
    let head = [vec2(-5.5, -7.0), vec2(5.5, -7.0), vec2(5.5, -1.0), vec2(0.0, 6.0), vec2(-5.5, -1.0)];
    let head = head.map(|v| pos2(x, y) + v).to_vec();
    painter.add(Shape::convex_polygon(head, accent, Stroke::NONE));
}

/// Between bars the last pose of the former stays.
pub(super) fn gap(ui: &Ui, from: f32, to: f32, y: f32) {
    if to > from {
        let line = [pos2(from, y), pos2(to, y)];
        let stroke = Stroke::new(1.5, theme::quiet(ui).gamma_multiply(0.5));
        ui.painter().extend(Shape::dashed_line(&line, stroke, 4.0, 3.0));
    }
}

/// A bar: it comes in over the one before it along the curve of its weight.
pub(super) fn block(ui: &Ui, block: &Block<'_>) {
    let Block { rect, whole, next, shares, ref name, selected, lit } = *block;
    let painter = ui.painter();
    let main = shares.iter().max_by(|a, b| a.weight.total_cmp(&b.weight)).map_or(0, |s| s.clip);
    let (mut fill, edge, text) = theme::bar(ui, main);
    if lit || selected {
        fill = fill.lerp_to_gamma(edge, 0.22);
    }
    let whole = whole.clamp(rect.left(), rect.right());
    let comes = whole - rect.left() > 0.5;
    let body = Rect::from_min_max(pos2(whole, rect.top()), rect.max);
    let corners = if comes {
        CornerRadius { ne: ROUND, se: ROUND, ..CornerRadius::ZERO }
    } else {
        CornerRadius::same(ROUND)
    };
    if comes {
        let x = |u: f32| rect.left() + u * (whole - rect.left());
        let curve = curve(|u| pos2(x(u), rect.bottom() - ease(u) * rect.height()));
        painter.add(under(&curve, rect.bottom(), fill));
        painter.add(Shape::line(curve, Stroke::new(1.5, edge)));
    }
    painter.rect_filled(body, corners, fill);
    strip(ui, body, shares, corners);
    // The end fades out of what comes next.
    let seen = Rect::from_min_max(body.min, pos2(rect.right().min(next.max(whole)), rect.bottom()));
    let job = LayoutJob {
        wrap: TextWrapping::truncate_at_width((seen.width() - 20.0).max(0.0)),
        ..LayoutJob::simple_singleline(name.clone(), FontId::proportional(12.5), text)
    };
    if seen.width() > 34.0 {
        let galley = painter.layout_job(job);
        let at = pos2(seen.left() + 12.0, seen.center().y - 0.5 * galley.size().y - 0.5);
        painter.galley(at, galley, text);
    }
    for x in [rect.left() + 4.0, rect.right() - 4.0] {
        if (selected || lit) && rect.width() > 30.0 {
            let grip = Rect::from_center_size(pos2(x, rect.center().y), vec2(2.0, 12.0));
            painter.rect_filled(grip, 1, text.gamma_multiply(0.7));
        }
    }
    let stroke = if selected { Stroke::new(2.0, theme::accent(ui)) } else { Stroke::new(1.0, edge) };
    let outline = if selected { rect } else { body };
    let corners = if selected { CornerRadius::same(ROUND) } else { corners };
    painter.rect_stroke(outline, corners, stroke, StrokeKind::Inside);
}

/// Whose share of a bar is how large.
fn strip(ui: &Ui, body: Rect, shares: &[Share], corners: CornerRadius) {
    let sum: f32 = shares.iter().map(|s| s.weight).sum();
    if shares.len() < 2 || sum <= 0.0 {
        return;
    }
    let foot = Rect::from_min_max(pos2(body.left(), body.bottom() - 5.0), body.max);
    let painter = ui.painter().with_clip_rect(foot.intersect(ui.clip_rect()));
    let mut x = body.left();
    for (i, share) in shares.iter().enumerate() {
        let to = x + body.width() * share.weight / sum;
        let (_, edge, _) = theme::bar(ui, share.clip);
        let corners = CornerRadius {
            sw: if i == 0 { corners.sw } else { 0 },
            se: if i + 1 == shares.len() { corners.se } else { 0 },
            ..CornerRadius::ZERO
        };
        let piece = Rect::from_min_max(pos2(x, foot.top()), pos2(to, foot.bottom()));
        painter.rect_filled(piece, corners, edge);
        x = to;
    }
}

/// Where a clip starts again.
pub(super) fn rounds(ui: &Ui, ruler: &Ruler, bar: &Bar, clips: &[Clip], rect: Rect) {
    let round = bar.cycle(clips) / bar.speed.abs();
    let Some(first) = bar.clips.first().filter(|_| bar.again && round.is_finite()) else { return };
    if round / ruler.seconds * ruler.width < 6.0 {
        return;
    }
    let (_, edge, _) = theme::bar(ui, first.clip);
    let left = if bar.speed < 0.0 { bar.from } else { bar.cycle(clips) - bar.from } / bar.speed.abs();
    let times = (0_u16..).take(MOST).map(|i| bar.start + left.rem_euclid(round) + f32::from(i) * round);
    for x in times.map(|t| ruler.x(t)).take_while(|x| *x < rect.right() - 1.0) {
        if x > rect.left() + 1.0 {
            for y in [rect.top()..=rect.top() + 6.0, rect.bottom() - 6.0..=rect.bottom()] {
                ui.painter().vline(x, y, (1.5, edge));
            }
        }
    }
}

/// How much of an edit there is, over its window; `(top, floor)`: where all of it is, and nothing.
pub(super) fn bump(ui: &Ui, ruler: &Ruler, edit: &Edit, (top, floor): (f32, f32), strong: bool) {
    let color = theme::accent(ui);
    for (from, to) in [(edit.time - edit.before, edit.time), (edit.time, edit.time + edit.after)] {
        let curve = curve(|u| {
            let time = from + u * (to - from);
            pos2(ruler.x(time), floor - edit.weight(time) * (floor - top))
        });
        ui.painter().add(under(&curve, floor, color.gamma_multiply(if strong { 0.28 } else { 0.16 })));
        ui.painter().add(Shape::line(curve, Stroke::new(1.0, color.gamma_multiply(0.55))));
    }
    if strong {
        for time in [edit.time - edit.before, edit.time + edit.after] {
            ui.painter().circle_filled(pos2(ruler.x(time), floor - 1.0), 3.0, color);
        }
    }
}

pub(super) fn diamond(ui: &Ui, middle: Pos2, reach: f32, selected: bool, lit: bool) {
    let accent = theme::accent(ui);
    let reach = if lit || selected { reach + 1.0 } else { reach };
    let tips = [vec2(0.0, -reach), vec2(reach, 0.0), vec2(0.0, reach), vec2(-reach, 0.0)];
    let fill = if selected { ui.visuals().strong_text_color() } else { accent };
    let edge = if selected { accent } else { ui.visuals().extreme_bg_color };
    let tips = tips.map(|tip| middle + tip).to_vec();
    ui.painter().add(Shape::convex_polygon(tips, fill, Stroke::new(1.5, edge)));
}

/// Plays or pauses; the fonts have no such signs.
pub(super) fn play(ui: &mut Ui, playing: bool, enabled: bool) -> Response {
    let sense = if enabled { Sense::click() } else { Sense::hover() };
    let (rect, button) = ui.allocate_exact_size(vec2(26.0, ui.spacing().interact_size.y), sense);
    let name = if playing { "Pause the motion" } else { "Play the motion" };
    button.widget_info(|| egui::WidgetInfo::labeled(egui::accesskit::Role::Button, enabled, name));
    let looks = *ui.style().interact(&button);
    let ink = if enabled { looks.fg_stroke.color } else { theme::quiet(ui).gamma_multiply(0.5) };
    ui.painter().rect_filled(rect, looks.corner_radius, looks.weak_bg_fill);
    let middle = rect.center();
    if playing {
        for x in [-3.5, 3.5] {
            let bar = Rect::from_center_size(middle + vec2(x, 0.0), vec2(3.0, 10.0));
            ui.painter().rect_filled(bar, 1, ink);
        }
    } else {
        let tips = [vec2(-4.0, -5.5), vec2(5.5, 0.0), vec2(-4.0, 5.5)].map(|tip| middle + tip);
        ui.painter().add(Shape::convex_polygon(tips.to_vec(), ink, Stroke::NONE));
    }
    button.on_hover_text("Space")
}

fn curve(at: impl Fn(f32) -> Pos2) -> Vec<Pos2> {
    (0..=PIECES).map(|i| at(f32::from(i) / f32::from(PIECES))).collect()
}

/// What is between a curve and a floor.
fn under(curve: &[Pos2], floor: f32, color: Color32) -> Mesh {
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
