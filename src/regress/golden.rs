//! Reads and writes goldens, which are PNG images with the name of the machine that drew them, and JSON files with the
//! world matrices of joints.

use std::io::Read;
use std::io::{BufRead, BufReader, Cursor, Seek};
use std::path::{Path, PathBuf};

use glam::{Affine3A, Vec3};
use serde::{Deserialize, Serialize};

use crate::files::atomic;
use crate::files::bounded;
use crate::puppet::Puppet;
use crate::render::DecodedImage;
use crate::text::json;

use super::record::RecordedScene;

/// Maximum size of a joint golden, in bytes.
const MAX_JOINTS_BYTES: u64 = 1 << 30;

/// An error while reading or writing a golden.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GoldenError {
    /// The file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The golden.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The golden cannot be encoded.
    #[error("{cause}")]
    Encode {
        /// The joint whose matrix is not finite, or the message of the PNG encoder.
        cause: String,
    },
    /// Two poses have different nodes.
    #[error("{cause}")]
    Nodes {
        /// The first difference.
        cause: String,
    },
    /// The file is not a valid golden.
    #[error("{}: {cause}", path.display())]
    Invalid {
        /// The golden.
        path: PathBuf,
        /// Description of the error.
        cause: String,
    },
}

/// An image and the machine that drew it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Drawn {
    /// The pixels.
    pub image: DecodedImage,
    /// Description of the adapter, the driver and the CPU. `None` if the file does not contain it.
    pub drawn_by: Option<String>,
    /// What the image shows. `None` if the file does not contain it.
    pub scene: Option<RecordedScene>,
}

/// The golden image of a case, read for a comparison with an image of a known size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GoldenState {
    /// The golden, which has the same size.
    Drawn(Drawn),
    /// Width and height of a golden of a different size. The golden is not decoded, because a small file may declare a huge
    /// image.
    OtherSize(u32, u32),
}

impl Drawn {
    /// Creates an image without metadata.
    pub fn new(image: DecodedImage) -> Self {
        Self { image, drawn_by: None, scene: None }
    }

    /// Reads a PNG from any program. It is only decoded if its size is `width` by `height` pixels. Returns `None` if
    /// the file does not exist.
    ///
    /// # Errors
    /// [`GoldenError`] if the file cannot be read or is not a valid PNG.
    pub fn read(path: &Path, width: u32, height: u32) -> Result<Option<GoldenState>, GoldenError> {
        let file = match bounded::open(path) {
            Ok(file) => file,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(GoldenError::Io { path: path.into(), source }),
        };
        Self::decode(BufReader::new(file), (width, height))
            .map(Some)
            .map_err(|cause| GoldenError::Invalid { path: path.into(), cause })
    }

    fn decode(bytes: impl BufRead + Seek, expected_size: (u32, u32)) -> Result<GoldenState, String> {
        let mut decoder = png::Decoder::new(bytes);
        decoder
            .set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
        let mut reader = decoder.read_info().map_err(|e| e.to_string())?;
        let (width, height) = reader.info().size();
        if (width, height) != expected_size {
            return Ok(GoldenState::OtherSize(width, height));
        }
        let size = reader.output_buffer_size().ok_or("image is too large")?;
        let mut data = vec![0; size];
        let frame = reader.next_frame(&mut data).map_err(|e| e.to_string())?;
        data.truncate(frame.buffer_size());
        let rgba = match frame.color_type {
            png::ColorType::Rgba => data,
            png::ColorType::GrayscaleAlpha => {
                data.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect()
            }
            other => return Err(format!("colour type {other:?} is not supported")),
        };
        let texts = &reader.info().uncompressed_latin1_text;
        let drawn_by = texts.iter().find(|t| t.keyword == "Adapter").map(|t| t.text.clone());
        let scene = RecordedScene::find(&reader.info().compressed_latin1_text, texts);
        Ok(GoldenState::Drawn(Self { image: DecodedImage { width, height, rgba }, drawn_by, scene }))
    }

    /// Encodes the image as a well-compressed PNG. Its metadata contains the machine and this program's version. The
    /// same input always gives the same bytes.
    ///
    /// # Errors
    /// [`GoldenError::Encode`] with the message of the PNG encoder.
    pub fn encode(&self) -> Result<Vec<u8>, GoldenError> {
        self.encoded().map_err(|error| GoldenError::Encode { cause: error.to_string() })
    }

    fn encoded(&self) -> Result<Vec<u8>, png::EncodingError> {
        let image = &self.image;
        let solid = image.rgba.chunks_exact(4).all(|p| p[3] == 255);
        let rgb;
        let (pixels, kind) = if solid {
            rgb = image.rgb();
            (&rgb, png::ColorType::Rgb)
        } else {
            (&image.rgba, png::ColorType::Rgba)
        };
        let mut bytes = Cursor::new(Vec::new());
        let mut encoder = png::Encoder::new(&mut bytes, image.width, image.height);
        encoder.set_color(kind);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        let version = concat!("sinew ", env!("CARGO_PKG_VERSION"));
        encoder.add_text_chunk("Software".into(), version.into())?;
        if let Some(machine) = &self.drawn_by {
            encoder.add_text_chunk("Adapter".into(), latin(machine))?;
        }
        let mut writer = encoder.write_header()?;
        if let Some(scene) = &self.scene {
            scene.write(&mut writer)?;
        }
        writer.write_image_data(pixels)?;
        writer.finish()?;
        Ok(bytes.into_inner())
    }
}

/// Replaces the characters that a text chunk of a PNG cannot store.
fn latin(text: &str) -> String {
    text.chars().map(|c| if u32::from(c) < 256 && !c.is_control() { c } else { '?' }).collect()
}

/// The world matrices of a pose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Joints {
    /// The file format, `sinew-joints-1`.
    format: String,
    /// One element for each node, in file order.
    pub nodes: Vec<JointRecord>,
}

/// A node's world matrix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JointRecord {
    /// Name of the node, or `#INDEX`.
    pub name: String,
    /// The x, y and z axes, followed by the position in metres, in world space.
    pub world: [f32; 12],
}

/// The difference between two world matrices of a node.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct JointDifference {
    /// Name of the node.
    pub name: String,
    /// Distance between the positions, in metres.
    pub distance: f64,
    /// The largest angle between corresponding axes, in radians, or the largest relative difference between their lengths if that
    /// is larger.
    pub angle: f64,
}

const FORMAT: &str = "sinew-joints-1";

impl Joints {
    /// Returns an empty list of joints.
    pub fn none() -> Self {
        Self { format: FORMAT.into(), nodes: Vec::new() }
    }

    /// Returns the joints of a puppet in its current pose.
    pub fn of(puppet: &Puppet) -> Self {
        let mut joints = Self::none();
        joints.add(puppet, "");
        joints
    }

    /// Adds the joints of a puppet in its current pose. `prefix` is added before each name.
    pub fn add(&mut self, puppet: &Puppet, prefix: &str) {
        let skeleton = &puppet.character().skeleton;
        let nodes = puppet.world_from_node().iter().enumerate();
        let joint = |(n, world): (usize, &Affine3A)| JointRecord {
            name: format!("{prefix}{}", skeleton.label(n)),
            world: world.to_cols_array(),
        };
        self.nodes.extend(nodes.map(joint));
    }

    /// Reads a joint golden. Returns `None` if the file does not exist.
    ///
    /// # Errors
    /// [`GoldenError`] if the file cannot be read or is invalid.
    pub fn read(path: &Path) -> Result<Option<Self>, GoldenError> {
        let bytes = match bounded::read(path, MAX_JOINTS_BYTES) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(GoldenError::Io { path: path.into(), source }),
        };
        let bad = |cause: String| GoldenError::Invalid { path: path.into(), cause };
        let joints: Self = serde_json::from_slice(&bytes).map_err(|e| bad(e.to_string()))?;
        if joints.format != FORMAT {
            return Err(bad(format!("format is \"{}\", but must be \"{FORMAT}\"", joints.format)));
        }
        Ok(Some(joints))
    }

    /// Encodes the joints as JSON with one line per node.
    ///
    /// # Errors
    /// [`GoldenError::Encode`] with the first joint whose matrix is not finite.
    pub fn encode(&self) -> Result<Vec<u8>, GoldenError> {
        let line = |joint: &JointRecord| {
            json::to_string(joint).map_err(|e| format!("joint \"{}\": {e}", joint.name))
        };
        let lines = self.nodes.iter().map(line).collect::<Result<Vec<String>, String>>();
        let lines = lines.map_err(|cause| GoldenError::Encode { cause })?;
        let lines = lines.join(",\n");
        Ok(format!("{{\"format\":\"{FORMAT}\",\"nodes\":[\n{lines}\n]}}\n").into_bytes())
    }

    /// Compares the joints node by node with the expected ones. The largest differences come first.
    ///
    /// ```
    /// use sinew_character::glam::Quat;
    /// use sinew_character::pose::Pose;
    /// use sinew_regress::Joints;
    /// use sinew_character::{asset, puppet::Puppet};
    ///
    /// let mut puppet = Puppet::new(asset::mannequin()?, 0);
    /// let golden = Joints::of(&puppet);
    /// let hand = puppet.character().skeleton.find("leftHand").ok_or("no hand")?;
    /// let mut pose = Pose::rest(&puppet.character().skeleton);
    /// pose.locals[hand].rotation *= Quat::from_rotation_x(0.1);
    /// puppet.follow(&pose, &[])?;
    /// let differences = Joints::of(&puppet).compare(&golden)?;
    /// assert!((differences[0].angle - 0.1).abs() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`GoldenError::Nodes`] if the number of nodes or one of their names differs.
    pub fn compare(&self, expected: &Self) -> Result<Vec<JointDifference>, GoldenError> {
        let (count, expected_count) = (self.nodes.len(), expected.nodes.len());
        if count != expected_count {
            return Err(GoldenError::Nodes { cause: format!("{count} nodes instead of {expected_count}") });
        }
        let mut out = Vec::with_capacity(count);
        for (actual, expected) in self.nodes.iter().zip(&expected.nodes) {
            if actual.name != expected.name {
                let cause = format!("node \"{}\" instead of \"{}\"", actual.name, expected.name);
                return Err(GoldenError::Nodes { cause });
            }
            let column =
                |joint: &JointRecord, i: usize| Vec3::from_slice(&joint.world[3 * i..3 * i + 3]).as_dvec3();
            let between = |i: usize| {
                let (a, b) = (column(actual, i), column(expected, i));
                // A change of scale does not change angles, but must count as a difference too.
                let angle = a.cross(b).length().atan2(a.dot(b));
                let stretch = (a.length() - b.length()).abs() / b.length().max(f64::MIN_POSITIVE);
                angle.max(stretch)
            };
            let angle = (0..3).map(between).fold(0.0, f64::max);
            let distance = column(actual, 3).distance(column(expected, 3));
            // NaN counts as an infinite difference.
            let nan_as_infinity = |x: f64| if x.is_nan() { f64::INFINITY } else { x };
            out.push(JointDifference {
                name: actual.name.clone(),
                distance: nan_as_infinity(distance),
                angle: nan_as_infinity(angle),
            });
        }
        out.sort_by(|a, b| b.distance.total_cmp(&a.distance).then(b.angle.total_cmp(&a.angle)));
        Ok(out)
    }
}

/// Returns whether a file was written by this module. The folder of goldens may contain other files too.
pub(super) fn is_golden(path: &Path) -> bool {
    let Ok(file) = bounded::open_regular(path) else { return false };
    match path.extension().and_then(|e| e.to_str()) {
        Some("png") => {
            let reader = png::Decoder::new(BufReader::new(file)).read_info();
            let texts = reader.map(|r| r.info().uncompressed_latin1_text.clone()).unwrap_or_default();
            texts.iter().any(|t| t.keyword == "Software" && t.text.starts_with("sinew "))
        }
        Some("json") => {
            let mut start = String::new();
            let read = BufReader::new(file).take(64).read_to_string(&mut start);
            read.is_ok() && start.starts_with(&format!("{{\"format\":\"{FORMAT}\""))
        }
        _ => false,
    }
}

/// Writes a golden atomically.
///
/// # Errors
/// [`GoldenError::Io`] if the file or its folder cannot be written.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), GoldenError> {
    let io = |source| GoldenError::Io { path: path.into(), source };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(io)?;
    }
    atomic::write(path, bytes).map_err(io)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn joints(world: [f32; 12]) -> Joints {
        let nodes = vec![
            JointRecord { name: "a \"b\"".into(), world },
            JointRecord { name: "#1".into(), world: [1.0; 12] },
        ];
        Joints { nodes, ..Joints::none() }
    }

    fn read(name: &str, bytes: &[u8]) -> Result<Joints, String> {
        let path = std::env::temp_dir().join(format!("sinew-golden-{}-{name}.json", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        let read = Joints::read(&path).map(|joints| joints.unwrap_or_else(Joints::none));
        std::fs::remove_file(&path).unwrap();
        read.map_err(|e| e.to_string())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn joints_round_trip(world in prop::array::uniform12(prop::num::f32::ANY)) {
            match joints(world).encode() {
                Ok(bytes) => prop_assert_eq!(read("any", &bytes).unwrap(), joints(world)),
                Err(error) => prop_assert!(error.to_string().starts_with("joint \"a \"b\"\": world["), "{}", error),
            }
        }
    }

    #[test]
    fn numbers_that_are_not_finite_are_neither_written_nor_read() {
        let mut world = [0.0; 12];
        world[9] = f32::NAN;
        assert_eq!(
            joints(world).encode().unwrap_err().to_string(),
            "joint \"a \"b\"\": world[9] is not finite"
        );
        let valid = String::from_utf8(joints([0.5; 12]).encode().unwrap()).unwrap();
        let error = read("large", valid.replacen("0.5", "-1e39", 1).as_bytes()).unwrap_err();
        assert!(error.ends_with("number out of range at line 2 column 32"), "{error}");
        assert!(read("null", valid.replacen("0.5", "null", 1).as_bytes()).is_err());
    }
}
