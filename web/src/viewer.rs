//! The viewer in a page. The page's script passes files to the viewer and receives the files that the viewer writes.

use std::path::{Path, PathBuf};

use sinew_viewer::{Page, PageHooks, put_file};
use wasm_bindgen::prelude::*;
use web_sys::HtmlCanvasElement;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r"
/** What the page does for the viewer. */
export interface Hooks {
    /** Asks for files to open, or whose clips are added. */
    choose(adds: boolean): void;
    /** Takes a file that the viewer has written, or removed. */
    changed(path: string, bytes: Uint8Array | undefined): void;
    /** Offers a link to the page with this text, which `showLink` takes. */
    link(text: string): void;
    /** Learns that the first picture of the character was drawn. */
    drawn(): void;
    /** Learns that the viewer has ended. */
    ended(reason: string): void;
}
";

#[wasm_bindgen]
extern "C" {
    /// The functions of the page.
    #[wasm_bindgen(typescript_type = "Hooks")]
    pub type Hooks;
    #[wasm_bindgen(method)]
    fn choose(this: &Hooks, adds: bool);
    #[wasm_bindgen(method)]
    fn changed(this: &Hooks, path: &str, bytes: Option<Vec<u8>>);
    #[wasm_bindgen(method)]
    fn link(this: &Hooks, text: &str);
    #[wasm_bindgen(method)]
    fn drawn(this: &Hooks);
    #[wasm_bindgen(method)]
    fn ended(this: &Hooks, reason: &str);
}

/// The viewer in a canvas.
#[wasm_bindgen(js_name = Viewer)]
pub struct PageViewer(Page);

/// Opens the viewer in a canvas. Shows a file that was given to [`put`], or the built-in character if there is none.
///
/// # Errors
/// If the browser has neither WebGPU nor WebGL2 for the canvas.
#[wasm_bindgen(js_name = openViewer)]
pub async fn open_viewer(
    canvas: HtmlCanvasElement,
    hooks: Hooks,
    file: Option<String>,
) -> Result<PageViewer, JsError> {
    let hooks: std::rc::Rc<Hooks> = std::rc::Rc::new(hooks);
    let [choose, changed, link, drawn, ended] = [0; 5].map(|_| std::rc::Rc::clone(&hooks));
    let hooks = PageHooks {
        choose: Box::new(move |adds| choose.choose(adds)),
        changed: Box::new(move |path, bytes| {
            changed.changed(&path.to_string_lossy(), bytes.map(<[u8]>::to_vec));
        }),
        link: Box::new(move |text| link.link(text)),
        drawn: Box::new(move || drawn.drawn()),
        ended: Box::new(move |reason| ended.ended(reason)),
    };
    let page = Page::open(canvas, super::backends(), file.map(PathBuf::from), hooks).await;
    page.map(PageViewer).map_err(super::error)
}

/// Puts a file into the memory of the viewer.
#[wasm_bindgen]
pub fn put(path: &str, bytes: &[u8]) {
    put_file(Path::new(path), bytes);
}

#[wasm_bindgen(js_class = Viewer)]
impl PageViewer {
    /// Opens a file that was [put](put) into memory, or adds its clips.
    #[wasm_bindgen(js_name = openFile)]
    pub fn open_file(&self, path: &str, adds: bool) {
        self.0.open_file(Path::new(path), adds);
    }

    /// Shows the pose that a link to the page contains.
    #[wasm_bindgen(js_name = showLink)]
    pub fn show_link(&self, text: &str) {
        self.0.show_link(text);
    }

    /// Requests a link to the pose. The hook `link` receives it.
    pub fn link(&self) {
        self.0.link();
    }

    /// Saves unsaved work, because the page may never be shown again.
    pub fn hide(&self) {
        self.0.hide();
    }
}
