//! What all formats have in common.

use std::path::PathBuf;

use crate::random::Random;

/// One kind of input: how it is made, and what is done with it.
pub(crate) struct Format {
    /// Its name on the command line and in the names of files.
    pub(crate) name: &'static str,
    /// How many inputs of it are tried in a round.
    pub(crate) share: u64,
    /// Makes an input. The same numbers make the same bytes.
    pub(crate) make: fn(&mut Random) -> Vec<u8>,
    /// Reads an input, and uses what is accepted; false where it is refused.
    ///
    /// An error is a finding. Its first words, up to a colon, say of which kind.
    pub(crate) check: fn(&[u8]) -> Result<bool, String>,
}

/// All formats.
pub(crate) static ALL: [Format; 13] = [
    crate::gltf::FORMAT,
    crate::images::FORMAT,
    crate::bvh::FORMAT,
    crate::rig::FORMAT,
    crate::motion::FORMAT,
    crate::suite::FORMAT,
    crate::session::FORMAT,
    crate::recording::FORMAT,
    crate::take::FORMAT,
    crate::packets::FORMAT,
    crate::style::FORMAT,
    crate::arguments::FORMAT,
    crate::golden::FORMAT,
];

thread_local! {
    /// A folder of this thread's own.
    static FOLDER: std::io::Result<PathBuf> = {
        let thread = format!("{:?}", std::thread::current().id()).replace(|c: char| !c.is_ascii_digit(), "");
        let folder = std::env::temp_dir().join(format!("sinew-fuzz-{}-{thread}", std::process::id()));
        std::fs::create_dir_all(&folder).map(|()| folder)
    };
}

/// A file of this thread, which readers of paths can open.
pub(crate) fn file(name: &str, bytes: &[u8]) -> Result<PathBuf, String> {
    FOLDER.with(|folder| {
        let path = folder.as_ref().map_err(|e| format!("temporary folder: {e}"))?.join(name);
        std::fs::write(&path, bytes).map_err(|e| format!("temporary file: {e}"))?;
        Ok(path)
    })
}

/// Removes what [`file`] has written in this process.
pub(crate) fn remove_files() {
    let mine = format!("sinew-fuzz-{}-", std::process::id());
    let entries = std::fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten();
    for entry in entries.filter(|e| e.file_name().to_string_lossy().starts_with(&mine)) {
        // A folder that stays does no harm.
        let _ = std::fs::remove_dir_all(entry.path());
    }
}
