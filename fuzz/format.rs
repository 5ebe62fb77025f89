//! The interface of a format, and the list of all formats.

use std::path::PathBuf;

use crate::random::Random;

/// A kind of input, with functions to generate and to check it.
pub(crate) struct Format {
    /// The name on the command line and in file names.
    pub(crate) name: &'static str,
    /// The number of inputs in a round.
    pub(crate) inputs_per_round: u64,
    /// Generates an input. The same random numbers always give the same bytes.
    pub(crate) make: fn(&mut Random) -> Vec<u8>,
    /// Reads an input, and uses it if it is accepted. Returns false if it is rejected.
    ///
    /// An error is a finding. Its text up to the first colon is the kind of the finding.
    pub(crate) check: fn(&[u8]) -> Result<bool, String>,
}

pub(crate) static ALL: [Format; 19] = [
    crate::gltf::FORMAT,
    crate::draco::FORMAT,
    crate::images::FORMAT,
    crate::images::WEBP,
    crate::images::KTX2,
    crate::bvh::FORMAT,
    crate::fbx::FORMAT,
    crate::urdf::FORMAT,
    crate::rig::FORMAT,
    crate::motion::FORMAT,
    crate::suite::FORMAT,
    crate::session::FORMAT,
    crate::recording::FORMAT,
    crate::project::FORMAT,
    crate::take::FORMAT,
    crate::packets::FORMAT,
    crate::style::FORMAT,
    crate::arguments::FORMAT,
    crate::golden::FORMAT,
];

thread_local! {
    /// A temporary folder for this thread.
    static FOLDER: std::io::Result<PathBuf> = {
        let thread = format!("{:?}", std::thread::current().id()).replace(|c: char| !c.is_ascii_digit(), "");
        let folder = std::env::temp_dir().join(format!("sinew-fuzz-{}-{thread}", std::process::id()));
        std::fs::create_dir_all(&folder).map(|()| folder)
    };
}

/// Writes a temporary file for readers that need a path, and returns its path. Each thread has its own files.
pub(crate) fn file(name: &str, bytes: &[u8]) -> Result<PathBuf, String> {
    FOLDER.with(|folder| {
        let path = folder.as_ref().map_err(|e| format!("temporary folder: {e}"))?.join(name);
        std::fs::write(&path, bytes).map_err(|e| format!("temporary file: {e}"))?;
        Ok(path)
    })
}

/// Removes the files that [`file`] has written in this process.
pub(crate) fn remove_files() {
    let prefix = format!("sinew-fuzz-{}-", std::process::id());
    let entries = std::fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten();
    for entry in entries.filter(|e| e.file_name().to_string_lossy().starts_with(&prefix)) {
        // A folder that cannot be removed does no harm.
        let _ = std::fs::remove_dir_all(entry.path());
    }
}
