//! Disables Mesa's device-select layer, which prints misleading errors.
//!
//! The Vulkan layer queries Wayland for the display's graphics device. If `XDG_RUNTIME_DIR` is not set, as on servers, the Wayland library
//! prints `error: XDG_RUNTIME_DIR is invalid or not set in the environment.` to stderr once for each Vulkan instance, although everything
//! works.

use std::env;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// Environment variable that disables the layer.
const DISABLE: &str = "NODEVICE_SELECT";
/// Environment variables with which the user selects a device.
const SELECTIONS: [&str; 3] =
    ["MESA_VK_DEVICE_SELECT", "MESA_VK_DEVICE_SELECT_FORCE_DEFAULT_DEVICE", "DRI_PRIME"];

/// Restarts this program without the layer, if the layer would print its errors and the user has not selected a device.
/// Must run first, because a process cannot safely change its environment once it has threads.
pub(super) fn disable() {
    // The Wayland library requires an absolute path.
    let has_runtime = env::var_os("XDG_RUNTIME_DIR").is_some_and(|folder| Path::new(&folder).is_absolute());
    if has_runtime || SELECTIONS.iter().chain([&DISABLE]).any(|name| env::var_os(name).is_some()) {
        return;
    }
    let mut arguments = env::args_os();
    let (Ok(program), Some(name)) = (env::current_exe(), arguments.next()) else { return };
    // If the dynamic loader was started explicitly (`ld.so sinew`), the current executable is the loader.
    if program.file_name() != Path::new(&name).file_name() {
        return;
    }
    let mut restarted = Command::new(program);
    restarted.arg0(name);
    // `exec` returns only if it fails. The program then continues with the layer,
    // which prints its errors but does no harm.
    let _ = restarted.args(arguments).env(DISABLE, "1").exec();
}
