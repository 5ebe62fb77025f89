//! Finds out whether a file is a BVH file.

use std::path::Path;

/// File extension of BVH.
const EXTENSION: &str = "bvh";
/// First word of a BVH file.
const FIRST_WORD: &[u8] = b"HIERARCHY";

/// Returns whether a file is a BVH file, judging by its extension or its first word.
pub(crate) fn is_bvh(path: &Path, bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    let first = text.get(..FIRST_WORD.len());
    has_extension(path) || first.is_some_and(|w| w.eq_ignore_ascii_case(FIRST_WORD))
}

/// Returns whether a file's name has the extension of BVH, in upper or lower case.
pub fn has_extension(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(EXTENSION))
}
