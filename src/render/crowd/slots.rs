//! Which slots of a batch contain characters. All operations except [`Slots::clear`] take constant or logarithmic time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// The smallest number of slots that are added at once.
const SMALLEST: u32 = 64;

/// The slots of a batch, or of a crowd on the CPU.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    capacity: u32,
    /// Number of slots that have ever been used. All later slots are free.
    used: u32,
    /// Free slots below `used` whose state on the GPU is cleared. The lowest slot is taken first, so that neighbouring slots are often
    /// written together.
    cleared: BinaryHeap<Reverse<u32>>,
    /// Slots that were freed since the last call of [`Slots::clear`].
    freed: Vec<u32>,
    /// Slots that were taken since the last call of [`Slots::clear`].
    taken: Vec<u32>,
    /// For each slot, whether it is in `taken`.
    is_new: Vec<bool>,
    /// For each slot, the number of times that it was taken or freed. It is odd while the slot contains a character.
    generations: Vec<u32>,
}

/// A slot that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) index: u32,
    pub(super) generation: u32,
    /// Whether the slot still contains the state of another character.
    pub(super) is_dirty: bool,
}

impl Slots {
    pub(super) fn new(capacity: u32) -> Self {
        Self {
            capacity,
            used: 0,
            cleared: BinaryHeap::new(),
            freed: Vec::new(),
            taken: Vec::new(),
            is_new: vec![false; capacity as usize],
            generations: vec![0; capacity as usize],
        }
    }

    /// Returns the number of slots that have ever been used. All later slots are free.
    pub(super) fn used(&self) -> u32 {
        self.used
    }

    /// Returns the number of free slots.
    pub(super) fn free(&self) -> usize {
        (self.capacity - self.used) as usize + self.cleared.len() + self.freed.len()
    }

    /// Returns the number of characters.
    pub(super) fn len(&self) -> usize {
        self.capacity as usize - self.free()
    }

    /// Adds free slots if all are in use, so that the capacity is at least doubled.
    pub(super) fn grow(&mut self) {
        if self.free() == 0 {
            self.capacity = self.capacity.saturating_mul(2).max(SMALLEST);
            self.is_new.resize(self.capacity as usize, false);
            self.generations.resize(self.capacity as usize, 0);
        }
    }

    /// Takes a free slot, preferably a cleared one. Returns `None` if all slots contain characters.
    pub(super) fn take(&mut self) -> Option<Slot> {
        let (index, is_dirty) = if let Some(Reverse(index)) = self.cleared.pop() {
            (index, false)
        } else if self.used < self.capacity {
            self.used += 1;
            (self.used - 1, false)
        } else {
            (self.freed.pop()?, true)
        };
        let generation = self.generations.get_mut(index as usize)?;
        *generation = generation.wrapping_add(1);
        if let Some(is_new) = self.is_new.get_mut(index as usize).filter(|is_new| !**is_new) {
            *is_new = true;
            self.taken.push(index);
        }
        Some(Slot { index, generation: *generation, is_dirty })
    }

    /// Frees a slot. Returns whether it contained the character of that generation.
    pub(super) fn release(&mut self, index: u32, generation: u32) -> bool {
        if self.generation(index) != Some(generation) {
            return false;
        }
        if let Some(current) = self.generations.get_mut(index as usize) {
            *current = current.wrapping_add(1);
        }
        self.freed.push(index);
        true
    }

    /// Returns the generation of the character in a slot, or `None` if the slot is free.
    pub(super) fn generation(&self, index: u32) -> Option<u32> {
        self.generations.get(index as usize).copied().filter(|generation| generation % 2 == 1)
    }

    /// Returns the generation of the character in a slot if it was added before the last call of [`Slots::clear`]. Until a step poses a new
    /// character, the GPU may still have the pose of the one that it replaced.
    pub(super) fn posed(&self, index: u32) -> Option<u32> {
        let is_new = self.is_new.get(index as usize).copied().unwrap_or_default();
        self.generation(index).filter(|_| !is_new)
    }

    /// Calls a function with the ranges of slots that were freed since the last call and are still free. The function must clear their
    /// state. From now on, all characters count as posed.
    pub(super) fn clear(&mut self, mut clear: impl FnMut(Range<u32>)) {
        for index in self.taken.drain(..) {
            if let Some(is_new) = self.is_new.get_mut(index as usize) {
                *is_new = false;
            }
        }
        self.freed.sort_unstable();
        for run in self.freed.chunk_by(|a, b| a + 1 == *b) {
            if let (Some(&first), Some(&last)) = (run.first(), run.last()) {
                clear(first..last + 1);
            }
        }
        self.cleared.extend(self.freed.drain(..).map(Reverse));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(slots: &mut Slots) -> (u32, u32, bool) {
        let slot = slots.take().unwrap();
        (slot.index, slot.generation, slot.is_dirty)
    }

    #[test]
    fn freed_slots_are_cleared_in_ranges_and_taken_again() {
        let mut slots = Slots::new(6);
        let all: Vec<_> = (0..6).map(|_| take(&mut slots)).collect();
        assert_eq!(all, (0..6).map(|index| (index, 1, false)).collect::<Vec<_>>());
        assert_eq!((slots.take(), slots.free(), slots.len()), (None, 0, 6));
        for index in [5, 1, 2] {
            assert!(slots.release(index, 1));
            assert!(!slots.release(index, 1));
        }
        let mut ranges = Vec::new();
        slots.clear(|range| ranges.push(range));
        assert_eq!(ranges, [1..3, 5..6]);
        assert_eq!((slots.free(), slots.len(), slots.used()), (3, 3, 6));
        assert_eq!([take(&mut slots), take(&mut slots)], [(1, 3, false), (2, 3, false)]);
        assert_eq!([0, 1, 2, 5].map(|index| slots.posed(index)), [Some(1), None, None, None]);
        slots.clear(|range| panic!("{range:?} was not freed"));
    }

    #[test]
    fn slots_grow_only_if_none_is_free() {
        let mut slots = Slots::new(0);
        assert_eq!(slots.take(), None);
        slots.grow();
        assert_eq!((take(&mut slots), slots.free()), ((0, 1, false), SMALLEST as usize - 1));
        slots.grow();
        assert_eq!(slots.free(), SMALLEST as usize - 1);
        while slots.take().is_some() {}
        assert!(slots.release(3, 1));
        slots.grow();
        assert_eq!((take(&mut slots), slots.free()), ((3, 3, true), 0));
        slots.grow();
        assert_eq!((take(&mut slots), slots.len()), ((SMALLEST, 1, false), SMALLEST as usize + 1));
        assert_eq!((slots.generation(0), slots.generation(3)), (Some(1), Some(3)));
    }

    #[test]
    fn a_slot_that_was_just_freed_is_taken_only_if_no_other_slot_is_free() {
        let mut slots = Slots::new(2);
        take(&mut slots);
        assert!(slots.release(0, 1));
        assert_eq!(take(&mut slots), (1, 1, false));
        assert_eq!(take(&mut slots), (0, 3, true));
        assert_eq!((slots.generation(0), slots.posed(0)), (Some(3), None));
        slots.clear(|range| panic!("{range:?} is in use"));
        assert_eq!((slots.posed(0), slots.posed(1)), (Some(3), Some(1)));
        assert!(slots.release(0, 3));
        assert_eq!((slots.generation(0), slots.generation(9)), (None, None));
    }
}
