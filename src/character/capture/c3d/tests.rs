use super::*;

/// The contents of a file to write.
struct Written {
    processor: Processor,
    /// The scale factor of integer coordinates, or a negative number for floating-point coordinates.
    scale: f32,
}

/// The points of three frames, one of them missing, in millimetres with +Z up.
const FRAMES: [[Option<[f32; 3]>; 2]; 3] = [
    [Some([0.0, 100.0, 900.0]), Some([-50.5, 250.0, 1500.0])],
    [Some([10.0, 100.0, 901.0]), None],
    [Some([20.5, 101.0, 902.5]), Some([-51.0, 251.5, 1501.0])],
];

impl Written {
    fn integer(&self, value: i16) -> [u8; 2] {
        if self.processor == Processor::Mips { value.to_be_bytes() } else { value.to_le_bytes() }
    }

    fn float(&self, value: f32) -> [u8; 4] {
        match self.processor {
            Processor::Intel => value.to_le_bytes(),
            Processor::Mips => value.to_be_bytes(),
            Processor::Dec => {
                // The VAX format has a different exponent bias and a different position of the binary point.
                let [a, b, c, d] = (value * 4.0).to_le_bytes();
                [c, d, a, b]
            }
        }
    }

    fn coordinate(&self, value: f32) -> Vec<u8> {
        if self.scale > 0.0 {
            self.integer((value / self.scale).round() as i16).to_vec()
        } else {
            self.float(value).to_vec()
        }
    }

    fn parameter(&self, name: &str, kind: i8, dimensions: &[u8], data: &[u8]) -> Vec<u8> {
        let mut out = vec![name.len() as u8, 1];
        out.extend(name.bytes());
        let content = 2 + dimensions.len() + data.len() + 1;
        out.extend(self.integer(content as i16 + 2));
        out.extend([kind as u8, dimensions.len() as u8]);
        out.extend(dimensions.iter().chain(data).chain(&[0]));
        out
    }

    fn bytes(&self) -> Vec<u8> {
        let mut header = vec![2, 0x50];
        // Two points, two analog values per frame, and frames 1 to 3.
        for value in [2, 2, 1, 3, 0] {
            header.extend(self.integer(value));
        }
        header.extend(self.float(self.scale));
        header.extend(self.integer(3));
        header.extend(self.integer(1));
        header.extend(self.float(50.0));
        header.resize(BLOCK, 0);
        let code = match self.processor {
            Processor::Intel => 84,
            Processor::Dec => 85,
            Processor::Mips => 86,
        };
        let mut parameters = vec![1, 0x50, 1, code, 5, 0xFF];
        parameters.extend(b"POINT");
        parameters.extend(self.integer(3));
        parameters.push(0);
        parameters.extend(self.parameter("USED", 2, &[], &self.integer(2)));
        parameters.extend(self.parameter("UNITS", -1, &[2], b"mm"));
        parameters.extend(self.parameter("LABELS", -1, &[12, 2], b"Jane:hips   Jane:head   "));
        parameters.resize(BLOCK, 0);
        let mut data = Vec::new();
        for point in FRAMES.iter().flat_map(|frame| frame.iter().copied().chain([Some([7.0; 3])])) {
            // The third item contains the analog values, not a point.
            let is_analog = point == Some([7.0; 3]);
            for value in point.unwrap_or_default().into_iter().take(if is_analog { 2 } else { 3 }) {
                data.extend(self.coordinate(value));
            }
            if !is_analog {
                let word = if point.is_some() { 0x0105 } else { -1 };
                let word = if self.scale > 0.0 {
                    self.integer(word).to_vec()
                } else {
                    self.float(word.into()).to_vec()
                };
                data.extend(word);
            }
        }
        [header, parameters, data].concat()
    }
}

fn all_forms() -> impl Iterator<Item = Written> {
    [Processor::Intel, Processor::Dec, Processor::Mips]
        .into_iter()
        .flat_map(|processor| [0.5, -0.5].map(|scale| Written { processor, scale }))
}

#[test]
fn points_of_all_processors_are_read_as_metres_with_y_up() {
    for form in all_forms() {
        let take = parse_c3d(Path::new("take.c3d"), &form.bytes()).unwrap();
        assert_eq!(take.positions.joints, ["hips", "head"]);
        assert_eq!(take.times, [0.0, 0.02, 0.04]);
        for (frame, expected) in take.positions.frames.iter().zip(FRAMES) {
            for (point, expected) in frame.iter().zip(expected) {
                let expected = expected.map(|[x, y, z]| Vec3::new(x, z, -y) / 1000.0);
                let context = (form.processor, form.scale, point, expected);
                assert_eq!(point.is_some(), expected.is_some(), "{context:?}");
                assert!(point.zip(expected).is_none_or(|(a, b)| a.distance(b) < 1e-6), "{context:?}");
            }
        }
    }
}

#[test]
fn files_that_are_cut_off_or_damaged_are_errors_or_takes() {
    for form in all_forms() {
        let bytes = form.bytes();
        for end in 0..bytes.len() {
            let error = parse_c3d(Path::new("take.c3d"), &bytes[..end]).unwrap_err().to_string();
            assert!(error.starts_with("take.c3d: ") && !error.contains('\n'), "{error}");
        }
        for at in (0..24).chain(BLOCK..BLOCK + 100) {
            for value in [0, 1, 0x7F, 0x80, 0xFF] {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                if let Ok(take) = parse_c3d(Path::new("take.c3d"), &damaged) {
                    assert!(take.positions.frames.iter().flatten().flatten().all(|p| p.is_finite()));
                }
            }
        }
    }
}

#[test]
fn errors_say_what_is_missing() {
    let bytes = Written { processor: Processor::Intel, scale: -1.0 }.bytes();
    let error = |bytes: &[u8]| parse_c3d(Path::new("a.c3d"), bytes).unwrap_err().to_string();
    assert_eq!(error(b"time,x"), "a.c3d: header: this is not a C3D file");
    assert_eq!(error(&bytes[..bytes.len() - 1]), "a.c3d: data: the file ends before frame 3 of 3");
    let mut other = bytes.clone();
    other[BLOCK + 3] = 83;
    assert_eq!(error(&other), "a.c3d: parameters: unknown processor 83; expected 84, 85 or 86");
    let mut many = bytes;
    // Frame 65535 is far beyond the end, and no memory is reserved for the frames before it.
    many[8..10].copy_from_slice(&[0xFF, 0xFF]);
    assert_eq!(error(&many), "a.c3d: data: the file ends before frame 65535 of 65535");
}

/// Regression test: a point without a label was given a name that was already the label of another point.
#[test]
fn points_without_labels_get_names_of_their_own() {
    let form = Written { processor: Processor::Intel, scale: 0.5 };
    let mut bytes = form.bytes();
    let at = bytes.windows(9).position(|w| w == b"Jane:hips").unwrap();
    bytes[at..at + 24].copy_from_slice(b"            point 1     ");
    let take = parse_c3d(Path::new("take.c3d"), &bytes).unwrap();
    assert_eq!(take.positions.joints, ["point 1_2", "point 1"]);
}
