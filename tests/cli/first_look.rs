//! `sinew` alone, and `sinew FILE`.

use crate::support::picture::{self, Look};
use crate::{MANNEQUIN, command, folder};

#[test]
fn it_draws_and_says_so() {
    for (name, file) in [("alone", None), ("with a file", Some(MANNEQUIN))] {
        let folder = folder(name);
        let output = command([])
            .args(file)
            .current_dir(&folder)
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("WAYLAND_SOCKET")
            .env_remove("XDG_RUNTIME_DIR")
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{said}");
        assert!(said.contains("sinew.png") && said.lines().count() == 1, "{said}");
        let seen = picture::open(&folder.join("sinew.png"));
        assert_eq!(seen.size(), (1280, 720));
    }
}

#[cfg(all(feature = "viewer", target_os = "linux"))]
#[test]
fn view_without_a_display_says_so_in_one_line_and_names_what_draws_without() {
    let nowhere = command(["view"]).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").output().unwrap();
    let gone = command(["view"]).env("DISPLAY", ":65000").env_remove("WAYLAND_DISPLAY").output().unwrap();
    for output in [nowhere, gone] {
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        let lines: Vec<&str> = said.lines().filter(|line| line.starts_with("error: ")).collect();
        assert!(
            lines.len() == 1 && lines[0].contains("`sinew render`") && !lines[0].contains(".rs:"),
            "{said}"
        );
    }
}
