//! Mesa's device-select layer, which writes false errors.
//!
//! The Vulkan layer asks Wayland for the display's graphics device. Where `XDG_RUNTIME_DIR` is not set, as on servers, the
//! Wayland library answers by writing `error: XDG_RUNTIME_DIR is invalid or not set in the environment.` to stderr, once for
//! each Vulkan instance, and everything works.

use std::env;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// Turns the layer off.
const OFF: &str = "NODEVICE_SELECT";
/// Variables by which the user selects a device.
const CHOICES: [&str; 3] =
    ["MESA_VK_DEVICE_SELECT", "MESA_VK_DEVICE_SELECT_FORCE_DEFAULT_DEVICE", "DRI_PRIME"];

/// Replaces this process by the same program without the layer, where the layer would write its errors and the user has
/// chosen no device. Must run before anything else: a process cannot safely change its environment once it has threads.
pub(super) fn turn_off() {
    // What the Wayland library accepts.
    let runtime = env::var_os("XDG_RUNTIME_DIR").is_some_and(|folder| Path::new(&folder).is_absolute());
    if runtime || CHOICES.iter().chain([&OFF]).any(|name| env::var_os(name).is_some()) {
        return;
    }
    let mut arguments = env::args_os();
    let (Ok(program), Some(name)) = (env::current_exe(), arguments.next()) else { return };
    // A program that the loader was asked to start (`ld.so sinew`) is the loader to the system.
    if program.file_name() != Path::new(&name).file_name() {
        return;
    }
    let mut again = Command::new(program);
    again.arg0(name);
    // Returns only if it fails: then the errors are written, and everything still works.
    let _ = again.args(arguments).env(OFF, "1").exec();
}
