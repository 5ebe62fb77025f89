//! Desktop-specific parts of the window: dialogs, a file manager, a settings folder, and the creation of the window.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use etcetera::{AppStrategy, AppStrategyArgs, choose_app_strategy};
use rfd::AsyncFileDialog;
use winit::dpi::{LogicalSize, PhysicalSize};
use winit::event_loop::ActiveEventLoop;
use winit::window::{Window, WindowAttributes};

use crate::folder;
use crate::panel::PathPurpose;
use crate::platform::{block_on, fs, spawn};
use crate::project::EXTENSION;
use crate::render::{AdapterChoice, Gpu, RenderError};

use super::dialogs::DialogRequest;
use super::files::AppEvent;
use super::surface::Graphics;
use super::{App, scale};

/// Size of a new window, and its minimum size, in points.
const SIZE: LogicalSize<f64> = LogicalSize::new(1280.0, 800.0);
const MIN_SIZE: LogicalSize<f64> = LogicalSize::new(240.0, 180.0);
/// A window that would be larger than the monitor leaves 1/`MARGIN` of the monitor's width or height free for desktop bars.
const MARGIN: u32 = 12;

/// Whether saved files are in folders that a file manager can show.
pub(super) const HAS_FOLDERS: bool = true;
/// Whether a URL can contain a pose.
pub(super) const HAS_LINKS: bool = false;
/// Whether windows have a title bar and borders.
pub(super) const HAS_FRAMES: bool = true;

/// Returns the current user's folder for application state.
pub(super) fn settings_folder() -> Option<PathBuf> {
    let name =
        AppStrategyArgs { top_level_domain: String::new(), author: String::new(), app_name: "sinew".into() };
    choose_app_strategy(name).ok().map(|s| s.state_dir().unwrap_or_else(|| s.data_dir()))
}

/// Shows a folder in the desktop's file manager.
pub(super) fn open_folder(folder: &Path) -> io::Result<()> {
    open::that_detached(folder)
}

/// Returns the attributes of a new window.
pub(super) fn window_attributes(events: &ActiveEventLoop) -> WindowAttributes {
    Window::default_attributes()
        .with_title("sinew")
        .with_inner_size(initial_size(events))
        .with_min_inner_size(MIN_SIZE)
}

/// Opens an adapter that draws into a window of `size` pixels. The size is a parameter because querying a destroyed window panics.
pub(super) fn graphics(
    window: &Arc<Window>,
    size: PhysicalSize<u32>,
    events: &ActiveEventLoop,
    choice: &AdapterChoice,
) -> Result<Graphics, RenderError> {
    let display = || -> Box<dyn wgpu::wgt::WgpuHasDisplayHandle> { Box::new(events.owned_display_handle()) };
    let target = || wgpu::SurfaceTarget::from(Arc::clone(window));
    let (gpu, surface, offered) = Gpu::with_surface(choice, display, target)?;
    Graphics::new(gpu, surface, &offered, size)
}

/// Returns the size of a new window in pixels: [`SIZE`] at the monitor's scale factor, but limited to the monitor.
pub(crate) fn initial_size(events: &ActiveEventLoop) -> winit::dpi::Size {
    let monitor = events.primary_monitor().or_else(|| events.available_monitors().next());
    let Some(monitor) = monitor.filter(|m| m.size().width > 0 && m.size().height > 0) else {
        return SIZE.into();
    };
    clamped(SIZE.to_physical(monitor.scale_factor()), monitor.size()).into()
}

/// Limits a window size in pixels. A side that is longer than the monitor's side is reduced to the monitor's side minus the margin.
fn clamped(wanted: PhysicalSize<u32>, monitor: PhysicalSize<u32>) -> PhysicalSize<u32> {
    let side = |wanted: u32, whole: u32| if wanted <= whole { wanted } else { whole - whole / MARGIN };
    PhysicalSize::new(side(wanted.width, monitor.width), side(wanted.height, monitor.height))
}

impl App {
    /// Saves an image of the scene.
    pub(super) fn save_image(&mut self) {
        let save = |app: &mut Self, folder: &Path| {
            let open = app.open.as_mut()?;
            let (graphics, scale) = (&mut open.graphics, scale(&open.window));
            Some(app.session.save_image(&mut graphics.renderer, &graphics.model, scale, folder))
        };
        self.save_in_folder(save, None);
    }

    /// Does nothing, because a desktop program has no URL.
    pub(super) fn copy_link(&mut self) {}

    /// Opens the system's dialog and waits for it on another thread.
    pub(super) fn show_dialog(&self, purpose: PathPurpose, suggested: &Path) -> DialogRequest {
        let Some(open) = &self.open else { return DialogRequest::Refused };
        let mut dialog = AsyncFileDialog::new().set_parent(&open.window);
        let folder = if purpose == PathPurpose::Folder { Some(suggested) } else { suggested.parent() };
        if let Some(folder) = folder.filter(|folder| fs::is_dir(folder)) {
            dialog = dialog.set_directory(folder);
        }
        let name = suggested.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Some systems require that the dialog be created on the event loop's thread.
        match purpose {
            PathPurpose::Open => {
                let dialog = dialog.set_title("Open a character, a motion or a project");
                let dialog = dialog.add_filter("Characters, motion and projects", &folder::all_extensions());
                self.wait_for(purpose, dialog.pick_file())
            }
            PathPurpose::AddClips => {
                let dialog = dialog.set_title("Add the clips of a file");
                let dialog = dialog.add_filter("Motion", &folder::motion_extensions());
                self.wait_for(purpose, dialog.pick_file())
            }
            PathPurpose::AttachProp => {
                let dialog = dialog.set_title("Attach a model");
                self.wait_for(purpose, dialog.add_filter("Models", &folder::PROP_EXTENSIONS).pick_file())
            }
            PathPurpose::OpenStyle => {
                let dialog = dialog.set_title("Open a style").add_filter("Styles", &["json"]);
                self.wait_for(purpose, dialog.pick_file())
            }
            PathPurpose::SaveStyle => {
                let dialog = dialog.set_title("Save the style as").set_file_name(name);
                self.wait_for(purpose, dialog.add_filter("Styles", &["json"]).save_file())
            }
            PathPurpose::SaveAs => {
                let dialog = dialog.set_title("Save the project as").set_file_name(name);
                self.wait_for(purpose, dialog.add_filter("Projects", &[EXTENSION]).save_file())
            }
            PathPurpose::ExportClip => {
                let dialog = dialog.set_title("Export the clip as").set_file_name(name);
                let dialog = dialog.add_filter("glTF", &["glb"]).add_filter("BVH", &["bvh"]);
                self.wait_for(purpose, dialog.save_file())
            }
            PathPurpose::Folder => {
                let dialog = dialog.set_title("Folder for images and poses");
                self.wait_for(purpose, dialog.pick_folder())
            }
        }
    }

    fn wait_for(
        &self,
        purpose: PathPurpose,
        choice: impl Future<Output = Option<rfd::FileHandle>> + Send + 'static,
    ) -> DialogRequest {
        let proxy = self.files.proxy.clone();
        let wait = move || {
            let path = block_on(choice).flatten().map(|file| file.path().to_path_buf());
            // Sending fails only if the window has closed already.
            drop(proxy.send_event(AppEvent::Chosen(purpose, path)));
        };
        match spawn("dialog", wait) {
            Ok(_) => DialogRequest::Accepted,
            Err(_) => DialogRequest::Refused,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_window_fits_on_the_monitor() {
        let size = |scale: f64, monitor: (u32, u32)| -> (u32, u32) {
            clamped(SIZE.to_physical(scale), monitor.into()).into()
        };
        assert_eq!(size(1.0, (1920, 1080)), (1280, 800));
        assert_eq!(size(2.0, (3840, 2160)), (2560, 1600));
        assert_eq!(size(1.0, (1280, 800)), (1280, 800));
        assert_eq!(size(2.0, (1280, 800)), (1174, 734));
        assert_eq!(size(1.0, (1366, 768)), (1280, 704));
    }
}
