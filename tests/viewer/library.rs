//! The pose library: adding, renaming, removing and copying poses, and names that are not file names.

use std::fs;

use sinew::viewer::{PoseLibrary, SaveError, poses_of};
use sinew_testkit::folder;

fn names(library: &PoseLibrary) -> Vec<&str> {
    library.names().iter().map(String::as_str).collect()
}

#[test]
fn poses_are_added_renamed_and_removed() {
    let folder = folder("library");
    let poses = poses_of(&folder.join("sit.sinew"));
    assert_eq!(poses, folder.join("sit.poses"));
    let mut library = PoseLibrary::open(&poses);
    assert!(library.names().is_empty() && !poses.exists(), "an empty library needs no folder");
    assert_eq!(library.add(" sit ", b"{1}", Some(b"png")).unwrap(), "sit");
    assert_eq!(library.add("", b"{2}", None).unwrap(), "pose 1");
    assert_eq!(library.add("", b"{3}", None).unwrap(), "pose 2");
    assert_eq!(names(&library), ["pose 1", "pose 2", "sit"]);
    assert_eq!(
        (library.pose("sit").unwrap().as_str(), library.thumbnail("sit")),
        ("{1}", Some(b"png".to_vec()))
    );
    assert!(matches!(library.add("sit", b"{4}", None), Err(SaveError::Exists { .. })));
    library.rename("sit", "chair").unwrap();
    assert!(library.thumbnail("chair").is_some() && library.pose("sit").is_err());
    assert!(matches!(library.rename("chair", "pose 1"), Err(SaveError::Exists { .. })));
    assert_eq!(library.pose("pose 1").unwrap(), "{2}");
    // Two removed poses of the same name are both kept.
    for text in ["{5}", "{6}"] {
        let removed = library.remove("chair").unwrap();
        assert!(removed.starts_with(poses.join(".trash")) && removed.is_file(), "{}", removed.display());
        library.add("chair", text.as_bytes(), None).unwrap();
    }
    assert_eq!(fs::read_to_string(poses.join(".trash/chair.json")).unwrap(), "{1}");
    assert_eq!(fs::read_to_string(poses.join(".trash/chair 2.json")).unwrap(), "{5}");
    assert_eq!(PoseLibrary::open(&poses), library);
}

#[test]
fn names_stay_inside_the_folder() {
    let mut library = PoseLibrary::open(&folder("library-names").join("a.poses"));
    let long = "x".repeat(200);
    for name in ["../up", "a/b", "..", ".hidden", "a\\b", "c:d", "line\nbreak", &long] {
        let error = library.add(name, b"{}", None).unwrap_err().to_string();
        assert!(!error.is_empty() && library.names().is_empty(), "{name}");
    }
    assert!(!library.folder().exists());
}

/// A project that is saved under another name copies its poses.
#[test]
fn poses_are_copied_but_none_is_replaced() {
    let folder = folder("library-copy");
    let mut first = PoseLibrary::open(&folder.join("first.poses"));
    let mut second = PoseLibrary::open(&folder.join("second.poses"));
    first.add("a", b"{1}", Some(b"png")).unwrap();
    first.add("b", b"{2}", None).unwrap();
    second.add("b", b"{3}", None).unwrap();
    second.copy_from(&first).unwrap();
    assert_eq!(names(&second), ["a", "b"]);
    assert_eq!((second.pose("a").unwrap(), second.pose("b").unwrap()), ("{1}".to_owned(), "{3}".to_owned()));
    assert!(second.thumbnail("a").is_some() && names(&first) == ["a", "b"]);
}
