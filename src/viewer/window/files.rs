//! Opens files in the window: the file dialog, reading on another thread, and reloading after changes.

use std::path::{Path, PathBuf};

use winit::event_loop::EventLoopProxy;

use crate::asset::References;
use crate::panel::{PathPurpose, Reading};
use crate::platform::Instant;
use crate::{CharacterLoader, LoadResult, neighbour};

use super::dialogs::{Dialog, is_style};
use super::export::{ExportEnd, RunningExport};
use super::loader::still_reading;
use super::open_window::OpenWindow;
use super::{App, requests};

mod reload;
mod show;

use reload::Changes;

/// A message from another thread to the window.
#[derive(Debug)]
pub(super) enum AppEvent {
    /// A file was read, or reading failed.
    Read(Box<LoadResult>),
    /// The system's file dialog was closed, with or without a path.
    Chosen(PathPurpose, Option<PathBuf>),
    /// The export of a clip has ended.
    Exported(ExportEnd),
    /// The open file, or one of its related files, has changed.
    Changed,
    /// The window's initial file was read, or reading failed.
    Loaded,
    /// The window should close without confirmation.
    Close,
    /// Something has happened in the page.
    #[cfg(target_arch = "wasm32")]
    Page(super::page_event::PageEvent),
    /// The window manager may have added a frame to the window. This event arrives after all events that were already queued.
    Placed,
}

/// The window's file state.
#[derive(Debug)]
pub(super) struct Files {
    pub(super) loader: CharacterLoader,
    changes: Changes,
    /// The loaded file while a question about it is shown.
    pub(super) pending: Option<LoadResult>,
    /// The file being opened by stepping through its folder.
    stepped: Option<PathBuf>,
    pub(super) dialog: Option<Dialog>,
    /// The running clip export.
    pub(super) export: Option<RunningExport>,
    pub(super) proxy: EventLoopProxy<AppEvent>,
}

impl Files {
    pub(super) fn new(proxy: EventLoopProxy<AppEvent>, references: References) -> Self {
        let sender = proxy.clone();
        // Sending fails only if the window has closed already.
        let mut loader =
            CharacterLoader::new(move |read| drop(sender.send_event(AppEvent::Read(Box::new(read)))));
        loader.set_references(references);
        Self {
            loader,
            changes: Changes::default(),
            pending: None,
            stepped: None,
            dialog: None,
            export: None,
            proxy,
        }
    }

    /// Returns a function that reports the end of an export to the window.
    pub(super) fn export_sender(&self) -> impl Fn(ExportEnd) + Send + 'static {
        let proxy = self.proxy.clone();
        move |end| drop(proxy.send_event(AppEvent::Exported(end)))
    }
}

impl App {
    /// Starts reading a file. If `reloads` is set, the file is already open, and the camera and the pose are kept.
    pub(super) fn read(&mut self, file: &Path, reloads: bool) {
        if let Some(reason) = self.files.loader.attaching().map(still_reading) {
            return self.fail_path(PathPurpose::Open, reason);
        }
        if let Err(error) = self.files.loader.start_beside(file, reloads, &self.session) {
            self.notify(Err(format!("{}: {error}", file.display())));
        }
        self.note_reading();
    }

    /// Shows in the panel which file is being read.
    pub(super) fn note_reading(&mut self) {
        let loader = &self.files.loader;
        self.panel.open.reading = loader.reading().map(|path| Reading {
            path: path.to_path_buf(),
            progress: loader.progress().clone(),
            began: Instant::now(),
        });
        self.request_redraw();
    }

    /// Opens another file. The user is asked about unsaved work only after the file is read, because nothing is lost if the file is
    /// unreadable or only adds a motion or pose.
    pub(super) fn open_file(&mut self, file: &Path) {
        self.files.stepped = None;
        if is_style(file) {
            self.close_path(PathPurpose::Open);
            return self.open_style(file);
        }
        self.read(file, false);
    }

    /// Adds the clips of a file to the timeline, or only the clip with this name.
    pub(super) fn add_clips(&mut self, file: &Path, clip: Option<String>) {
        if let Some(reason) = self.files.loader.attaching().map(still_reading) {
            return self.fail_path(PathPurpose::AddClips, reason);
        }
        if let Err(error) = self.files.loader.start_adding(file, clip, &self.session) {
            self.notify(Err(format!("{}: {error}", file.display())));
        }
        self.note_reading();
    }

    /// Cancels the read in progress. Returns whether there was one.
    pub(super) fn cancel_reading(&mut self) -> bool {
        let cancelled = self.files.loader.cancel();
        if cancelled {
            self.panel.open.reading = None;
            self.request_redraw();
        }
        cancelled
    }

    /// Opens the next or previous file in the folder, relative to the file being shown or read.
    pub(super) fn step(&mut self, forward: bool) {
        // The folder of a prop has nothing to do with the character.
        let loader = &self.files.loader;
        let opening = loader.reading().filter(|_| loader.attaching().is_none());
        let Some(file) = opening.or(self.session.file()) else {
            return self.notify(Err(requests::BUILT_IN.into()));
        };
        match neighbour(file, forward) {
            Ok(Some(next)) => {
                self.open_file(&next);
                self.files.stepped = Some(next);
            }
            Ok(None) => self.notify(Err("the folder contains no other model".into())),
            Err(error) => {
                let line = format!("{}: {error}", file.display());
                self.notify(Err(line));
            }
        }
    }

    /// Handles a message from another thread.
    pub(super) fn handle_app_event(&mut self, event: AppEvent) {
        match event {
            AppEvent::Read(read) => {
                if let Some(read) = self.files.loader.accept(*read) {
                    self.panel.open.reading = None;
                    self.accept_read(read);
                }
            }
            AppEvent::Chosen(purpose, path) => self.end_dialog(purpose, path),
            AppEvent::Exported(end) => self.end_export(end),
            // Only the startup handles this event.
            AppEvent::Loaded => {}
            AppEvent::Changed => self.files.changes.changed = Some(Instant::now()),
            #[cfg(target_arch = "wasm32")]
            AppEvent::Page(event) => self.handle_page_event(event),
            AppEvent::Placed => self.open.iter_mut().for_each(OpenWindow::fit_on_monitor),
            AppEvent::Close => {
                // Unsaved work is autosaved, because this event must not ask the user.
                self.autosave();
                self.quit = true;
            }
        }
        self.request_redraw();
    }
}
