//! sinew in a web page: [`open_viewer`] opens the whole viewer in a canvas, and [`Figure`] shows a character without the panel.

use wasm_bindgen::prelude::*;

mod figure;
mod viewer;

pub use figure::{Figure, open};
pub use viewer::{Hooks, PageViewer, open_viewer, put};

/// Shows the message of a panic in the console.
#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
}

/// Returns a JavaScript error with one line of text.
fn error(cause: impl std::fmt::Display) -> JsError {
    JsError::new(&cause.to_string())
}

/// Returns the backends of the browser: WebGPU, or WebGL2 where WebGPU is absent.
fn backends() -> wgpu::Backends {
    wgpu::Backends::BROWSER_WEBGPU | wgpu::Backends::GL
}
