//! Clips.

use egui::{Align, Button, Checkbox, Layout, Rect, RichText, Slider, Ui, UiBuilder, vec2};

use crate::motion::{Bar, Motion, Share, Travel};

use super::super::timeline::with_bar;
use super::super::{Command, Session};
use super::timeline::{ask, change};
use super::{INNER, Look, heading, pad, timeline};

/// Room for a slider beside a clip's name.
const NAME: f32 = 96.0;

/// The clips that run, and how.
pub(super) fn show(ui: &mut Ui, session: &Session, look: &mut Look, asked: &mut Vec<Command>) {
    let clips = &session.puppet.character().clips;
    if clips.is_empty() {
        return;
    }
    let title = title(ui, session, look);
    let motion = &session.puppet.motion;
    let place = look.timeline.bar(motion);
    let bar = motion.bars.get(place);
    let shares = bar.map(|bar| bar.clips.as_slice());
    let shown = match shares {
        None => "none".to_owned(),
        Some([only]) => name(session, only.clip),
        Some(several) => format!("{} clips", several.len()),
    };
    let names =
        egui::ComboBox::from_id_salt("clip").width(INNER - 8.0).selected_text(shown).show_ui(ui, |ui| {
            if ui.selectable_label(shares.is_none(), "none").clicked() {
                asked.push(Command::Clip(None));
            }
            for clip in 0..clips.len() {
                let on = matches!(shares, Some([only]) if only.clip == clip);
                if ui.selectable_label(on, name(session, clip)).clicked() {
                    match bar.filter(|_| motion.bars.len() > 1) {
                        // One of several: the others stay.
                        Some(bar) => {
                            let clips = vec![Share { clip, weight: 1.0 }];
                            change(asked, with_bar(motion, place, Bar { clips, ..bar.clone() }));
                        }
                        None => asked.push(Command::Clip(Some(clip))),
                    }
                }
            }
        });
    names.response.labelled_by(title.id);
    let Some(bar) = bar else { return };
    blend(ui, session, (place, bar), title.id, asked);
    let mut time = session.puppet.time;
    if ui.add(Slider::new(&mut time, 0.0..=session.seconds().max(1e-3)).text("s")).changed() {
        asked.push(Command::Seek(time));
    }
    let mut speed = session.clock.speed;
    if ui.add(Slider::new(&mut speed, -2.0..=4.0).text("speed")).changed() {
        asked.push(Command::Speed(speed));
    }
    ui.horizontal(|ui| {
        if ui.button(if session.clock.playing { "Pause" } else { "Play" }).clicked() {
            asked.push(Command::Play(!session.clock.playing));
        }
        let mut again = session.clock.again;
        if ui.checkbox(&mut again, "loop").changed() {
            asked.push(Command::Loop(again));
        }
        let mut stays = bar.travel == Travel::Stripped;
        let stay = Checkbox::new(&mut stays, "in place");
        if ui.add(stay).on_hover_text("takes the way over the ground out of the clip").changed() {
            let travel = if stays { Travel::Stripped } else { Travel::Kept };
            change(asked, with_bar(motion, place, Bar { travel, ..bar.clone() }));
        }
        let mut plant = motion.plant;
        let planted = ui.checkbox(&mut plant, "plant feet");
        if planted.on_hover_text("a foot that stands stays where it stands").changed() {
            change(asked, Motion { plant, ..motion.clone() });
        }
    });
}

/// The heading, and whether there is a line of time.
fn title(ui: &mut Ui, session: &Session, look: &mut Look) -> egui::Response {
    let shown = timeline::is_shown(session, &look.timeline);
    let title = heading(ui, "Clip");
    let place = Rect::from_min_size(title.rect.left_top() - vec2(0.0, 5.0), vec2(INNER - 8.0, 20.0));
    let layout = Layout::right_to_left(Align::Center);
    ui.scope_builder(UiBuilder::new().max_rect(place).layout(layout), |ui| {
        let toggle = ui.add(Button::selectable(shown, RichText::new("timeline").small()).small());
        if toggle.on_hover_text("the motion on a line of time, under the picture").clicked() {
            look.timeline.wanted = Some(!shown);
        }
    });
    title
}

/// What is blended: a field for the weights and a slider for each, and what could be added.
fn blend(
    ui: &mut Ui,
    session: &Session,
    (place, bar): (usize, &Bar),
    title: egui::Id,
    asked: &mut Vec<Command>,
) {
    let (motion, shares) = (&session.puppet.motion, bar.clips.as_slice());
    // All weights zero are no blend.
    let counts = |clips: &Vec<Share>| clips.iter().any(|s| s.weight > 0.0);
    let with = |clips: Vec<Share>| with_bar(motion, place, Bar { clips, ..bar.clone() });
    let mut changed: Option<Vec<Share>> = None;
    if shares.len() > 1 {
        let labels: Vec<String> = shares.iter().map(|s| name(session, s.clip)).collect();
        let weights: Vec<f32> = shares.iter().map(|s| s.weight).collect();
        if let Some((pad, weights)) = pad::show(ui, &labels, &weights) {
            let pulled = shares.iter().zip(weights).map(|(s, weight)| Share { weight, ..*s });
            ask(asked, &pad, || with(pulled.collect()));
        }
        for (i, share) in shares.iter().enumerate() {
            ui.horizontal(|ui| {
                if ui.small_button("×").on_hover_text("plays without it").clicked() {
                    changed = Some([&shares[..i], &shares[i + 1..]].concat());
                }
                let mut weight = share.weight;
                ui.spacing_mut().slider_width = INNER - NAME - 82.0;
                let slider = Slider::new(&mut weight, 0.0..=1.0).max_decimals(2);
                let slider = ui.add(slider.text(name(session, share.clip)));
                let mut weighed = shares.to_vec();
                weighed.iter_mut().skip(i).take(1).for_each(|s| s.weight = weight);
                if counts(&weighed) {
                    ask(asked, &slider, || with(weighed));
                }
            });
        }
    }
    let more = egui::ComboBox::from_id_salt("blend").width(INNER - 8.0).selected_text("blend with …");
    let more = more.show_ui(ui, |ui| {
        let played = |clip: usize| shares.iter().any(|s| s.clip == clip);
        for clip in (0..session.puppet.character().clips.len()).filter(|&c| !played(c)) {
            if ui.selectable_label(false, name(session, clip)).clicked() {
                changed = Some([shares, &[Share { clip, weight: 0.5 }]].concat());
            }
        }
    });
    more.response.labelled_by(title);
    if let Some(clips) = changed.filter(counts) {
        change(asked, with(clips));
    }
}

/// What a bar plays, in words. Some programs put a skeleton's name and a stroke before a clip's: what is before the
/// last stroke is left out.
pub(super) fn names(session: &Session, shares: &[Share]) -> String {
    let sum: f32 = shares.iter().map(|s| s.weight).sum();
    let name = |share: &Share| {
        let whole = name(session, share.clip);
        whole.rsplit('|').find(|part| !part.is_empty()).unwrap_or(&whole).to_owned()
    };
    match shares {
        [only] => name(only),
        several => {
            let one = |s: &Share| format!("{} {:.0} %", name(s), 100.0 * s.weight / sum);
            several.iter().map(one).collect::<Vec<_>>().join("  ")
        }
    }
}

pub(super) fn name(session: &Session, clip: usize) -> String {
    let clips = &session.puppet.character().clips;
    let name = clips.get(clip).and_then(|c| c.name.as_deref());
    name.map_or_else(|| format!("#{clip}"), super::name)
}
