//! Files in memory, for a web page. The files exist as long as the page exists. The page can query each change and store it.
//!
//! Paths are normalised: `..`, `.` and a leading `/` are resolved. Folders need not be created.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// A file's contents, and the number of the change that wrote them.
#[derive(Clone, Debug)]
struct Entry {
    bytes: Arc<[u8]>,
    written: u64,
}

#[derive(Debug, Default)]
struct Store {
    files: BTreeMap<PathBuf, Entry>,
    count: u64,
    /// The files that the program has written or removed since the last call to [`changes`].
    changed: Vec<PathBuf>,
}

static STORE: Mutex<Store> = Mutex::new(Store { files: BTreeMap::new(), count: 0, changed: Vec::new() });

fn store() -> MutexGuard<'static, Store> {
    STORE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Store {
    fn set(&mut self, path: PathBuf, bytes: &[u8]) {
        self.count += 1;
        self.files.insert(path, Entry { bytes: bytes.into(), written: self.count });
    }
}

/// Returns the normalised path.
fn resolved(path: &Path) -> PathBuf {
    let mut resolved = PathBuf::from("/");
    for component in path.components() {
        match component {
            Component::Normal(name) => resolved.push(name),
            Component::ParentDir => drop(resolved.pop()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    resolved
}

fn missing() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "no such file")
}

/// Adds a file from the page, for example one that was dropped on it.
pub fn put(path: &Path, bytes: &[u8]) {
    store().set(resolved(path), bytes);
}

/// Returns the files that were written or removed since the last call, in the order of the changes. The content of a
/// removed file is `None`.
pub fn changes() -> Vec<(PathBuf, Option<Arc<[u8]>>)> {
    let mut store = store();
    let changed = std::mem::take(&mut store.changed);
    changed
        .into_iter()
        .map(|path| (path.clone(), store.files.get(&path).map(|e| Arc::clone(&e.bytes))))
        .collect()
}

pub fn write(path: &Path, bytes: &[u8]) {
    let (mut store, path) = (store(), resolved(path));
    store.set(path.clone(), bytes);
    store.changed.push(path);
}

#[derive(Clone, Copy, Debug)]
pub struct Metadata {
    /// Size of the file and number of the change that wrote it. `None` for a folder.
    file: Option<(u64, u64)>,
}

impl Metadata {
    pub fn is_file(&self) -> bool {
        self.file.is_some()
    }

    pub fn is_dir(&self) -> bool {
        self.file.is_none()
    }

    pub fn len(&self) -> u64 {
        self.file.map_or(0, |(size, _)| size)
    }

    /// Returns a time that increases with each change. It is not a calendar time.
    pub fn modified(&self) -> io::Result<SystemTime> {
        Ok(SystemTime::UNIX_EPOCH + Duration::from_secs(self.file.map_or(0, |(_, written)| written)))
    }
}

pub fn metadata(path: &Path) -> io::Result<Metadata> {
    let (store, path) = (store(), resolved(path));
    if let Some(Entry { bytes, written }) = store.files.get(&path) {
        return Ok(Metadata { file: Some((bytes.len() as u64, *written)) });
    }
    let is_folder = path == Path::new("/") || store.files.keys().any(|file| file.starts_with(&path));
    if is_folder { Ok(Metadata { file: None }) } else { Err(missing()) }
}

pub fn canonicalize(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    metadata(path.as_ref()).map(|_| resolved(path.as_ref()))
}

/// A file that is open for reading.
#[derive(Debug)]
pub struct File {
    contents: Cursor<Arc<[u8]>>,
    written: u64,
}

impl File {
    pub fn open(path: &Path) -> io::Result<Self> {
        let entry = store().files.get(&resolved(path)).cloned().ok_or_else(missing)?;
        Ok(Self { contents: Cursor::new(entry.bytes), written: entry.written })
    }

    pub fn metadata(&self) -> io::Result<Metadata> {
        Ok(Metadata { file: Some((self.contents.get_ref().len() as u64, self.written)) })
    }
}

impl Read for File {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.contents.read(into)
    }
}

impl Seek for File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.contents.seek(to)
    }
}

pub fn create_dir_all(_: &Path) -> io::Result<()> {
    Ok(())
}

pub fn remove_file(path: impl AsRef<Path>) -> io::Result<()> {
    let (mut store, path) = (store(), resolved(path.as_ref()));
    store.files.remove(&path).ok_or_else(missing)?;
    store.changed.push(path);
    Ok(())
}

/// Renames a file. If a file with the new name exists, it is replaced.
pub fn rename(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
    let (from, to) = (resolved(from.as_ref()), resolved(to.as_ref()));
    let bytes = store().files.get(&from).map(|entry| Arc::clone(&entry.bytes)).ok_or_else(missing)?;
    remove_file(&from)?;
    write(&to, &bytes);
    Ok(())
}

/// A file or folder in a folder.
#[derive(Debug)]
pub struct DirEntry(PathBuf);

impl DirEntry {
    pub fn path(&self) -> PathBuf {
        self.0.clone()
    }
}

/// Lists the files and folders in a folder.
pub fn read_dir(folder: &Path) -> io::Result<impl Iterator<Item = io::Result<DirEntry>> + use<>> {
    if !metadata(folder)?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    let folder = resolved(folder);
    let name = |file: &PathBuf| {
        let inside = file.strip_prefix(&folder).ok()?;
        inside.components().next().map(|first| AsRef::<OsStr>::as_ref(&first).to_owned())
    };
    let mut names: Vec<_> = store().files.keys().filter_map(name).collect();
    names.dedup();
    Ok(names.into_iter().map(move |name| Ok(DirEntry(folder.join(name)))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_written_listed_renamed_and_removed() {
        let at = |path: &str| PathBuf::from(path);
        put(&at("/m/given.glb"), b"glb");
        assert!(changes().iter().all(|(path, _)| !path.starts_with("/m")), "the page knows its own files");
        write(&at("m/./x/../saved.json"), b"one");
        rename("/m/saved.json", "/m/deep/b.json").unwrap();
        let names: Vec<_> = read_dir(&at("m")).unwrap().map(|e| e.unwrap().path()).collect();
        assert_eq!(names, [at("/m/deep"), at("/m/given.glb")]);
        assert!(metadata(&at("m/deep")).unwrap().is_dir() && metadata(&at("m/no")).is_err());
        let mut text = String::new();
        File::open(&at("m/deep/b.json")).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "one");
        assert_eq!(canonicalize("m/deep/../given.glb").unwrap(), at("/m/given.glb"));
        let changed: Vec<_> = changes().into_iter().map(|(path, bytes)| (path, bytes.is_some())).collect();
        let saved = (at("/m/saved.json"), false);
        assert_eq!(changed, [saved.clone(), saved, (at("/m/deep/b.json"), true)]);
        let before = metadata(&at("m/given.glb")).unwrap().modified().unwrap();
        write(&at("m/given.glb"), b"glb");
        assert!(metadata(&at("m/given.glb")).unwrap().modified().unwrap() > before);
        remove_file("m/given.glb").unwrap();
        assert_eq!(File::open(&at("m/given.glb")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
