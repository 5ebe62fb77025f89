//! Values frame by frame in one list: a take may have millions of frames, each of few values.

use std::ops::Index;

/// Rows of the same width, one a frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frames<T> {
    width: usize,
    /// Apart from the values: a row may have none.
    count: usize,
    values: Vec<T>,
}

impl<T: Clone + Default> Frames<T> {
    /// No frame, each of which will have `width` values.
    pub fn new(width: usize) -> Self {
        Self { width, count: 0, values: Vec::new() }
    }

    /// Frames of some rows.
    pub fn of(width: usize, rows: impl IntoIterator<Item = Vec<T>>) -> Self {
        let mut frames = Self::new(width);
        rows.into_iter().for_each(|row| frames.push(row));
        frames
    }

    /// Adds a frame. Of too many values the first count; those that are missing are the default.
    pub fn push(&mut self, row: impl IntoIterator<Item = T>) {
        self.values.extend(row.into_iter().take(self.width));
        self.resize(self.count + 1);
    }

    /// Cuts it, or adds frames of defaults, to a number of frames.
    pub fn resize(&mut self, count: usize) {
        self.count = count;
        self.values.resize(count * self.width, T::default());
    }

    /// How many frames there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many values a frame has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The values of a frame.
    pub fn get(&self, frame: usize) -> Option<&[T]> {
        let start = frame * self.width;
        self.values.get(start..start + self.width).filter(|_| frame < self.count)
    }

    /// The values of a frame, to be changed.
    pub fn get_mut(&mut self, frame: usize) -> Option<&mut [T]> {
        let start = frame * self.width;
        self.values.get_mut(start..start + self.width).filter(|_| frame < self.count)
    }

    /// All frames.
    pub fn iter(&self) -> impl Iterator<Item = &[T]> {
        (0..self.count).filter_map(|frame| self.get(frame))
    }
}

impl<T> Index<usize> for Frames<T> {
    type Output = [T];

    /// As a list's: panics beyond the last frame.
    fn index(&self, frame: usize) -> &[T] {
        assert!(frame < self.count, "frame {frame} of {}", self.count);
        &self.values[frame * self.width..(frame + 1) * self.width]
    }
}
