//! The panel section for clips: playback, blending and root motion.

use egui::{Checkbox, Slider, Ui};

use crate::arrange::with_strip;
use crate::motion::{Motion, RootMotion, Strip, WeightedClip};
use crate::{Command, Session};

use super::timeline::{push_change, push_edit};
use super::{PanelState, blend_pad, clip_names, heading};

/// Width reserved for a clip's name beside its slider, in points.
const NAME: f32 = 96.0;

/// Shows the playing clips and their settings.
pub(super) fn show(ui: &mut Ui, session: &Session, panel: &mut PanelState, commands: &mut Vec<Command>) {
    let clips = &session.puppet.character().clips;
    if clips.is_empty() {
        return;
    }
    let title = heading(ui, "Clip");
    let motion = &session.puppet.motion;
    let index = panel.timeline.strip(motion);
    let strip = motion.strips.get(index);
    let weighted_clips = strip.map(|strip| strip.clips.as_slice());
    let shown = match weighted_clips {
        None => "None".to_owned(),
        Some([only]) => clip_names::name(session, only.clip),
        Some(several) => format!("{} clips", several.len()),
    };
    let names = egui::ComboBox::from_id_salt("clip")
        .width(ui.available_width() - 8.0)
        .selected_text(shown)
        .show_ui(ui, |ui| {
            if ui.selectable_label(weighted_clips.is_none(), "None").clicked() {
                commands.push(Command::Clip(None));
            }
            for clip in 0..clips.len() {
                let on = matches!(weighted_clips, Some([only]) if only.clip == clip);
                if ui.selectable_label(on, clip_names::name(session, clip)).clicked() {
                    match strip.filter(|_| motion.strips.len() > 1) {
                        // Keep the other clip strips.
                        Some(strip) => {
                            let clips = vec![WeightedClip { clip, weight: 1.0 }];
                            push_change(
                                commands,
                                with_strip(motion, index, Strip { clips, ..strip.clone() }),
                            );
                        }
                        None => commands.push(Command::Clip(Some(clip))),
                    }
                }
            }
        });
    names.response.labelled_by(title.id);
    let Some(strip) = strip else { return };
    blend(ui, session, index, strip, title.id, commands);
    let mut time = session.puppet.time;
    if ui.add(Slider::new(&mut time, 0.0..=session.puppet.seconds().max(1e-3)).text("Time (s)")).changed() {
        commands.push(Command::Seek(time));
    }
    let mut speed = session.document.settings.speed;
    if ui.add(Slider::new(&mut speed, -2.0..=4.0).text("Speed")).changed() {
        commands.push(Command::Speed(speed));
    }
    ui.horizontal(|ui| {
        if ui.button(if session.clock.playing { "Pause" } else { "Play" }).clicked() {
            commands.push(Command::Play(!session.clock.playing));
        }
        let mut looping = session.document.settings.looping;
        if ui.checkbox(&mut looping, "Loop").changed() {
            commands.push(Command::Looping(looping));
        }
        let mut in_place = strip.root_motion == RootMotion::InPlace;
        let checkbox = Checkbox::new(&mut in_place, "In place");
        if ui.add(checkbox).on_hover_text("Remove the root motion of the clip").changed() {
            let root_motion = if in_place { RootMotion::InPlace } else { RootMotion::Accumulate };
            push_change(commands, with_strip(motion, index, Strip { root_motion, ..strip.clone() }));
        }
        let mut plant = motion.plant;
        let checkbox = ui.checkbox(&mut plant, "Plant feet");
        if checkbox.on_hover_text("Keep feet from sliding while they are on the ground").changed() {
            push_change(commands, Motion { plant, ..motion.clone() });
        }
    });
}

/// Shows the weights of a blend as a pad and as sliders, and the list of clips to add.
fn blend(
    ui: &mut Ui,
    session: &Session,
    index: usize,
    strip: &Strip,
    title: egui::Id,
    commands: &mut Vec<Command>,
) {
    let (motion, weighted_clips) = (&session.puppet.motion, strip.clips.as_slice());
    // A blend needs at least one positive weight.
    let is_blend = |clips: &Vec<WeightedClip>| clips.iter().any(|s| s.weight > 0.0);
    let with = |clips: Vec<WeightedClip>| with_strip(motion, index, Strip { clips, ..strip.clone() });
    let mut changed: Option<Vec<WeightedClip>> = None;
    if weighted_clips.len() > 1 {
        let labels: Vec<String> = weighted_clips.iter().map(|s| clip_names::name(session, s.clip)).collect();
        let weights: Vec<f32> = weighted_clips.iter().map(|s| s.weight).collect();
        if let Some((pad, weights)) = blend_pad::show(ui, &labels, &weights) {
            let blended = weighted_clips.iter().zip(weights).map(|(s, weight)| WeightedClip { weight, ..*s });
            push_edit(commands, &pad, || with(blended.collect()));
        }
        for (i, weighted) in weighted_clips.iter().enumerate() {
            ui.horizontal(|ui| {
                if ui.small_button("×").on_hover_text("Remove this clip from the blend").clicked() {
                    changed = Some([&weighted_clips[..i], &weighted_clips[i + 1..]].concat());
                }
                let mut weight = weighted.weight;
                ui.spacing_mut().slider_width = ui.available_width() - NAME - 82.0;
                let slider = Slider::new(&mut weight, 0.0..=1.0).max_decimals(2);
                let slider = ui.add(slider.text(clip_names::name(session, weighted.clip)));
                let mut reweighted = weighted_clips.to_vec();
                reweighted.iter_mut().skip(i).take(1).for_each(|s| s.weight = weight);
                if is_blend(&reweighted) {
                    push_edit(commands, &slider, || with(reweighted));
                }
            });
        }
    }
    let more =
        egui::ComboBox::from_id_salt("blend").width(ui.available_width() - 8.0).selected_text("Blend with…");
    let more = more.show_ui(ui, |ui| {
        let is_played = |clip: usize| weighted_clips.iter().any(|s| s.clip == clip);
        for clip in (0..session.puppet.character().clips.len()).filter(|&c| !is_played(c)) {
            if ui.selectable_label(false, clip_names::name(session, clip)).clicked() {
                changed = Some([weighted_clips, &[WeightedClip { clip, weight: 0.5 }]].concat());
            }
        }
    });
    more.response.labelled_by(title);
    if let Some(clips) = changed.filter(is_blend) {
        push_change(commands, with(clips));
    }
}
