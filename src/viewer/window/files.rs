//! The file that is open: chosen, read on another thread, watched, and read again when it has changed.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use winit::event_loop::EventLoopProxy;

use crate::motion::{Bar, Motion, Travel};

use super::super::{Addition, Command, Found, Read, Reader, Watch, folder, neighbour};
use super::{App, wishes};

/// For so long a dialog that was asked for may come, and what is typed is meant for it.
const COMES: Duration = Duration::from_secs(2);
/// A file that was written to is read when it has been left alone for so long.
const SETTLED: Duration = Duration::from_millis(200);

/// What other threads tell the window.
#[derive(Debug)]
pub(super) enum News {
    /// A file was read, or could not be.
    Read(Box<Read>),
    /// The system's dialog has ended, with a file or with none.
    Chosen(Option<PathBuf>),
    /// The file that is open has changed, or one that belongs to it.
    Changed,
    /// The system wants the program to end.
    Close,
}

/// What the window knows of files.
#[derive(Debug)]
pub(super) struct Files {
    reader: Reader,
    watch: Option<Watch>,
    /// Sizes and times of the open file and of what belongs to it, as they were read.
    stamp: Vec<Option<(u64, SystemTime)>>,
    /// When the open file has changed last.
    changed: Option<Instant>,
    /// When the system's dialog was asked for, if it has not ended, and whether something else than the window has had
    /// the keys since.
    asked: Option<(Instant, bool)>,
    proxy: EventLoopProxy<News>,
}

impl Files {
    pub(super) fn new(proxy: EventLoopProxy<News>) -> Self {
        let news = proxy.clone();
        // A window that has closed meanwhile hears nothing, and need not.
        let reader = Reader::new(move |read| drop(news.send_event(News::Read(Box::new(read)))));
        Self { reader, watch: None, stamp: Vec::new(), changed: None, asked: None, proxy }
    }
}

impl App {
    /// The file that the window was opened with: remembered and watched.
    pub(super) fn opened(&mut self) {
        if let Some(file) = self.session.file().map(Path::to_path_buf) {
            self.settings.add(&file);
            self.watch(&file);
        }
        self.look.open.recent = self.settings.recent().to_vec();
    }

    /// Reads a character, or the same `again`: it is then seen from where it was, in the pose that it had.
    pub(super) fn read(&mut self, file: &Path, again: bool) {
        if let Err(error) = self.files.reader.start_beside(file, again, &self.session) {
            self.tell(Err(format!("{}: {error}", file.display())));
        }
        self.look.open.reading = self.files.reader.reading().map(Path::to_path_buf);
        self.show_soon();
    }

    /// Reads another character, if nothing is lost by that.
    pub(super) fn open_file(&mut self, file: &Path) {
        if self.may_leave() {
            self.read(file, false);
        }
    }

    /// Whether the character can be left: what would be lost, a rig that was changed and not saved or keys of a motion,
    /// is pointed out once.
    pub(super) fn may_leave(&mut self) -> bool {
        // A recording tells the keys too.
        let keyed = self.session.is_keyed() && self.session.recorded().is_none();
        let lost = match (self.session.is_rig_changed(), keyed) {
            (true, _) => "the rig is changed and not saved; once more leaves it so",
            (false, true) => "the motion was keyed, and its keys are lost; once more lets them go",
            (false, false) => return true,
        };
        if self.look.leaving {
            return true;
        }
        self.look.leaving = true;
        self.tell(Err(lost.into()));
        self.show_soon();
        false
    }

    /// What this program has written beside the character is no change.
    pub(super) fn wrote(&mut self) {
        self.look.leaving = false;
        if let Some(file) = self.session.file() {
            self.files.stamp = stamp(file, &self.session.puppet.character().files);
        }
    }

    /// The next file of the folder, counted from the one that is being read.
    pub(super) fn step(&mut self, forward: bool) {
        let Some(file) = self.files.reader.reading().or(self.session.file()) else {
            return self.tell(Err(wishes::BUILT_IN.into()));
        };
        match neighbour(file, forward) {
            Ok(Some(next)) => self.open_file(&next),
            Ok(None) => self.tell(Err("there is no other model in the folder".into())),
            Err(error) => {
                let line = format!("{}: {error}", file.display());
                self.tell(Err(line));
            }
        }
    }

    /// Asks for a file in the system's own dialog, which has a thread of its own. Asked again while nothing is seen of it,
    /// the panel's field for a path takes its place.
    pub(super) fn choose(&mut self) {
        match self.files.asked {
            Some((_, true)) => return,
            Some((_, false)) => return self.type_path(),
            None => {}
        }
        let Some(shown) = &self.shown else { return };
        let mut dialog = rfd::AsyncFileDialog::new()
            .set_title("Open a character, or motion for it")
            .add_filter("Characters and motion", &folder::all_endings())
            .set_parent(&shown.window);
        let here = self.session.file().and_then(|file| std::path::absolute(file).ok());
        if let Some(folder) = here.as_deref().and_then(Path::parent) {
            dialog = dialog.set_directory(folder);
        }
        // The dialog is made here, where some systems want it, and waited for elsewhere.
        let asked = dialog.pick_file();
        let proxy = self.files.proxy.clone();
        let wait = move || {
            let file = pollster::block_on(asked).map(|file| file.path().to_path_buf());
            drop(proxy.send_event(News::Chosen(file)));
        };
        match std::thread::Builder::new().name("dialog".into()).spawn(wait) {
            Ok(_) => self.files.asked = Some((Instant::now(), false)),
            Err(_) => self.type_path(),
        }
    }

    /// The panel's field for a path has the keys.
    fn type_path(&mut self) {
        self.look.hidden = false;
        self.look.open.type_path();
        self.show_soon();
    }

    /// Whether what is typed is meant for a path: in a dialog that is about to come, or a field about to be drawn.
    pub(super) fn is_typing(&self) -> bool {
        let comes = |(when, seen): (Instant, bool)| !seen && when.elapsed() < COMES;
        self.files.asked.is_some_and(comes) || self.look.open.wants_keys()
    }

    /// The keys go elsewhere: to the dialog, if one was asked for.
    pub(super) fn lost_focus(&mut self) {
        self.files.asked = self.files.asked.map(|(when, _)| (when, true));
    }

    /// What another thread has to say.
    pub(super) fn hear(&mut self, news: News) {
        match news {
            News::Read(read) => {
                if let Some(read) = self.files.reader.accept(*read) {
                    self.look.open.reading = None;
                    self.swap(read);
                }
            }
            News::Chosen(file) => {
                let seen = self.files.asked.take().is_some_and(|(_, seen)| seen);
                match file {
                    Some(file) => self.open_file(&file),
                    // A dialog that is seen takes the keys: this one never was.
                    None if !seen => self.type_path(),
                    None => {}
                }
            }
            News::Changed => self.files.changed = Some(Instant::now()),
            News::Close => self.quit = true,
        }
        self.show_soon();
    }

    /// When the file that has changed is to be read, if now is no moment for it.
    pub(super) fn settles(&self) -> Option<Instant> {
        // A recording is of one reading.
        let recording = self.session.recorded().is_some();
        let free = !self.input.is_busy() && self.files.reader.reading().is_none() && !recording;
        self.files.changed.filter(|_| free && !self.look.open.ignore_changes).map(|then| then + SETTLED)
    }

    /// Reads the open file if it has changed and settled.
    pub(super) fn read_changed(&mut self) {
        if self.settles().is_some_and(|when| when <= Instant::now()) {
            self.files.changed = None;
            if let Some(file) = self.session.file().map(Path::to_path_buf) {
                let now = stamp(&file, &self.session.puppet.character().files);
                if now != self.files.stamp {
                    self.files.stamp = now;
                    self.read(&file, true);
                }
            }
        }
    }

    /// Shows what was read; what could not be read leaves everything as it was.
    fn swap(&mut self, read: Read) {
        let found = match read.outcome {
            Ok(Found::Clips(addition)) => return self.put_on(*addition),
            Ok(Found::Character(session, pictures)) => Ok((*session, pictures)),
            Err(error) => Err(error),
        };
        let shown = self.shown.as_mut();
        let swapped = found.and_then(|(mut session, pictures)| {
            session.apply(Command::Resize(self.session.size()));
            // What is made anew with a window shows whatever is there then.
            let seen = shown.map_or(Ok(()), |s| s.graphics.show(session.puppet(), &pictures));
            seen.map(|()| session).map_err(|e| e.to_string())
        });
        match swapped {
            Ok(mut session) => {
                self.session.apply(Command::Release);
                self.look.hush();
                if !read.again {
                    self.look.saved = None;
                }
                // A recording is of one character.
                self.stop_recording();
                let others = session.puppet.character().files != self.session.puppet.character().files;
                if let Some(fault) = session.take_over(&self.session, read.again).into_iter().next() {
                    self.tell(Err(fault));
                }
                self.session = session;
                self.recast();
                self.look.leaving = false;
                if !read.again {
                    self.files.changed = None;
                    self.settings.add(&read.path);
                    self.look.open.recent = self.settings.recent().to_vec();
                }
                if !read.again || others {
                    self.watch(&read.path);
                }
            }
            Err(error) => self.tell(Err(error)),
        }
    }

    /// Plays the first clip of a file of motion, which was put on the character that is shown.
    fn put_on(&mut self, addition: Addition) {
        let file =
            addition.file.file_name().unwrap_or(addition.file.as_os_str()).to_string_lossy().into_owned();
        let first = self.session.puppet().character().clips.len();
        self.session.apply(Command::Release);
        self.session.apply(Command::Add(Box::new(addition)));
        if self.session.puppet().character().clips.len() == first {
            return self.tell(Err(format!("{file}: there is no room for more clips")));
        }
        // In place, so that it stays in the picture.
        let bar = Bar { travel: Travel::Stripped, ..Bar::new(first) };
        let motion = Motion { bars: vec![bar], ..Motion::default() };
        self.session.apply(Command::Motion(Box::new(motion)));
        self.session.apply(Command::Release);
        self.session.apply(Command::Seek(0.0));
        self.session.apply(Command::Play(true));
        self.tell(Ok(format!("{file} is put on the character")));
    }

    fn watch(&mut self, file: &Path) {
        let others = &self.session.puppet.character().files;
        self.files.stamp = stamp(file, others);
        let proxy = self.files.proxy.clone();
        let watch = Watch::new(file, others, move || drop(proxy.send_event(News::Changed)));
        match watch {
            Ok(watch) => self.files.watch = Some(watch),
            Err(error) => {
                self.files.watch = None;
                self.tell(Err(error));
            }
        }
    }
}

/// Sizes and times of a character's file, of what has its name, and of the other files that it names.
fn stamp(file: &Path, others: &[PathBuf]) -> Vec<Option<(u64, SystemTime)>> {
    let beside = ["bin", "png", "jpg", "rig.toml"].map(|kind| file.with_extension(kind));
    let told = |path: &Path| {
        let about = std::fs::metadata(path).ok()?;
        Some((about.len(), about.modified().ok()?))
    };
    std::iter::once(file).chain(beside.iter().chain(others).map(PathBuf::as_path)).map(told).collect()
}
