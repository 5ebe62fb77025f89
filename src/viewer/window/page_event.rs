//! Events that a web page sends to the window.

use std::path::PathBuf;

/// An event of the page.
#[derive(Debug)]
pub(super) enum PageEvent {
    /// A link to the pose is wanted.
    CopyLink,
    /// A pose that a link carries.
    Link(String),
    /// An image was saved, or not.
    Image(Result<PathBuf, String>),
    /// The page is hidden, and may never return.
    Hidden,
    /// Clips of a file are added.
    AddClips(PathBuf),
}
