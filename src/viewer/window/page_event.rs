//! Events that a web page sends to the window.

use std::path::PathBuf;

/// An event from the page.
#[derive(Debug)]
pub(super) enum PageEvent {
    /// A link to the pose was requested.
    CopyLink,
    /// A pose from a link.
    Link(String),
    /// Saving an image succeeded or failed.
    Image(Result<PathBuf, String>),
    /// The page is hidden and may never be shown again.
    Hidden,
    /// Add a file's clips.
    AddClips(PathBuf),
}
