//! `sinew` alone, and `sinew FILE`.

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
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{said}");
        assert!(said.contains("sinew.png"), "{said}");
        let seen = image::open(folder.join("sinew.png")).unwrap();
        assert_eq!((seen.width(), seen.height()), (1280, 720));
    }
}
