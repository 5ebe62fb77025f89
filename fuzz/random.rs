//! Random numbers that depend only on the seed, and random changes to bytes.

/// A sequence of random numbers, which is determined by the seed, the format and the index of an input.
#[derive(Clone, Debug)]
pub(crate) struct Random(sinew_base::Random);

/// Numbers that often reveal bugs, as text.
const NUMBERS: [&str; 24] = [
    "0",
    "-0.0",
    "1",
    "-1",
    "2",
    "0.5",
    "1e-3",
    "1e-7",
    "1e-30",
    "1e-45",
    "1e-310",
    "3.4028235e38",
    "1e39",
    "-1e39",
    "1e308",
    "255",
    "256",
    "65535",
    "65536",
    "2147483648",
    "4294967295",
    "9007199254740993",
    "1e6",
    "-1e6",
];
/// Single-precision numbers that often reveal bugs.
const FLOATS: [f32; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    2.0,
    1e-3,
    1e-20,
    1e-40,
    1e6,
    -1e6,
    1e20,
    f32::MAX,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

impl Random {
    /// Creates the generator for the input with the given index in its format.
    pub(crate) fn new(seed: u64, format: &str, index: u64) -> Self {
        let mut state = sinew_base::Random(seed);
        let name = format.bytes().fold(0_u64, |hash, byte| hash.wrapping_mul(257).wrapping_add(byte.into()));
        state.0 = state.next().wrapping_add(name);
        state.0 = state.next().wrapping_add(index);
        Self(state)
    }

    /// Returns a random index below `end`, or 0 if `end` is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0.below(end)
    }

    /// Returns true once in `times` calls on average.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Returns the number of changes to make: usually one, and otherwise a random number from 1 to `most`. Inputs with
    /// many changes are usually rejected.
    pub(crate) fn few(&mut self, most: usize) -> usize {
        if self.once_in(3) { 1 + self.below(most) } else { 1 }
    }

    /// Returns a random number from 0 to 1.
    pub(crate) fn unit(&mut self) -> f64 {
        f64::from(u32::try_from(self.0.next() >> 32).unwrap_or(0)) / f64::from(u32::MAX)
    }

    /// Returns a random number between two numbers.
    pub(crate) fn within(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.unit()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.0.next().to_le_bytes()[0]
    }

    /// Returns a random element of a list, which must not be empty.
    pub(crate) fn choose<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }

    /// Returns a random number as text, often an extreme one.
    pub(crate) fn number(&mut self) -> String {
        match self.below(8) {
            0 | 1 => format!("{:.3}", self.within(-2.0, 2.0)),
            2 => self.below(40).to_string(),
            3 => format!("{:.1}", self.within(-200.0, 200.0)),
            4 => format!("{:e}", self.within(-1.0, 1.0) * 10.0_f64.powf(self.within(-40.0, 40.0))),
            _ => self.choose(&NUMBERS).to_owned(),
        }
    }

    fn float(&mut self) -> f32 {
        FLOATS[self.below(FLOATS.len())]
    }

    /// Makes random changes to a list of bytes. Its length usually stays the same.
    pub(crate) fn mutate_bytes(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..self.few(4) {
            if bytes.is_empty() {
                bytes.push(self.byte());
                continue;
            }
            let at = self.below(bytes.len());
            let end = (at + 1 + self.below(16)).min(bytes.len());
            match self.below(10) {
                0 => bytes[at] ^= 1 << self.below(8),
                1..=2 => bytes[at] = self.byte(),
                3..=5 => self.set_float(bytes, at),
                6 => bytes[at..end].fill(if self.once_in(2) { 0 } else { 0xFF }),
                7 => drop(bytes.drain(at..end)),
                8 => {
                    let piece = bytes[at..end].to_vec();
                    bytes.splice(at..at, piece);
                }
                _ if self.once_in(4) => bytes.truncate(at),
                _ => bytes[at] = bytes[at].wrapping_add(1),
            }
        }
    }

    /// Overwrites four bytes with an extreme single-precision number. The index is rounded down to a multiple of four.
    pub(crate) fn set_float(&mut self, bytes: &mut [u8], at: usize) {
        let value = self.float();
        if let Some(four) = bytes.get_mut(at & !3..).and_then(|rest| rest.first_chunk_mut()) {
            *four = value.to_le_bytes();
        }
    }
}
