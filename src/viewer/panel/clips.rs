//! The panel section for clips: playback, blending and root motion.

use egui::{Align, Button, Checkbox, Layout, Rect, RichText, Slider, Ui, UiBuilder, vec2};

use crate::motion::{Bar, Motion, Share, Travel};

use super::super::timeline::with_bar;
use super::super::{Command, Session};
use super::timeline::{push_change, push_edit};
use super::{INNER, Look, heading, pad, timeline};

/// Width reserved for a clip's name beside its slider, in points.
const NAME: f32 = 96.0;

/// Shows which clips play and how.
pub(super) fn show(ui: &mut Ui, session: &Session, look: &mut Look, commands: &mut Vec<Command>) {
    let clips = &session.puppet.character().clips;
    if clips.is_empty() {
        return;
    }
    let title = title(ui, session, look);
    let motion = &session.puppet.motion;
    let index = look.timeline.bar(motion);
    let bar = motion.bars.get(index);
    let shares = bar.map(|bar| bar.clips.as_slice());
    let shown = match shares {
        None => "None".to_owned(),
        Some([only]) => name(session, only.clip),
        Some(several) => format!("{} clips", several.len()),
    };
    let names =
        egui::ComboBox::from_id_salt("clip").width(INNER - 8.0).selected_text(shown).show_ui(ui, |ui| {
            if ui.selectable_label(shares.is_none(), "None").clicked() {
                commands.push(Command::Clip(None));
            }
            for clip in 0..clips.len() {
                let on = matches!(shares, Some([only]) if only.clip == clip);
                if ui.selectable_label(on, name(session, clip)).clicked() {
                    match bar.filter(|_| motion.bars.len() > 1) {
                        // The other clip strips stay.
                        Some(bar) => {
                            let clips = vec![Share { clip, weight: 1.0 }];
                            push_change(commands, with_bar(motion, index, Bar { clips, ..bar.clone() }));
                        }
                        None => commands.push(Command::Clip(Some(clip))),
                    }
                }
            }
        });
    names.response.labelled_by(title.id);
    let Some(bar) = bar else { return };
    blend(ui, session, (index, bar), title.id, commands);
    let mut time = session.puppet.time;
    if ui.add(Slider::new(&mut time, 0.0..=session.seconds().max(1e-3)).text("Time (s)")).changed() {
        commands.push(Command::Seek(time));
    }
    let mut speed = session.clock.speed;
    if ui.add(Slider::new(&mut speed, -2.0..=4.0).text("Speed")).changed() {
        commands.push(Command::Speed(speed));
    }
    ui.horizontal(|ui| {
        if ui.button(if session.clock.playing { "Pause" } else { "Play" }).clicked() {
            commands.push(Command::Play(!session.clock.playing));
        }
        let mut looping = session.clock.again;
        if ui.checkbox(&mut looping, "Loop").changed() {
            commands.push(Command::Loop(looping));
        }
        let mut in_place = bar.travel == Travel::Stripped;
        let checkbox = Checkbox::new(&mut in_place, "In place");
        if ui.add(checkbox).on_hover_text("Remove the root motion of the clip").changed() {
            let travel = if in_place { Travel::Stripped } else { Travel::Kept };
            push_change(commands, with_bar(motion, index, Bar { travel, ..bar.clone() }));
        }
        let mut plant = motion.plant;
        let checkbox = ui.checkbox(&mut plant, "Plant feet");
        if checkbox.on_hover_text("Keep feet from sliding while they are on the ground").changed() {
            push_change(commands, Motion { plant, ..motion.clone() });
        }
    });
}

/// Shows the heading and the toggle of the timeline.
fn title(ui: &mut Ui, session: &Session, look: &mut Look) -> egui::Response {
    let shown = timeline::is_shown(session, &look.timeline);
    let title = heading(ui, "Clip");
    let index = Rect::from_min_size(title.rect.left_top() - vec2(0.0, 5.0), vec2(INNER - 8.0, 20.0));
    let layout = Layout::right_to_left(Align::Center);
    ui.scope_builder(UiBuilder::new().max_rect(index).layout(layout), |ui| {
        let toggle = ui.add(Button::selectable(shown, RichText::new("Timeline").small()).small());
        if toggle.on_hover_text("Show the timeline below the scene").clicked() {
            look.timeline.is_open = Some(!shown);
        }
    });
    title
}

/// Shows the weights of a blend as a pad and as sliders, and the list of clips to add.
fn blend(
    ui: &mut Ui,
    session: &Session,
    (index, bar): (usize, &Bar),
    title: egui::Id,
    commands: &mut Vec<Command>,
) {
    let (motion, shares) = (&session.puppet.motion, bar.clips.as_slice());
    // A blend needs at least one positive weight.
    let is_blend = |clips: &Vec<Share>| clips.iter().any(|s| s.weight > 0.0);
    let with = |clips: Vec<Share>| with_bar(motion, index, Bar { clips, ..bar.clone() });
    let mut changed: Option<Vec<Share>> = None;
    if shares.len() > 1 {
        let labels: Vec<String> = shares.iter().map(|s| name(session, s.clip)).collect();
        let weights: Vec<f32> = shares.iter().map(|s| s.weight).collect();
        if let Some((pad, weights)) = pad::show(ui, &labels, &weights) {
            let blended = shares.iter().zip(weights).map(|(s, weight)| Share { weight, ..*s });
            push_edit(commands, &pad, || with(blended.collect()));
        }
        for (i, share) in shares.iter().enumerate() {
            ui.horizontal(|ui| {
                if ui.small_button("×").on_hover_text("Remove this clip from the blend").clicked() {
                    changed = Some([&shares[..i], &shares[i + 1..]].concat());
                }
                let mut weight = share.weight;
                ui.spacing_mut().slider_width = INNER - NAME - 82.0;
                let slider = Slider::new(&mut weight, 0.0..=1.0).max_decimals(2);
                let slider = ui.add(slider.text(name(session, share.clip)));
                let mut reweighted = shares.to_vec();
                reweighted.iter_mut().skip(i).take(1).for_each(|s| s.weight = weight);
                if is_blend(&reweighted) {
                    push_edit(commands, &slider, || with(reweighted));
                }
            });
        }
    }
    let more = egui::ComboBox::from_id_salt("blend").width(INNER - 8.0).selected_text("Blend with…");
    let more = more.show_ui(ui, |ui| {
        let is_played = |clip: usize| shares.iter().any(|s| s.clip == clip);
        for clip in (0..session.puppet.character().clips.len()).filter(|&c| !is_played(c)) {
            if ui.selectable_label(false, name(session, clip)).clicked() {
                changed = Some([shares, &[Share { clip, weight: 0.5 }]].concat());
            }
        }
    });
    more.response.labelled_by(title);
    if let Some(clips) = changed.filter(is_blend) {
        push_change(commands, with(clips));
    }
}

/// Describes the clips and weights of a clip strip. Some programs export clip names as `SKELETON|CLIP`, so only the
/// part after the last `|` is shown.
pub(super) fn names(session: &Session, shares: &[Share]) -> String {
    let sum: f32 = shares.iter().map(|s| s.weight).sum();
    let name = |share: &Share| {
        let full = name(session, share.clip);
        full.rsplit('|').find(|part| !part.is_empty()).unwrap_or(&full).to_owned()
    };
    match shares {
        [only] => name(only),
        several => {
            let one = |s: &Share| format!("{} {:.0} %", name(s), 100.0 * s.weight / sum);
            several.iter().map(one).collect::<Vec<_>>().join("  ")
        }
    }
}

/// Returns a clip's display name, or `#INDEX` if it has none.
pub(super) fn name(session: &Session, clip: usize) -> String {
    let clips = &session.puppet.character().clips;
    let name = clips.get(clip).and_then(|c| c.name.as_deref());
    name.map_or_else(|| format!("#{clip}"), super::name)
}
