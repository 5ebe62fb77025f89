//! A table of values per frame. All values are stored in a single list, because a take may have millions of
//! frames with few values each.

use std::ops::Index;

/// A table with one row per frame. All rows have the same width.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frames<T> {
    width: usize,
    /// Number of rows. It cannot be computed from the length of `values`, because the width of a row may be zero.
    count: usize,
    values: Vec<T>,
}

impl<T: Clone + Default> Frames<T> {
    /// Creates an empty table for frames of `width` values.
    pub fn new(width: usize) -> Self {
        Self { width, count: 0, values: Vec::new() }
    }

    /// Creates a table from rows.
    pub fn of(width: usize, rows: impl IntoIterator<Item = Vec<T>>) -> Self {
        let mut frames = Self::new(width);
        rows.into_iter().for_each(|row| frames.push(row));
        frames
    }

    /// Appends a frame. Extra values are dropped, and missing values are set to the default.
    pub fn push(&mut self, row: impl IntoIterator<Item = T>) {
        self.values.extend(row.into_iter().take(self.width));
        self.resize(self.count + 1);
    }

    /// Truncates the table to `count` frames, or extends it with frames of default values.
    pub fn resize(&mut self, count: usize) {
        self.count = count;
        self.values.resize(count * self.width, T::default());
    }

    /// Returns the number of frames.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns whether the table has no frames.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the number of values per frame.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the values of a frame.
    pub fn get(&self, frame: usize) -> Option<&[T]> {
        let start = frame * self.width;
        self.values.get(start..start + self.width).filter(|_| frame < self.count)
    }

    /// Returns the values of a frame as a mutable slice.
    pub fn get_mut(&mut self, frame: usize) -> Option<&mut [T]> {
        let start = frame * self.width;
        self.values.get_mut(start..start + self.width).filter(|_| frame < self.count)
    }

    /// Iterates over mutable references to the values of all frames.
    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.values.iter_mut()
    }

    /// Iterates over all frames.
    pub fn iter(&self) -> impl Iterator<Item = &[T]> {
        (0..self.count).filter_map(|frame| self.get(frame))
    }
}

impl<T> Index<usize> for Frames<T> {
    type Output = [T];

    /// Returns the values of a frame. Panics if the frame does not exist.
    fn index(&self, frame: usize) -> &[T] {
        assert!(frame < self.count, "frame {frame} does not exist; there are {} frames", self.count);
        &self.values[frame * self.width..(frame + 1) * self.width]
    }
}
