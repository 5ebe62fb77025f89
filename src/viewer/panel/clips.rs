//! Clips and shapes.

use egui::{Checkbox, Slider, Ui};

use crate::asset::Character;
use crate::motion::{Bar, Motion, Share, Travel};

use super::super::{Command, Session};
use super::{INNER, heading};

/// Room for a slider beside a clip's name.
const NAME: f32 = 96.0;

/// The clips that run, and how.
pub(super) fn show(ui: &mut Ui, session: &Session, asked: &mut Vec<Command>) {
    let clips = &session.puppet.character().clips;
    if clips.is_empty() {
        return;
    }
    let title = heading(ui, "Clip");
    let motion = &session.puppet.motion;
    let shares = shares(motion);
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
                    asked.push(Command::Clip(Some(clip)));
                }
            }
        });
    names.response.labelled_by(title.id);
    let Some(shares) = shares else { return };
    blend(ui, session, shares, title.id, asked);
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
        if let [bar] = motion.bars.as_slice() {
            let mut stays = bar.travel == Travel::Stripped;
            let stay = Checkbox::new(&mut stays, "in place");
            if ui.add(stay).on_hover_text("takes the way over the ground out of the clip").changed() {
                let travel = if stays { Travel::Stripped } else { Travel::Kept };
                asked.push(with_bar(motion, Bar { travel, ..bar.clone() }));
            }
        }
        let mut plant = motion.plant;
        let planted = ui.checkbox(&mut plant, "plant feet");
        if planted.on_hover_text("a foot that stands stays where it stands").changed() {
            asked.push(Command::Motion(Box::new(Motion { plant, ..motion.clone() })));
        }
    });
}

/// What is blended: its weights, and what could be added.
fn blend(ui: &mut Ui, session: &Session, shares: &[Share], title: egui::Id, asked: &mut Vec<Command>) {
    let motion = &session.puppet.motion;
    let [bar] = motion.bars.as_slice() else { return };
    let mut changed: Option<Vec<Share>> = None;
    if shares.len() > 1 {
        for (place, share) in shares.iter().enumerate() {
            ui.horizontal(|ui| {
                if ui.small_button("×").on_hover_text("plays without it").clicked() {
                    changed = Some([&shares[..place], &shares[place + 1..]].concat());
                }
                let mut weight = share.weight;
                ui.spacing_mut().slider_width = INNER - NAME - 82.0;
                let slider = Slider::new(&mut weight, 0.0..=1.0).max_decimals(2);
                if ui.add(slider.text(name(session, share.clip))).changed() {
                    let mut shares = shares.to_vec();
                    shares.iter_mut().skip(place).take(1).for_each(|s| s.weight = weight);
                    changed = Some(shares);
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
    if let Some(clips) = changed.filter(|c| c.iter().any(|s| s.weight > 0.0)) {
        asked.push(with_bar(motion, Bar { clips, ..bar.clone() }));
    }
}

fn with_bar(motion: &Motion, bar: Bar) -> Command {
    Command::Motion(Box::new(Motion { bars: vec![bar], ..motion.clone() }))
}

/// What the first bar plays.
fn shares(motion: &Motion) -> Option<&[Share]> {
    motion.bars.first().map(|bar| bar.clips.as_slice())
}

fn name(session: &Session, clip: usize) -> String {
    let clips = &session.puppet.character().clips;
    clips.get(clip).and_then(|c| c.name.clone()).unwrap_or_else(|| format!("#{clip}"))
}

/// A slider for each morph weight.
pub(super) fn shapes(ui: &mut Ui, session: &Session, asked: &mut Vec<Command>) {
    if session.state.held.weights.is_empty() {
        return;
    }
    heading(ui, "Shapes");
    for (place, weight) in session.state.held.weights.iter().enumerate() {
        let mut weight = *weight;
        let name = shape_name(session.puppet.character(), place);
        if ui.add(Slider::new(&mut weight, 0.0..=1.0).text(name)).changed() {
            asked.push(Command::Morph(place, weight));
        }
    }
}

/// What the file calls a morph weight of a pose, else its place; after the node's name where several nodes have some.
fn shape_name(character: &Character, weight: usize) -> String {
    let skeleton = &character.skeleton;
    let Some((node, place)) = skeleton.morph_of(weight) else { return format!("#{weight}") };
    let mesh = skeleton.nodes.get(node).and_then(|n| character.meshes.get(n.mesh?));
    let name = mesh.and_then(|m| m.target_names.get(place)).filter(|name| !name.is_empty());
    let name = name.cloned().unwrap_or_else(|| format!("#{place}"));
    let several = skeleton.nodes.iter().filter(|n| !n.morph_weights.is_empty()).count() > 1;
    if several { format!("{} {name}", skeleton.label(node)) } else { name }
}
