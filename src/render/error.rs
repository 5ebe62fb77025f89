//! What a driver or a request can refuse.

/// Why nothing was drawn; one line each.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// There is no adapter of the kind that was asked for.
    #[error(
        "no graphics adapter for --adapter {wanted} (there {}); a software one comes with the package mesa-vulkan-drivers on Debian and Ubuntu",
        if found.is_empty() { "is none at all".to_owned() } else { format!("is: {}", found.join("; ")) }
    )]
    NoAdapter {
        /// What was asked for.
        wanted: String,
        /// What there is.
        found: Vec<String>,
    },
    /// The adapter would not open.
    #[error("{adapter}: {cause}")]
    Device {
        /// Which one.
        adapter: String,
        /// What it said.
        cause: String,
    },
    /// The picture is larger than the adapter can draw.
    #[error("a picture of {width}x{height} pixels is beyond the adapter's limit of {limit} a side")]
    TooLarge {
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
        /// Pixels a side.
        limit: u32,
    },
    /// A picture without pixels.
    #[error("a picture of {width}x{height} pixels is none")]
    Empty {
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
    },
    /// A buffer is larger than the adapter can hold or bind.
    #[error("{what} take {bytes} bytes, the adapter's limit is {limit}")]
    Buffer {
        /// What the buffer is for.
        what: &'static str,
        /// What it would take.
        bytes: u64,
        /// What the adapter can do.
        limit: u64,
    },
    /// Neither 1 nor 4.
    #[error("{samples} samples a pixel are not supported, only 1 and 4")]
    Samples {
        /// What was asked for.
        samples: u32,
    },
    /// The bytes of a picture make no PNG.
    #[error("the picture does not fit a PNG: {0}")]
    Png(String),
    /// The device is gone, and all that was on it: the driver was updated or restarted, the adapter unplugged.
    #[error("the graphics device was lost: {0}")]
    Lost(String),
    /// The driver gave up, or refused what it was given.
    #[error("the graphics driver: {0}")]
    Driver(String),
}
