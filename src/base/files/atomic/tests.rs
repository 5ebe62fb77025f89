use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::registry::Registry;
use super::*;

/// A folder for one test. It is empty at first, and is removed on drop.
struct Folder(PathBuf);

impl std::ops::Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn folder(name: &str) -> Folder {
    let folder = std::env::temp_dir().join(format!("sinew-atomic-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    Folder(folder)
}

fn names(folder: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<String> = fs::read_dir(folder).unwrap().map(name).collect();
    names.sort();
    names
}

#[test]
fn a_file_is_written_and_replaced_without_leftovers() {
    let folder = folder("write");
    let file = folder.join("a.json");
    write(&file, b"old").unwrap();
    write(&file, b"new").unwrap();
    assert_eq!(fs::read(&file).unwrap(), b"new");
    assert_eq!(write_new(&file, b"newer").unwrap_err().kind(), ErrorKind::AlreadyExists);
    write_new(&folder.join("b.json"), b"b").unwrap();
    assert_eq!(
        (fs::read(&file).unwrap(), names(&folder)),
        (b"new".to_vec(), vec!["a.json".into(), "b.json".into()])
    );
    assert!(write(&folder.join("missing/a.json"), b"").is_err() && write(&folder, b"").is_err());
}

#[test]
fn a_check_changes_nothing() {
    let folder = folder("check");
    check(&folder.join("a.json")).unwrap();
    assert!(names(&folder).is_empty());
    assert!(check(&folder.join("missing/a.json")).is_err() && check(&folder).is_err());
    #[cfg(unix)]
    check(Path::new("/dev/null")).unwrap();
}

/// Regression test: a private file was readable by everyone after a save.
#[cfg(unix)]
#[test]
fn a_replaced_file_keeps_its_permissions_and_its_draft_is_private() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    let folder = folder("mode");
    let file = folder.join("a.json");
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o7777;
    fs::write(&file, "old").unwrap();
    for expected in [0o600, 0o640, 0o755, 0o666] {
        fs::set_permissions(&file, fs::Permissions::from_mode(expected)).unwrap();
        let mut draft = Draft::of_save(&file).unwrap();
        assert_eq!(mode(draft.path()), expected);
        draft.write(b"new").unwrap();
        draft.replace().unwrap();
        assert_eq!(mode(&file), expected, "{expected:o}");
    }
    // Only root can change the owner of a file.
    if chown(&file, Some(12), Some(34)).is_ok() {
        write(&file, b"newer").unwrap();
        let metadata = fs::metadata(&file).unwrap();
        assert_eq!((metadata.uid(), metadata.gid(), mode(&file)), (12, 34, 0o666));
    }
}

#[cfg(unix)]
#[test]
fn links_are_followed_to_their_file() {
    use std::os::unix::fs::symlink;
    let folder = folder("links");
    fs::create_dir_all(folder.join("deep/er")).unwrap();
    symlink("deep", folder.join("short")).unwrap();
    // The link is in `deep/er`, so `..` in it means `deep`.
    symlink("../new.json", folder.join("deep/er/link.json")).unwrap();
    symlink("short/er/link.json", folder.join("first.json")).unwrap();
    for content in ["created", "replaced"] {
        write(&folder.join("first.json"), content.as_bytes()).unwrap();
        assert_eq!(fs::read_to_string(folder.join("deep/new.json")).unwrap(), content);
        assert!(folder.join("first.json").is_symlink() && folder.join("deep/er/link.json").is_symlink());
    }
    symlink("loop.json", folder.join("loop.json")).unwrap();
    assert!(write(&folder.join("loop.json"), b"").is_err());
    assert!(folder.join("loop.json").is_symlink());
}

/// Regression test: the hidden name was longer than the file system allows.
#[test]
fn names_of_maximum_length_are_written() {
    let folder = folder("names");
    let long =
        ["a".repeat(245), "a".repeat(255), format!("{}b", "ä".repeat(127)), format!("c{}", "ä".repeat(127))];
    let drafts: Vec<Draft> = long.iter().map(|name| Draft::of_save(&folder.join(name)).unwrap()).collect();
    assert_eq!(names(&folder).len(), long.len());
    drop(drafts);
    for name in &long {
        write(&folder.join(name), name.as_bytes()).unwrap();
        assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), *name);
    }
    assert_eq!(names(&folder).len(), long.len());
}

/// Regression test: a save whose process was killed left a hidden file forever.
#[test]
fn a_save_removes_the_drafts_of_ended_processes() {
    let folder = folder("leftovers");
    for name in [
        ".a.json.tmp",
        ".a.json.sinew-tmp",
        ".a.json.1.sinew-tmp",
        ".b.json.sinew-tmp",
        ".a.json.part",
        ".a.json.4711.part",
    ] {
        fs::write(folder.join(name), "cut o").unwrap();
    }
    write(&folder.join("a.json"), b"{}").unwrap();
    assert_eq!(
        names(&folder),
        [".a.json.4711.part", ".a.json.part", ".a.json.tmp", ".b.json.sinew-tmp", "a.json"]
    );
    // A draft that is being written is not removed.
    let mut other = Draft::of_save(&folder.join("b.json")).unwrap();
    other.write(b"other").unwrap();
    write(&folder.join("b.json"), b"b").unwrap();
    other.replace().unwrap();
    assert_eq!(fs::read(folder.join("b.json")).unwrap(), b"other");
    assert_eq!(names(&folder).len(), 5);
}

#[test]
fn an_unfinished_recording_stays_and_is_listed_as_a_leftover() {
    let folder = folder("recordings");
    let file = folder.join("a.session");
    drop(Draft::of_recording(&file).unwrap());
    assert!(names(&folder).is_empty(), "an empty recording is removed");
    let mut draft = Draft::of_recording(&file).unwrap();
    draft.write(b"recorded").unwrap();
    assert!(leftovers(&file).is_empty(), "the recording is being written");
    drop(draft);
    fs::write(folder.join(".a.session.4711.part"), "of an older version").unwrap();
    fs::write(folder.join(".a.session.session.part"), "of another file").unwrap();
    fs::write(folder.join(".a.session.5.part"), "").unwrap();
    let left = [".a.session.4711.part", ".a.session.part"].map(|name| folder.join(name));
    assert_eq!(leftovers(&file), left);
    // A save or a new recording with the same name does not change the unfinished recordings.
    write(&file, b"saved").unwrap();
    let mut next = Draft::of_recording(&file).unwrap();
    next.write(b"next").unwrap();
    next.replace().unwrap();
    assert_eq!(leftovers(&file), left);
}

#[test]
fn ending_early_removes_drafts_and_prevents_new_ones() {
    let folder = folder("registry");
    let registry = Registry::new();
    let create = |name: &str| {
        let path = folder.join(name);
        registry.create(&path, || File::create_new(&path)).unwrap();
        path
    };
    let [_, kept, renamed] = [".a.sinew-tmp", ".b.part", ".c.sinew-tmp"].map(create);
    registry.unregister(&kept);
    fs::rename(&renamed, folder.join("c")).unwrap();
    std::thread::scope(|scope| {
        registry.remove_all(|| {
            assert_eq!(names(&folder), [".b.part", "c"]);
            scope.spawn(|| create(".late.sinew-tmp"));
            std::thread::sleep(Duration::from_millis(50));
            assert_eq!(names(&folder), [".b.part", "c"]);
        });
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_the_caller_has_opened_is_appended_to() {
    use std::os::fd::AsRawFd;
    let folder = folder("opened");
    fs::write(folder.join("log"), "old\n").unwrap();
    let log = File::options().append(true).open(folder.join("log")).unwrap();
    write(format!("/proc/self/fd/{}", log.as_raw_fd()).as_ref(), b"new\n").unwrap();
    assert_eq!(fs::read_to_string(folder.join("log")).unwrap(), "old\nnew\n");
}
