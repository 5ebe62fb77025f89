//! Bytes in memory that can be read until reading is stopped.

use std::io::{self, BufRead, Cursor, Read, Seek, SeekFrom};

use crate::files::Progress;

/// Maximum number of bytes that are returned at once.
const PIECE: usize = 1 << 12;

/// Reads bytes from memory. Every call fails after [`Progress::stop`], so a decoder that reads the bytes also stops.
pub(super) struct StoppableBytes<'a> {
    bytes: Cursor<&'a [u8]>,
    progress: Progress,
}

impl<'a> StoppableBytes<'a> {
    pub(super) fn new(bytes: &'a [u8], progress: &Progress) -> Self {
        Self { bytes: Cursor::new(bytes), progress: progress.clone() }
    }
}

impl Read for StoppableBytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.progress.check()?;
        self.bytes.read(buffer)
    }
}

impl BufRead for StoppableBytes<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.progress.check()?;
        let rest = self.bytes.fill_buf()?;
        Ok(rest.get(..PIECE).unwrap_or(rest))
    }

    fn consume(&mut self, count: usize) {
        self.bytes.consume(count);
    }
}

impl Seek for StoppableBytes<'_> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.bytes.seek(position)
    }
}
