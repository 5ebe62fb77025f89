//! What stands beside the scene: how is solved, what came of it, clips, shapes and what is shown.

use egui::{Color32, RichText, Slider, Ui};

use crate::ik::{Method, Options, Start};
use crate::render::Mode;

use crate::skin::Skinning;

use super::{Command, Display, PoseFile, Session};

/// Points across.
pub(super) const WIDTH: f32 = 264.0;
const ACCENT: Color32 = Color32::from_rgb(255, 158, 64);
const QUIET: Color32 = Color32::from_rgb(140, 148, 164);
const GOOD: Color32 = Color32::from_rgb(118, 205, 130);
const KEYS: [(&str, &str); 19] = [
    ("Left drag", "pull what is under the pointer"),
    ("Shift + move", "pull without a button"),
    ("Wheel in a drag", "push nearer or farther"),
    ("X  Y  Z", "keep the drag on an axis"),
    ("Ctrl", "move in steps"),
    ("Esc", "cancel the drag"),
    ("P  B", "pin the joint, hold it as base"),
    ("R, Shift + R", "chain, joint back to rest"),
    ("Ctrl + Z", "undo; with Shift redo"),
    ("Empty space, Alt + left", "turn"),
    ("Middle, right drag", "move the camera"),
    ("Wheel", "zoom to the pointer"),
    ("Double click, F", "turn around it, frame all"),
    ("0 1 2 3 4", "CCD, particle, Euler, quaternions, FABRIK"),
    ("5 6 7 8 9", "two-bone, fused, optimize, full body, auto"),
    ("S  Space  Tab  ?", "skeleton, play, panel, keys"),
    ("Left, Right, F5", "other files of the folder, read again"),
    ("F12, Ctrl + S", "save a picture, the pose"),
    ("Ctrl + Q", "close"),
];

/// What only the panel remembers.
#[derive(Debug, Default)]
pub(super) struct Look {
    pub(super) hidden: bool,
    pub(super) keys: bool,
    pub(super) adapter: String,
    /// What went wrong outside the session: a file that could not be read.
    pub(super) notice: Option<String>,
    /// Where the last file went.
    pub(super) saved: Option<String>,
    /// What was asked of the window.
    pub(super) wish: Option<Wish>,
}

/// What the window does, not the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    Picture,
    Pose(PoseFile),
    /// The next file of the folder, or the one before.
    Step(bool),
    Reload,
}

/// Dark, quiet, one accent.
pub(super) fn style(context: &egui::Context) {
    let mut visuals = egui::Visuals::dark();
    visuals.panel_fill = Color32::from_rgb(24, 26, 32);
    visuals.window_fill = Color32::from_rgb(28, 30, 37);
    visuals.selection.bg_fill = Color32::from_rgb(176, 96, 24);
    visuals.slider_trailing_fill = true;
    visuals.hyperlink_color = ACCENT;
    context.set_visuals(visuals);
    context.all_styles_mut(|style| {
        style.spacing.item_spacing = egui::vec2(8.0, 6.0);
        style.spacing.slider_width = 120.0;
    });
}

/// Lays everything out; what was asked for.
pub(super) fn show(ui: &mut Ui, session: &Session, look: &mut Look) -> Vec<Command> {
    let mut asked = Vec::new();
    labels(ui, session);
    if look.keys {
        keys(ui, look);
    }
    if look.hidden {
        return asked;
    }
    let frame = egui::Frame::side_top_panel(ui.style()).inner_margin(14.0);
    egui::Panel::right("panel").resizable(false).exact_size(WIDTH).frame(frame).show(ui, |ui| {
        egui::ScrollArea::vertical().show(ui, |ui| {
            character(ui, session, &mut asked);
            files(ui, look);
            solver(ui, session, &mut asked);
            report(ui, session, look);
            clips(ui, session, &mut asked);
            morphs(ui, session, &mut asked);
            display(ui, session, &mut asked);
            ui.add_space(10.0);
            ui.label(RichText::new(&look.adapter).small().color(QUIET));
            if ui.small_button("?  keys").clicked() {
                look.keys = !look.keys;
            }
        });
    });
    asked
}

fn heading(ui: &mut Ui, text: &str) {
    ui.add_space(10.0);
    ui.label(RichText::new(text.to_uppercase()).small().strong().color(ACCENT));
}

fn character(ui: &mut Ui, session: &Session, asked: &mut Vec<Command>) {
    let character = session.puppet.character();
    let name = character.path.file_name().map_or_else(|| "sinew".into(), |n| n.to_string_lossy());
    ui.label(RichText::new(name).heading());
    ui.horizontal(|ui| {
        if ui.add_enabled(session.history.can_undo(), egui::Button::new("Undo")).clicked() {
            asked.push(Command::Undo);
        }
        if ui.add_enabled(session.history.can_redo(), egui::Button::new("Redo")).clicked() {
            asked.push(Command::Redo);
        }
        if ui.button("Rest").clicked() {
            asked.push(Command::RestAll);
        }
        if ui.button("Let go").clicked() {
            asked.push(Command::LetGo);
        }
    });
    egui::CollapsingHeader::new(format!("{} chains", session.puppet.rig.chains.len())).show(ui, |ui| {
        for chain in &session.puppet.rig.chains {
            let label = |n: usize| character.skeleton.label(n);
            ui.label(&chain.name).on_hover_text(format!(
                "{} to {}",
                label(chain.base),
                label(chain.effector)
            ));
        }
    });
}

/// Buttons for what the window does.
fn files(ui: &mut Ui, look: &mut Look) {
    heading(ui, "Save");
    ui.horizontal(|ui| {
        let mut button = |text: &str, hint: &str, wish: Wish| {
            if ui.button(text).on_hover_text(hint).clicked() {
                look.wish = Some(wish);
            }
        };
        button("Picture", "F12: the scene as PNG", Wish::Picture);
        button("Pose", "Ctrl + S: every joint as JSON", Wish::Pose(PoseFile::Json));
        button("Posed .glb", "a copy of the model in this pose", Wish::Pose(PoseFile::Glb));
    });
    if let Some(saved) = &look.saved {
        ui.label(RichText::new(saved).small().color(GOOD));
    }
}

fn solver(ui: &mut Ui, session: &Session, asked: &mut Vec<Command>) {
    heading(ui, "Solver");
    let options = session.options;
    egui::ComboBox::from_id_salt("method").width(WIDTH - 44.0).selected_text(options.method.name()).show_ui(
        ui,
        |ui| {
            for method in std::iter::once(Method::Auto).chain(Method::ALL) {
                if ui.selectable_label(options.method == method, method.name()).clicked() {
                    asked.push(Command::Method(method));
                }
            }
        },
    );
    let mut iterations = options.iterations;
    if ui.add(Slider::new(&mut iterations, 1..=500).logarithmic(true).text("iterations")).changed() {
        asked.push(Command::Iterations(iterations));
    }
    let mut tolerance = options.tolerance.unwrap_or(1e-4) * 1e3;
    if ui.add(Slider::new(&mut tolerance, 0.001..=50.0).logarithmic(true).text("mm")).changed() {
        asked.push(Command::Tolerance(Some(tolerance * 1e-3)));
    }
    if options.method == Method::Dls {
        let mut damping = options.jacobian.damping.unwrap_or(0.05);
        if ui.add(Slider::new(&mut damping, 0.001..=1.0).logarithmic(true).text("damping")).changed() {
            asked.push(Command::Damping(Some(damping)));
        }
    }
    let mut check = |ui: &mut Ui, on: bool, text: &str, command: fn(bool) -> Command| {
        let mut on = on;
        if ui.checkbox(&mut on, text).changed() {
            asked.push(command(on));
        }
    };
    check(ui, options.limits, "joint limits", Command::Limits);
    check(ui, session.keep, "keep goals on release", Command::Keep);
    let from_rest = |on: bool| Command::Start(if on { Start::Rest } else { Start::Current });
    check(ui, options.start == Start::Rest, "start from rest", from_rest);
    if options != (Options { method: options.method, restarts: 0, ..Options::default() })
        && ui.small_button("defaults").clicked()
    {
        let usual = Options::default();
        asked.extend([
            Command::Iterations(usual.iterations),
            Command::Tolerance(None),
            Command::Damping(None),
        ]);
        asked.extend([Command::Limits(usual.limits), Command::Start(usual.start)]);
    }
}

fn report(ui: &mut Ui, session: &Session, look: &Look) {
    heading(ui, "Report");
    for error in session.error.iter().chain(&look.notice) {
        ui.label(RichText::new(error).color(Color32::from_rgb(244, 112, 96)));
    }
    for report in &session.reports {
        let reached = report.outcome == crate::ik::Outcome::Reached;
        let label = session.puppet.character().skeleton.label(report.node);
        ui.horizontal(|ui| {
            ui.label(RichText::new(label).strong());
            ui.label(RichText::new(report.outcome.to_string()).color(if reached { GOOD } else { ACCENT }));
        });
        let error = report.position_error.map_or_else(String::new, |e| format!("{:.2} mm   ", e * 1e3));
        let line = format!("{error}{} passes   {:.0} µs", report.iterations, report.seconds * 1e6);
        ui.label(RichText::new(line).small().color(QUIET));
    }
    if session.reports.is_empty() && session.error.is_none() {
        ui.label(RichText::new("Grab anything and pull.").color(QUIET));
    }
    curve(ui, &session.costs);
}

/// Time of the last updates, the highest at the top.
fn curve(ui: &mut Ui, costs: &[f32]) {
    let Some(&last) = costs.last() else { return };
    let (rect, _) = ui.allocate_exact_size(egui::vec2(WIDTH - 36.0, 36.0), egui::Sense::hover());
    let most = costs.iter().copied().fold(1.0, f32::max);
    #[expect(clippy::cast_precision_loss, reason = "a hundred points")]
    let at = |(i, cost): (usize, &f32)| {
        egui::pos2(rect.left() + rect.width() * i as f32 / 119.0, rect.bottom() - rect.height() * cost / most)
    };
    ui.painter().rect_filled(rect, 4.0, Color32::from_rgb(18, 20, 25));
    ui.painter().line(costs.iter().enumerate().map(at).collect(), egui::Stroke::new(1.5, ACCENT));
    ui.label(RichText::new(format!("update {last:.0} µs, at most {most:.0} µs")).small().color(QUIET));
}

fn clips(ui: &mut Ui, session: &Session, asked: &mut Vec<Command>) {
    let clips = &session.puppet.character().clips;
    if clips.is_empty() {
        return;
    }
    heading(ui, "Clip");
    let name = |i: usize| clips.get(i).and_then(|c| c.name.clone()).unwrap_or_else(|| format!("#{i}"));
    let now = session.puppet.clip;
    let shown = now.map_or_else(|| "none".to_owned(), |(c, _)| name(c));
    egui::ComboBox::from_id_salt("clip").width(WIDTH - 44.0).selected_text(shown).show_ui(ui, |ui| {
        if ui.selectable_label(now.is_none(), "none").clicked() {
            asked.push(Command::Clip(None));
        }
        for clip in 0..clips.len() {
            if ui.selectable_label(now.is_some_and(|(c, _)| c == clip), name(clip)).clicked() {
                asked.push(Command::Clip(Some(clip)));
            }
        }
    });
    let Some((_, mut time)) = now else { return };
    if ui.add(Slider::new(&mut time, 0.0..=session.clip_seconds().max(1e-3)).text("s")).changed() {
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
    });
}

fn morphs(ui: &mut Ui, session: &Session, asked: &mut Vec<Command>) {
    if session.state.held.weights.is_empty() {
        return;
    }
    heading(ui, "Shapes");
    for (place, weight) in session.state.held.weights.iter().enumerate() {
        let mut weight = *weight;
        if ui.add(Slider::new(&mut weight, 0.0..=1.0).text(format!("{place}"))).changed() {
            asked.push(Command::Morph(place, weight));
        }
    }
}

fn display(ui: &mut Ui, session: &Session, asked: &mut Vec<Command>) {
    heading(ui, "Display");
    let Display { mut skeleton, mut names, mut ground, mut shadow } = session.display;
    ui.horizontal_wrapped(|ui| {
        for mode in Mode::ALL.into_iter().filter(|m| *m != Mode::Skeleton) {
            if ui.selectable_label(session.mode == mode, mode.name()).clicked() {
                asked.push(Command::Mode(mode));
            }
        }
    });
    ui.horizontal_wrapped(|ui| {
        ui.label("skinning");
        for skinning in Skinning::ALL {
            if ui.selectable_label(session.puppet.skinning == skinning, skinning.name()).clicked() {
                asked.push(Command::Skinning(skinning));
            }
        }
    });
    egui::Grid::new("display").num_columns(2).show(ui, |ui| {
        ui.checkbox(&mut skeleton, "skeleton");
        ui.checkbox(&mut names, "names");
        ui.end_row();
        ui.checkbox(&mut ground, "ground");
        ui.checkbox(&mut shadow, "shadow");
    });
    let wanted = Display { skeleton, names, ground, shadow };
    if wanted != session.display {
        asked.push(Command::Display(wanted));
    }
}

fn keys(ui: &Ui, look: &mut Look) {
    let window = egui::Window::new("Keys").open(&mut look.keys).resizable(false).collapsible(false);
    window.show(ui.ctx(), |ui| {
        egui::Grid::new("keys").num_columns(2).spacing([18.0, 5.0]).show(ui, |ui| {
            for (key, what) in KEYS {
                ui.label(RichText::new(key).strong().color(ACCENT));
                ui.label(what);
                ui.end_row();
            }
        });
    });
}

/// Names in the scene: what would be grabbed, and of all handles if asked.
fn labels(ui: &Ui, session: &Session) {
    let scale = ui.ctx().pixels_per_point();
    let skeleton = &session.puppet.character().skeleton;
    let write = |point: glam::Vec3, text: &str, color: Color32| {
        let Some(at) = crate::picking::pixel(&session.camera(), point, session.size()) else { return };
        let at = egui::pos2(at.x / scale + 14.0, at.y / scale - 10.0);
        let font = egui::FontId::proportional(13.0);
        let galley = ui.painter().layout_no_wrap(text.to_owned(), font, color);
        let behind = egui::Rect::from_min_size(at, galley.size()).expand2(egui::vec2(6.0, 3.0));
        ui.painter().rect_filled(behind, 5.0, Color32::from_rgba_unmultiplied(16, 18, 24, 205));
        ui.painter().galley(at, galley, color);
    };
    if session.display.names {
        for &node in &session.handles {
            let place = session.puppet.world_from_node().get(node).map(|m| m.translation.into());
            place.into_iter().for_each(|p| write(p, &skeleton.label(node), QUIET));
        }
    }
    if let (None, Some(hit)) = (&session.hand, session.hover) {
        let base = super::hand::chain_base(session.puppet.character(), &session.puppet.rig, &hit);
        let chains = &session.puppet.rig.chains;
        let chain = chains.iter().find(|c| Some(c.base) == base && c.joints.contains(&hit.node));
        let chain = chain.map_or_else(String::new, |c| format!("   {}", c.name));
        write(hit.point, &format!("{}{chain}", skeleton.label(hit.node)), Color32::WHITE);
    }
}
