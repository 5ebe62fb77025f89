//! Clip strips on the timeline, with the crossfades between them.

use crate::Session;
use crate::arrange::{Grip, Item, end, overlap};
use crate::panel::clip_names;

use super::ruler::Lane;
use super::{TimelineState, draw, part};
use egui::{Rect, Ui, pos2};

/// Width in points of the draggable area at each end of a strip.
const END: f32 = 8.0;

/// Shows all strips and their grips. Where grips overlap, the ends of strips take precedence over bodies, and later strips over earlier ones.
pub(super) fn show(ui: &Ui, session: &Session, lane: Lane, state: &mut TimelineState) {
    let (ruler, motion, all) = (&lane.ruler, &session.puppet.motion, &session.puppet.character().clips);
    let strip_rect = |index: usize| {
        let strip = motion.strips.get(index)?;
        let (left, right) = (ruler.x(strip.start), ruler.x(end(strip, all)));
        let lower = pos2(right.max(left + 2.0), lane.rect.bottom() - 3.0);
        Some(Rect::from_min_max(pos2(left, lane.rect.top() + 3.0), lower))
    };
    let mut is_highlighted = vec![false; motion.strips.len()];
    for (index, strip) in motion.strips.iter().enumerate() {
        let Some(rect) = strip_rect(index) else { continue };
        let name = clip_names::names(session, &strip.clips);
        let name = format!("{name}\n{:.2} – {:.2} s", strip.start, end(strip, all));
        is_highlighted[index] |=
            part(ui, Grip::Whole(Item::Strip(index)), rect, ruler, || motion.clone(), state, &name);
    }
    for (index, strip) in motion.strips.iter().enumerate() {
        let Some(rect) = strip_rect(index) else { continue };
        let (width, name) = (END.min(rect.width() / 4.0), clip_names::names(session, &strip.clips));
        let first = Rect::from_min_max(rect.min, pos2(rect.left() + width, rect.bottom()));
        let last = Rect::from_min_max(pos2(rect.right() - width, rect.top()), rect.max);
        let item = Item::Strip(index);
        is_highlighted[index] |=
            part(ui, Grip::First(item), first, ruler, || motion.clone(), state, &format!("Start of {name}"));
        is_highlighted[index] |=
            part(ui, Grip::Last(item), last, ruler, || motion.clone(), state, &format!("End of {name}"));
    }
    for (index, strip) in motion.strips.iter().enumerate() {
        let Some(rect) = strip_rect(index) else { continue };
        let next = motion.strips.get(index + 1).map_or(f32::INFINITY, |b| ruler.x(b.start));
        let full = ruler.x(strip.start + overlap(motion, index, all));
        if let Some(before) = index.checked_sub(1).and_then(strip_rect) {
            draw::gap(ui, before.right(), rect.left(), lane.rect.center().y);
        }
        let shape = draw::StripShape {
            rect,
            full,
            next,
            weighted_clips: &strip.clips,
            name: clip_names::names(session, &strip.clips),
            selected: state.selected == Some(Item::Strip(index)),
            is_highlighted: is_highlighted[index],
        };
        draw::strip(ui, &shape);
        draw::loop_marks(ui, ruler, strip, all, rect);
    }
}
