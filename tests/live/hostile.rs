//! Generates malformed and malicious packets.

use sinew::capture::vmc::LONGEST_PACKET;

use crate::performer::WalkingPerformer;
use sinew_base::Random;
use sinew_testkit::osc;

/// A generator of invalid packets, which always generates the same sequence.
pub(crate) struct HostilePackets {
    random: Random,
    valid: Vec<u8>,
}

const ADDRESSES: [&str; 12] = [
    "/VMC/Ext/OK",
    "/VMC/Ext/T",
    "/VMC/Ext/Root/Pos",
    "/VMC/Ext/Bone/Pos",
    "/VMC/Ext/Blend/Val",
    "/VMC/Ext/Blend/Apply",
    "/VMC/Ext/Tra/Pos",
    "/position",
    "/position/leftHand",
    "/VMC/Ext/Cam",
    "/",
    "",
];

const NUMBERS: [f32; 9] =
    [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN_POSITIVE, 1e-42, -0.0, 1.0, 9.9e3];

impl HostilePackets {
    pub(crate) fn new(performer: &mut WalkingPerformer) -> Self {
        Self { random: Random(7), valid: performer.packet(0.3) }
    }

    fn below(&mut self, n: usize) -> usize {
        self.random.below(n)
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// Returns up to `most` random bytes.
    fn noise(&mut self, most: usize) -> Vec<u8> {
        (0..self.below(most + 1)).map(|_| self.below(256) as u8).collect()
    }

    /// Returns the next packet.
    pub(crate) fn packet(&mut self) -> Vec<u8> {
        let mut packet = match self.below(12) {
            0 => self.cut(),
            1 => self.flipped(),
            2 => self.spliced(),
            3 => self.nested(),
            4 => self.miscounted(),
            5 => self.oversized(),
            6 | 7 => self.mistyped(),
            8 | 9 => self.extreme(),
            10 => self.unknown_morph(),
            _ => self.noise(600),
        };
        packet.truncate(LONGEST_PACKET);
        packet
    }

    /// A valid packet that is cut off.
    fn cut(&mut self) -> Vec<u8> {
        let end = self.below(self.valid.len());
        self.valid[..end].to_vec()
    }

    /// A valid packet with some flipped bits.
    fn flipped(&mut self) -> Vec<u8> {
        let mut packet = self.valid.clone();
        for _ in 0..=self.below(16) {
            let at = self.below(packet.len());
            packet[at] ^= 1 << self.below(8);
        }
        packet
    }

    /// A valid packet in which a part is moved, repeated or removed.
    fn spliced(&mut self) -> Vec<u8> {
        let mut packet = self.valid.clone();
        let mut cut = [0; 3].map(|_: u8| self.below(packet.len()) / 4 * 4);
        cut.sort_unstable();
        match self.below(3) {
            0 => packet[cut[0]..cut[2]].rotate_left(cut[1] - cut[0]),
            1 => drop(packet.drain(cut[0]..cut[1])),
            _ => packet.extend_from_slice(&self.valid[cut[0]..cut[2]]),
        }
        packet
    }

    /// Nested bundles, sometimes with as many levels as a datagram can hold.
    fn nested(&mut self) -> Vec<u8> {
        let depth = if self.below(400) == 0 { 3200 } else { self.below(40) };
        let inner = osc::message("/VMC/Ext/T", "f", &1.0_f32.to_be_bytes());
        // Write the bundles from the outermost to the innermost. Each one contains everything that follows it.
        let mut out = Vec::new();
        for level in (0..depth).rev() {
            out.extend_from_slice(b"#bundle\0\0\0\0\0\0\0\0\x01");
            out.extend(((inner.len() + level * 20) as u32).to_be_bytes());
        }
        out.extend(inner);
        out
    }

    /// A bundle whose element has a wrong length field.
    fn miscounted(&mut self) -> Vec<u8> {
        let mut packet = osc::bundle(&[osc::named("/VMC/Ext/Bone/Pos", b"Hips", &[0.0; 7])]);
        let length = packet.len() as u32 - 20;
        let lengths =
            [u32::MAX, u32::MAX - 3, 1 << 31, i32::MAX as u32, length + 4, length - 4, length - 1, 3, 0];
        packet[16..20].copy_from_slice(&self.pick(&lengths).to_be_bytes());
        packet
    }

    /// Very long argument lists, arrays, blobs and strings, or length fields that claim such lengths.
    fn oversized(&mut self) -> Vec<u8> {
        let address = self.pick(&ADDRESSES);
        let many = if self.below(200) == 0 { 30_000 } else { self.below(100) };
        match self.below(5) {
            0 => osc::message(address, &"f".repeat(many), &vec![0; many * 4]),
            1 => osc::message(address, &format!("{}{}", "[".repeat(many), "]".repeat(many)), &[]),
            2 => {
                let length = self.pick(&[u32::MAX, i32::MAX as u32, 1 << 31, 70_000, many as u32]);
                osc::message(address, "b", &[&length.to_be_bytes()[..], &vec![1; many]].concat())
            }
            3 => [osc::text(address.as_bytes()), b",s\0\0".to_vec(), vec![b'A'; many]].concat(),
            _ => vec![self.pick(b"/#,\0\xff"); many],
        }
    }

    /// Messages of the protocol with arguments of the wrong types, including types that do not exist.
    fn mistyped(&mut self) -> Vec<u8> {
        let address = self.pick(&ADDRESSES);
        let tags: String =
            (0..self.below(12)).map(|_| char::from(self.pick(b"ifsbhtdScrmTFNI[]xz\x7f"))).collect();
        let noise = self.noise(80);
        osc::message(address, &tags, &noise)
    }

    /// Numbers that are not finite, or at the limits of their range.
    fn extreme(&mut self) -> Vec<u8> {
        let name = self.pick(&["Hips", "LeftHand", "root", "Head", "Tail"]);
        let address = self.pick(&ADDRESSES);
        let numbers: Vec<f32> = (0..7).map(|_| self.pick(&NUMBERS)).collect();
        let message = osc::named(address, name.as_bytes(), &numbers);
        // A valid message in the same bundle must not make the invalid one acceptable.
        if self.below(2) == 0 { message } else { osc::bundle(&[message, self.valid.clone()]) }
    }

    /// Weights for unknown morph names, some of which are not valid text.
    fn unknown_morph(&mut self) -> Vec<u8> {
        let mut name = self.noise(80);
        if self.below(2) == 0 {
            name.iter_mut().for_each(|b| *b = b'a' + *b % 26);
        }
        let value = osc::named("/VMC/Ext/Blend/Val", &name, &[self.pick(&NUMBERS)]);
        osc::bundle(&[value, osc::message("/VMC/Ext/Blend/Apply", "", &[])])
    }
}
