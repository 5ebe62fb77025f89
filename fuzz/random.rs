//! Random numbers that are the same for the same seed, on every machine, and what they do to bytes.

/// A generator of random numbers: SplitMix64 (Steele, Lea & Flood 2014).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

/// Numbers at which programs go wrong, as text.
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
/// The same as single precision.
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
    /// The numbers of the input at a place of a format.
    pub(crate) fn new(seed: u64, format: &str, place: u64) -> Self {
        let mut state = Self(seed);
        let name = format.bytes().fold(0_u64, |hash, byte| hash.wrapping_mul(257).wrapping_add(byte.into()));
        state.0 = state.next().wrapping_add(name);
        state.0 = state.next().wrapping_add(place);
        state
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below another; 0 below 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end.max(1)).unwrap_or(u64::MAX);
        usize::try_from(self.next() % end).unwrap_or(0)
    }

    /// True once in `times` calls on average.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One, or now and then up to `most`: one change finds most, and more of the rest is refused.
    pub(crate) fn few(&mut self, most: usize) -> usize {
        if self.once_in(3) { 1 + self.below(most) } else { 1 }
    }

    /// From 0 up to 1.
    pub(crate) fn unit(&mut self) -> f64 {
        f64::from(u32::try_from(self.next() >> 32).unwrap_or(0)) / f64::from(u32::MAX)
    }

    /// From one number to another.
    pub(crate) fn within(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.unit()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }

    /// One of a list that is not empty.
    pub(crate) fn choose<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }

    /// A number as text: mostly an odd one.
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

    /// Changes some bytes, the length mostly not.
    pub(crate) fn bytes(&mut self, bytes: &mut Vec<u8>) {
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

    /// Writes a number of single precision at the boundary of four bytes before a place.
    pub(crate) fn set_float(&mut self, bytes: &mut [u8], at: usize) {
        let value = self.float();
        if let Some(four) = bytes.get_mut(at & !3..).and_then(|rest| rest.first_chunk_mut()) {
            *four = value.to_le_bytes();
        }
    }
}
