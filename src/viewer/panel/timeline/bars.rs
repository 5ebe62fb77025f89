//! Bars: clips as blocks, one passing into the next.

use egui::{Rect, Ui, pos2};

use super::super::super::Session;
use super::super::super::timeline::{Grip, Item, Ruler, end, overlap};
use super::super::clips;
use super::{Line, draw, part};

/// Points at an end of a bar that are that end.
const END: f32 = 8.0;

/// All bars, and what can be taken of them: ends before bodies, later ones before earlier ones.
pub(super) fn show(ui: &Ui, session: &Session, (ruler, lane): (&Ruler, Rect), line: &mut Line) {
    let (motion, all) = (&session.puppet.motion, &session.puppet.character().clips);
    let block = |place: usize| {
        let bar = motion.bars.get(place)?;
        let (left, right) = (ruler.x(bar.start), ruler.x(end(bar, all)));
        let lower = pos2(right.max(left + 2.0), lane.bottom() - 3.0);
        Some(Rect::from_min_max(pos2(left, lane.top() + 3.0), lower))
    };
    let mut lit = vec![false; motion.bars.len()];
    for (place, bar) in motion.bars.iter().enumerate() {
        let Some(rect) = block(place) else { continue };
        let name = clips::names(session, &bar.clips);
        let name = format!("{name}\n{:.2} – {:.2} s", bar.start, end(bar, all));
        lit[place] |= part(ui, Grip::Whole(Item::Bar(place)), rect, ruler, motion, line, &name);
    }
    for (place, bar) in motion.bars.iter().enumerate() {
        let Some(rect) = block(place) else { continue };
        let (wide, name) = (END.min(rect.width() / 4.0), clips::names(session, &bar.clips));
        let first = Rect::from_min_max(rect.min, pos2(rect.left() + wide, rect.bottom()));
        let last = Rect::from_min_max(pos2(rect.right() - wide, rect.top()), rect.max);
        let item = Item::Bar(place);
        lit[place] |= part(ui, Grip::First(item), first, ruler, motion, line, &format!("start of {name}"));
        lit[place] |= part(ui, Grip::Last(item), last, ruler, motion, line, &format!("end of {name}"));
    }
    for (place, bar) in motion.bars.iter().enumerate() {
        let Some(rect) = block(place) else { continue };
        let next = motion.bars.get(place + 1).map_or(f32::INFINITY, |b| ruler.x(b.start));
        let whole = ruler.x(bar.start + overlap(motion, place, all));
        if let Some(before) = place.checked_sub(1).and_then(block) {
            draw::gap(ui, before.right(), rect.left(), lane.center().y);
        }
        let shape = draw::Block {
            rect,
            whole,
            next,
            shares: &bar.clips,
            name: clips::names(session, &bar.clips),
            selected: line.selected == Some(Item::Bar(place)),
            lit: lit[place],
        };
        draw::block(ui, &shape);
        draw::rounds(ui, ruler, bar, all, rect);
    }
}
