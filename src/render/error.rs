//! Errors of rendering.

use crate::asset::ImageError;

/// The reason why nothing could be drawn. Each message is one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// There is no adapter of the requested kind.
    #[error(
        "no graphics adapter matches --adapter {wanted} (found: {}); on Debian and Ubuntu, the package mesa-vulkan-drivers contains a software adapter",
        if found.is_empty() { "none".to_owned() } else { found.join("; ") }
    )]
    NoAdapter {
        /// The requested kind.
        wanted: String,
        /// All adapters that exist.
        found: Vec<String>,
    },
    /// There is no adapter for a canvas of a web page.
    #[error("this browser has neither WebGPU nor WebGL2 for the canvas")]
    NoCanvas,
    /// The adapter could not be opened.
    #[error("cannot open the graphics adapter {adapter}: {cause}")]
    Device {
        /// The adapter.
        adapter: String,
        /// The driver's error.
        cause: String,
    },
    /// The adapter lacks something that drawing requires.
    #[error("the graphics adapter {adapter} cannot run sinew: {cause}")]
    Unfit {
        /// The adapter.
        adapter: String,
        /// What it lacks.
        cause: String,
    },
    /// The image is larger than the adapter supports.
    #[error("an image of {width}x{height} pixels exceeds the adapter's limit of {limit} pixels per side")]
    TooLarge {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// Maximum width and height in pixels.
        limit: u32,
    },
    /// The image has no pixels.
    #[error("image size {width}x{height} is empty")]
    Empty {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
    /// A buffer is larger than the adapter supports.
    #[error("{what} need {bytes} bytes, but the adapter's limit is {limit} bytes")]
    Buffer {
        /// The contents of the buffer.
        what: &'static str,
        /// Its size in bytes.
        bytes: u64,
        /// Maximum size in bytes.
        limit: u64,
    },
    /// The number of samples per pixel is neither 1 nor 4.
    #[error("{samples} samples per pixel are not supported; use 1 or 4")]
    Samples {
        /// The requested number.
        samples: u32,
    },
    /// The device cannot run compute shaders for crowds, inverse kinematics or skinning.
    #[error("the graphics device has no compute shaders with eight buffers and 256 invocations")]
    NoCompute,
    /// The image could not be encoded as PNG.
    #[error(transparent)]
    Png(#[from] ImageError),
    /// The device and all its resources were lost, because the driver restarted or the adapter was unplugged.
    #[error("the graphics device was lost: {0}")]
    Lost(String),
    /// The driver reported an error.
    #[error("graphics driver error: {0}")]
    Driver(String),
}
