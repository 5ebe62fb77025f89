//! Buffers, buffer views, and the memory that a file may claim.

use std::cell::Cell;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use gltf::json::Root;

use super::{Fault, meshopt, uri};

/// Decoded data may be this many times as large as the file with its buffers, …
const BUDGET_FACTOR: u64 = 8;
/// … plus this many bytes: small files are often mostly zeros.
const BUDGET_BASE: u64 = 24 << 20;

/// All bytes that accessors and images read from.
pub(super) struct Buffers<'a> {
    root: &'a Root,
    /// The bytes of each buffer, or why it has none; that matters only to who reads it.
    buffers: Vec<Result<Bytes<'a>, String>>,
    /// Views that were compressed, decoded, with their stride.
    decoded: Vec<Option<(Vec<u8>, usize)>>,
    budget: Cell<u64>,
}

/// The bytes of a buffer. Buffers of the same URI share them.
#[derive(Clone)]
enum Bytes<'a> {
    Chunk(&'a [u8]),
    Read(Arc<Vec<u8>>),
}

impl Bytes<'_> {
    fn all(&self) -> &[u8] {
        match self {
            Self::Chunk(bytes) => bytes,
            Self::Read(bytes) => bytes,
        }
    }
}

/// The bytes of a view, and its stride if it has one.
pub(super) struct View<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) stride: Option<usize>,
}

impl<'a> Buffers<'a> {
    pub(super) fn read(
        root: &'a Root,
        binary: Option<&'a [u8]>,
        folder: Option<&Path>,
        file_bytes: usize,
    ) -> Result<Self, Fault> {
        let mut external = 0_u64;
        let mut known: HashMap<&str, Result<Bytes<'_>, String>> = HashMap::new();
        let mut read = |uri: &'a str| {
            let read = known.entry(uri).or_insert_with(|| {
                let bytes = uri::read(uri, folder)?;
                // Data URIs are part of the file already.
                external += if uri.starts_with("data:") { 0 } else { bytes.len() as u64 };
                Ok(Bytes::Read(Arc::new(bytes)))
            });
            read.clone()
        };
        let mut buffers = Vec::with_capacity(root.buffers.len());
        for (i, buffer) in root.buffers.iter().enumerate() {
            buffers.push(match (&buffer.uri, binary) {
                (Some(uri), _) => read(uri),
                (None, Some(binary)) if i == 0 => Ok(Bytes::Chunk(binary)),
                (None, _) => Err("has no uri and no GLB chunk".into()),
            });
        }
        let budget = (file_bytes as u64 + external).saturating_mul(BUDGET_FACTOR).saturating_add(BUDGET_BASE);
        let mut all = Self { root, buffers, decoded: Vec::new(), budget: Cell::new(budget) };
        for view in 0..root.buffer_views.len() {
            let decoded = meshopt::decode(&all, view)?;
            all.decoded.push(decoded);
        }
        Ok(all)
    }

    /// Claims memory for decoded data before it is allocated.
    pub(super) fn claim(&self, bytes: u64, at: &str) -> Result<(), Fault> {
        match self.budget.get().checked_sub(bytes) {
            Some(rest) => {
                self.budget.set(rest);
                Ok(())
            }
            None => {
                Err(Fault::new(at, format!("{bytes} bytes more are out of proportion to the file's size")))
            }
        }
    }

    pub(super) fn root(&self) -> &'a Root {
        self.root
    }

    /// The bytes of `buffers[index]` from `offset` on, `length` of them.
    pub(super) fn slice(&self, index: usize, offset: usize, length: usize, at: &str) -> Result<&[u8], Fault> {
        let buffer = self
            .buffers
            .get(index)
            .ok_or_else(|| Fault::missing(format!("{at}.buffer"), "buffer", index, self.buffers.len()))?;
        let bytes =
            buffer.as_ref().map_err(|cause| Fault::new(format!("buffers[{index}]"), cause.clone()))?.all();
        offset.checked_add(length).and_then(|end| bytes.get(offset..end)).ok_or_else(|| {
            let there = bytes.len();
            Fault::new(
                at,
                format!("bytes {offset}+{length} run past the end of buffer {index} ({there} bytes)"),
            )
        })
    }

    /// The bytes of `bufferViews[index]`, decompressed. `at` is who asks.
    pub(super) fn view(&self, index: usize, at: &str) -> Result<View<'_>, Fault> {
        let views = &self.root.buffer_views;
        let view = views.get(index).ok_or_else(|| Fault::missing(at, "bufferView", index, views.len()))?;
        if let Some((bytes, stride)) = self.decoded.get(index).and_then(Option::as_ref) {
            return Ok(View { bytes, stride: Some(*stride) });
        }
        let offset = view.byte_offset.map_or(0, |o| usize::try_from(o.0).unwrap_or(usize::MAX));
        let length = usize::try_from(view.byte_length.0).unwrap_or(usize::MAX);
        let bytes = self.slice(view.buffer.value(), offset, length, &format!("bufferViews[{index}]"))?;
        Ok(View { bytes, stride: view.byte_stride.map(|s| s.0) })
    }
}
