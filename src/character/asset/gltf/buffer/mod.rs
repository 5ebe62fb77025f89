//! Buffers, buffer views, and the memory budget of decoded data.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;

use gltf::json::Root;

use crate::asset::references::Folder;
use crate::files::Progress;

use super::{ObjectError, uri};

pub(super) mod meshopt;

/// Maximum size of the decoded data beyond [`BUDGET_BASE`], as a multiple of the size of the file with its buffers.
const BUDGET_FACTOR: u64 = 8;
/// Number of bytes of decoded data that every file is allowed, because even a small file may contain large
/// accessors of zeros.
const BUDGET_BASE: u64 = 24 << 20;

/// The buffers and buffer views that accessors and images read from.
pub(super) struct Buffers<'a> {
    root: &'a Root,
    /// The bytes of each buffer, or the reason why they are missing. Missing bytes are an error only if they are read.
    buffers: Vec<Result<BufferBytes<'a>, String>>,
    /// The decoded bytes and the stride of each compressed buffer view.
    decoded: Vec<Option<(Vec<u8>, usize)>>,
    /// Size of the file and of all buffers in other files, in bytes.
    total: u64,
    /// Number of bytes of decoded data that may still be claimed.
    budget: Cell<u64>,
}

/// The bytes of a buffer, shared by all buffers with the same URI.
#[derive(Clone)]
enum BufferBytes<'a> {
    Chunk(&'a [u8]),
    Read(Arc<Vec<u8>>),
}

impl BufferBytes<'_> {
    fn all(&self) -> &[u8] {
        match self {
            Self::Chunk(bytes) => bytes,
            Self::Read(bytes) => bytes,
        }
    }
}

/// The bytes of a buffer view, and its stride if it has one.
pub(super) struct BufferView<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) stride: Option<usize>,
}

impl<'a> Buffers<'a> {
    pub(super) fn read(
        root: &'a Root,
        binary: Option<&'a [u8]>,
        folder: Option<Folder<'_>>,
        file_bytes: usize,
        progress: &Progress,
    ) -> Result<Self, ObjectError> {
        let mut external = 0_u64;
        let mut known: HashMap<&str, Result<BufferBytes<'_>, String>> = HashMap::new();
        let mut read = |uri: &'a str| {
            let read = known.entry(uri).or_insert_with(|| {
                let bytes = uri::read(uri, folder, progress)?;
                // Data URIs are already counted as part of the file.
                external += if uri.starts_with("data:") { 0 } else { bytes.len() as u64 };
                Ok(BufferBytes::Read(Arc::new(bytes)))
            });
            read.clone()
        };
        let mut buffers = Vec::with_capacity(root.buffers.len());
        for (i, buffer) in root.buffers.iter().enumerate() {
            buffers.push(match (&buffer.uri, binary) {
                (Some(uri), _) => read(uri),
                (None, Some(binary)) if i == 0 => Ok(BufferBytes::Chunk(binary)),
                (None, _) => Err("has neither a uri nor a GLB chunk".into()),
            });
        }
        let total = (file_bytes as u64).saturating_add(external);
        let budget = Cell::new(total.saturating_mul(BUDGET_FACTOR).saturating_add(BUDGET_BASE));
        let mut all = Self { root, buffers, decoded: Vec::new(), total, budget };
        for view in 0..root.buffer_views.len() {
            progress.check()?;
            let decoded = meshopt::decode(&all, view)?;
            all.decoded.push(decoded);
        }
        Ok(all)
    }

    /// Subtracts the memory for decoded data from the budget before it is allocated.
    ///
    /// # Errors
    /// [`ObjectError`] if the budget is exceeded.
    pub(super) fn claim(&self, bytes: u64, at: &str) -> Result<(), ObjectError> {
        match self.budget.get().checked_sub(bytes) {
            Some(rest) => {
                self.budget.set(rest);
                Ok(())
            }
            None => Err(ObjectError::new(
                at,
                format!("{bytes} more bytes of decoded data are out of proportion to the file size"),
            )),
        }
    }

    /// Adds bytes to the budget of decoded data.
    pub(super) fn grant(&self, bytes: u64) {
        self.budget.set(self.budget.get().saturating_add(bytes));
    }

    /// Returns the number of bytes that may still be claimed.
    pub(super) fn remaining(&self) -> u64 {
        self.budget.get()
    }

    /// Returns the size of the file and of all buffers in other files.
    pub(super) fn total_bytes(&self) -> u64 {
        self.total
    }

    pub(super) fn root(&self) -> &'a Root {
        self.root
    }

    /// Returns `length` bytes of `buffers[index]`, starting at `offset`. `at` is the object that refers to them, for
    /// messages.
    pub(super) fn slice(
        &self,
        index: usize,
        offset: usize,
        length: usize,
        at: &str,
    ) -> Result<&[u8], ObjectError> {
        let buffer = self.buffers.get(index).ok_or_else(|| {
            ObjectError::missing(format!("{at}.buffer"), "buffer", index, self.buffers.len())
        })?;
        let bytes = buffer
            .as_ref()
            .map_err(|cause| ObjectError::new(format!("buffers[{index}]"), cause.clone()))?
            .all();
        offset.checked_add(length).and_then(|end| bytes.get(offset..end)).ok_or_else(|| {
            let available = bytes.len();
            ObjectError::new(
                at,
                format!("{length} bytes from byte {offset} exceed buffer {index} of {available} bytes"),
            )
        })
    }

    /// Returns the decompressed bytes of `bufferViews[index]`. `at` is the object that refers to it, for messages.
    pub(super) fn view(&self, index: usize, at: &str) -> Result<BufferView<'_>, ObjectError> {
        let views = &self.root.buffer_views;
        let view =
            views.get(index).ok_or_else(|| ObjectError::missing(at, "bufferView", index, views.len()))?;
        if let Some((bytes, stride)) = self.decoded.get(index).and_then(Option::as_ref) {
            return Ok(BufferView { bytes, stride: Some(*stride) });
        }
        let offset = view.byte_offset.map_or(0, |o| usize::try_from(o.0).unwrap_or(usize::MAX));
        let length = usize::try_from(view.byte_length.0).unwrap_or(usize::MAX);
        let bytes = self.slice(view.buffer.value(), offset, length, &format!("bufferViews[{index}]"))?;
        Ok(BufferView { bytes, stride: view.byte_stride.map(|s| s.0) })
    }
}
