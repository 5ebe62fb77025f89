//! Shows the panes of an arrangement.

use egui::{Color32, Margin, ScrollArea, Stroke, Ui, Visuals, WidgetText};
use egui_tiles::{Behavior, SimplificationOptions, TabState, Tabs, Tile, TileId, Tiles, UiResponse};

use crate::panel::{
    MARGIN, PanelState, clips, compare, display, inspector, light, overlays, props, report, solver, theme,
    timeline, tree,
};
use crate::panel::{capture, goals, hand, library, morph_targets};
use crate::{Command, Session};

use super::Pane;
use super::fit::GAP;

/// Height of a bar of tabs in points.
const TAB_BAR: f32 = 28.0;

/// The state that the panes show and change.
pub(super) struct Dock<'a> {
    pub(super) session: &'a Session,
    pub(super) panel: &'a mut PanelState,
    pub(super) commands: &'a mut Vec<Command>,
    pub(super) scene_tile: Option<TileId>,
    /// Whether the joint list is visible.
    pub(super) lists_joints: bool,
}

impl Dock<'_> {
    fn contents(&mut self, ui: &mut Ui, pane: Pane) {
        let Self { session, panel, commands, .. } = self;
        match pane {
            Pane::Scene | Pane::Timeline => {}
            Pane::Inspector => {
                inspector::show(ui, session, panel, commands);
                hand::show(ui, session, commands);
                props::show(ui, session, panel, commands);
                goals::show(ui, session, commands);
            }
            Pane::Clips => {
                clips::show(ui, session, panel, commands);
                morph_targets::show(ui, session, commands);
                capture::show(ui, panel);
            }
            Pane::Poses => library::show(ui, session, panel, commands),
            Pane::Joints => {
                self.lists_joints = true;
                tree::show(ui, session, panel, commands);
            }
            Pane::View => {
                display::show(ui, session, panel, commands);
                theme::choice(ui);
                light::show(ui, session, commands);
                display::about(ui, panel);
            }
            Pane::Solver => solver::show(ui, session, commands, &mut panel.request),
            Pane::Compare => {
                compare::show(ui, session, commands);
                report::show(ui, session, panel);
            }
        }
    }
}

impl Behavior<Pane> for Dock<'_> {
    fn pane_ui(&mut self, ui: &mut Ui, _: TileId, pane: &mut Pane) -> UiResponse {
        match pane {
            Pane::Scene => {
                self.panel.layout.scene = ui.max_rect();
                overlays(ui, self.session, self.panel, self.commands);
            }
            Pane::Timeline => {
                let frame = egui::Frame::side_top_panel(ui.style()).inner_margin(Margin::symmetric(14, 8));
                let show = |ui: &mut Ui| timeline::show(ui, self.session, self.panel, self.commands);
                ui.painter().rect_filled(ui.max_rect(), 0.0, ui.visuals().panel_fill);
                frame.show(ui, show);
            }
            _ => {
                ui.painter().rect_filled(ui.max_rect(), 0.0, ui.visuals().panel_fill);
                egui::Frame::NONE.inner_margin(MARGIN).show(ui, |ui| {
                    let area = ScrollArea::vertical().id_salt(*pane as u8).auto_shrink([false, false]);
                    area.show(ui, |ui| self.contents(ui, *pane));
                });
            }
        }
        UiResponse::None
    }

    fn tab_title_for_pane(&mut self, pane: &Pane) -> WidgetText {
        format!("{pane:?}").into()
    }

    fn is_tab_bar_visible(&self, _: TileId, tabs: &Tabs) -> bool {
        self.scene_tile.is_none_or(|scene| tabs.children != [scene])
    }

    fn is_tile_draggable(&self, tiles: &Tiles<Pane>, tile: TileId) -> bool {
        !matches!(tiles.get(tile), Some(Tile::Pane(Pane::Scene)))
    }

    fn tab_bar_height(&self, _: &egui::Style) -> f32 {
        TAB_BAR
    }

    fn gap_width(&self, _: &egui::Style) -> f32 {
        GAP
    }

    fn min_size(&self) -> f32 {
        120.0
    }

    fn simplification_options(&self) -> SimplificationOptions {
        SimplificationOptions { all_panes_must_have_tabs: true, ..Default::default() }
    }

    fn tab_outline_stroke(&self, _: &Visuals, _: &Tiles<Pane>, _: TileId, _: &TabState) -> Stroke {
        Stroke::NONE
    }

    fn tab_bar_color(&self, visuals: &Visuals) -> Color32 {
        theme::behind(visuals)
    }

    fn tab_text_color(&self, visuals: &Visuals, _: &Tiles<Pane>, _: TileId, state: &TabState) -> Color32 {
        if state.active { visuals.strong_text_color() } else { visuals.text_color() }
    }
}
