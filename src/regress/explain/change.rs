//! The kinds of changes that an explanation distinguishes.

use serde::{Deserialize, Serialize};

/// The kind of a pixel's change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ChangeKind {
    /// A part that the golden shows is not drawn.
    Missing,
    /// A part is drawn that the golden does not show.
    Added,
    /// The inverse bind matrices of joints differ.
    Bind,
    /// The skin weights of a part differ.
    Weights,
    /// A joint or a morph target has moved a surface.
    Moved,
    /// The positions or the morph targets of a part differ.
    Mesh,
    /// An unmoved surface has a different colour.
    Shaded,
    /// The light differs.
    Light,
    /// A shadow differs because something else has moved.
    Shadow,
    /// The background or the floor differs.
    Background,
    /// Lines, ghosts, the number of samples, or the method of skinning differ.
    Other,
    /// The camera differs.
    Camera,
    /// Only the outlines of surfaces differ, within one pixel, although the scene is the same.
    Silhouette,
    /// Small differences in single pixels, although the scene is the same.
    Noise,
}

impl ChangeKind {
    /// All kinds, the most important first.
    pub const ALL: [Self; 14] = [
        Self::Missing,
        Self::Added,
        Self::Bind,
        Self::Weights,
        Self::Moved,
        Self::Mesh,
        Self::Shaded,
        Self::Light,
        Self::Shadow,
        Self::Background,
        Self::Other,
        Self::Camera,
        Self::Silhouette,
        Self::Noise,
    ];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Added => "added",
            Self::Bind => "bind",
            Self::Weights => "weights",
            Self::Moved => "moved",
            Self::Mesh => "mesh",
            Self::Shaded => "shaded",
            Self::Light => "light",
            Self::Shadow => "shadow",
            Self::Background => "background",
            Self::Other => "other",
            Self::Camera => "camera",
            Self::Silhouette => "silhouette",
            Self::Noise => "noise",
        }
    }
}

/// A change in an image, with everything known about its cause.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// The kind of change.
    pub kind: ChangeKind,
    /// Description in one clause.
    pub text: String,
    /// The cause, in words that are the same in all images with this cause.
    pub cause: String,
    /// Name of the part that shows the change, if only one part does.
    pub part: Option<String>,
    /// Name of the node whose movement is the cause.
    pub joint: Option<String>,
    /// Name of the material.
    pub material: Option<String>,
    /// Number of pixels that differ because of the change.
    pub pixels: usize,
    /// Number of these pixels that differ by at least two levels of 255.
    pub visible: usize,
    /// Whether the change exceeds the tolerance of its kind.
    pub fails: bool,
    /// The largest difference in a channel, in levels of 255.
    pub levels: u8,
    /// Number of pixels whose alpha differs by at least two levels of 255.
    pub alpha: usize,
    /// Mean distance between the colours in CIELAB (CIE 1976), over the pixels of the change.
    pub delta_e: f64,
    /// The largest distance that a visible vertex has moved, in world metres.
    pub distance: Option<f64>,
    /// The angle in radians by which the joint has turned.
    pub angle: Option<f64>,
    /// The largest distance that a visible vertex has moved in the image, in pixels.
    pub shift: Option<f64>,
    /// Whether the visible pixels of the change count against [`KindTolerance::changed`](crate::KindTolerance::changed).
    #[serde(skip)]
    pub(super) counts: bool,
    /// The box around the pixels of the change: left, top, right and bottom, the last two exclusive.
    #[serde(rename = "box")]
    pub bounds: [u32; 4],
}

impl Change {
    /// Returns whether a larger tolerance would accept the change. No tolerance accepts a part that is missing or added, or has a
    /// different mesh or skin.
    pub fn has_threshold(&self) -> bool {
        use ChangeKind::{Added, Bind, Mesh, Missing, Weights};
        !matches!(self.kind, Missing | Added | Bind | Weights | Mesh)
    }
}
