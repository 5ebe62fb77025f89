//! `sinew` and `sinew FILE` without a display.

use crate::support::image::{self, PixelAccess};
use crate::{MANNEQUIN, command, folder};

#[test]
fn an_image_is_drawn_and_named() {
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
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{text}");
        assert!(text.contains("sinew.png") && text.lines().count() == 1, "{text}");
        assert_eq!(image::open(&folder.join("sinew.png")).size(), (1280, 720));
    }
}

#[cfg(all(feature = "viewer", target_os = "linux"))]
#[test]
fn view_without_a_display_is_an_error_that_suggests_render() {
    let unset = command(["view"]).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").output().unwrap();
    let wrong = command(["view"]).env("DISPLAY", ":65000").env_remove("WAYLAND_DISPLAY").output().unwrap();
    for output in [unset, wrong] {
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("error: ")).collect();
        assert!(
            lines.len() == 1 && lines[0].contains("`sinew render`") && !lines[0].contains(".rs:"),
            "{text}"
        );
    }
}
