//! Goldens: small PNGs that name the machine that drew them, and the matrices of joints.

use std::io::{BufRead, BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};

use glam::{Affine3A, Vec3};
use serde::{Deserialize, Serialize};

use crate::puppet::Puppet;
use crate::render::Picture;
use crate::{atomic, bounded, json};

/// Bytes of the largest golden of joints that is read.
const MAX_JOINTS: u64 = 1 << 30;

/// Why a golden cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum GoldenError {
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The golden.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is no golden.
    #[error("{}: {cause}", path.display())]
    Bad {
        /// The golden.
        path: PathBuf,
        /// Why.
        cause: String,
    },
}

/// An image and the machine that drew it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// Its pixels.
    pub picture: Picture,
    /// Adapter, driver and CPU, for people to read; `None` where the file does not say.
    pub drawn_by: Option<String>,
}

/// What a PNG holds that is compared with an image of a known size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// An image of that size.
    Drawn(Drawn),
    /// An image of another width and height, which is not decoded: a small file may announce very many pixels.
    OtherSize(u32, u32),
}

impl Drawn {
    /// Reads a PNG, of this program or another one, if it is `width` by `height` pixels. `None` if there is no file.
    ///
    /// # Errors
    /// [`GoldenError`].
    pub fn read(path: &Path, width: u32, height: u32) -> Result<Option<Found>, GoldenError> {
        let file = match bounded::open(path) {
            Ok(file) => file,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(GoldenError::Io { path: path.into(), source }),
        };
        Self::decode(BufReader::new(file), (width, height))
            .map(Some)
            .map_err(|cause| GoldenError::Bad { path: path.into(), cause })
    }

    fn decode(bytes: impl BufRead + Seek, wanted: (u32, u32)) -> Result<Found, String> {
        let mut decoder = png::Decoder::new(bytes);
        decoder
            .set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
        let mut reader = decoder.read_info().map_err(|e| e.to_string())?;
        let (width, height) = reader.info().size();
        if (width, height) != wanted {
            return Ok(Found::OtherSize(width, height));
        }
        let size = reader.output_buffer_size().ok_or("its size is too large")?;
        let mut data = vec![0; size];
        let frame = reader.next_frame(&mut data).map_err(|e| e.to_string())?;
        data.truncate(frame.buffer_size());
        let rgba = match frame.color_type {
            png::ColorType::Rgba => data,
            png::ColorType::GrayscaleAlpha => {
                data.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect()
            }
            other => return Err(format!("{other:?} is no kind of picture that is compared")),
        };
        let texts = &reader.info().uncompressed_latin1_text;
        let drawn_by = texts.iter().find(|t| t.keyword == "Adapter").map(|t| t.text.clone());
        Ok(Found::Drawn(Self { picture: Picture { width, height, rgba }, drawn_by }))
    }

    /// As a small PNG that names the machine and this program's version in its metadata; the same bytes for the same
    /// input.
    ///
    /// # Errors
    /// Why the encoder refused.
    pub fn encode(&self) -> Result<Vec<u8>, String> {
        let picture = &self.picture;
        let solid = picture.rgba.chunks_exact(4).all(|p| p[3] == 255);
        let rgb;
        let (pixels, kind) = if solid {
            rgb = picture.rgb();
            (&rgb, png::ColorType::Rgb)
        } else {
            (&picture.rgba, png::ColorType::Rgba)
        };
        let mut bytes = Cursor::new(Vec::new());
        let mut encoder = png::Encoder::new(&mut bytes, picture.width, picture.height);
        encoder.set_color(kind);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        let version = concat!("sinew ", env!("CARGO_PKG_VERSION"));
        let write = |encoder: &mut png::Encoder<_>| {
            encoder.add_text_chunk("Software".into(), version.into())?;
            match &self.drawn_by {
                Some(machine) => encoder.add_text_chunk("Adapter".into(), latin(machine)),
                None => Ok(()),
            }
        };
        write(&mut encoder).map_err(|e| e.to_string())?;
        let mut writer = encoder.write_header().map_err(|e| e.to_string())?;
        writer.write_image_data(pixels).map_err(|e| e.to_string())?;
        writer.finish().map_err(|e| e.to_string())?;
        Ok(bytes.into_inner())
    }
}

/// What a text chunk of a PNG can hold.
fn latin(text: &str) -> String {
    text.chars().map(|c| if u32::from(c) < 256 && !c.is_control() { c } else { '?' }).collect()
}

/// The world matrices of a pose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Joints {
    /// `sinew-joints-1`.
    format: String,
    /// One a node, in file order.
    pub nodes: Vec<Joint>,
}

/// A node's world matrix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// Its name, or `#INDEX`.
    pub name: String,
    /// Its x, y and z axes, then its place in metres, world space.
    pub world: [f32; 12],
}

/// By what a node's matrix differs.
#[derive(Clone, Debug, PartialEq)]
pub struct JointDifference {
    /// Its name.
    pub name: String,
    /// Metres between the places.
    pub distance: f64,
    /// Radians between the axes, the largest of three.
    pub angle: f64,
}

const FORMAT: &str = "sinew-joints-1";

impl Joints {
    /// No node.
    pub fn none() -> Self {
        Self { format: FORMAT.into(), nodes: Vec::new() }
    }

    /// Those of a puppet as it stands.
    pub fn of(puppet: &Puppet) -> Self {
        let mut joints = Self::none();
        joints.add(puppet, "");
        joints
    }

    /// Adds those of a puppet as it stands by now; `at` goes before their names.
    pub fn add(&mut self, puppet: &Puppet, at: &str) {
        let skeleton = &puppet.character().skeleton;
        let nodes = puppet.world_from_node().iter().enumerate();
        let joint = |(n, world): (usize, &Affine3A)| Joint {
            name: format!("{at}{}", skeleton.label(n)),
            world: world.to_cols_array(),
        };
        self.nodes.extend(nodes.map(joint));
    }

    /// Reads them. `None` if there is no such file.
    ///
    /// # Errors
    /// [`GoldenError`].
    pub fn read(path: &Path) -> Result<Option<Self>, GoldenError> {
        let bytes = match bounded::read(path, MAX_JOINTS) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(GoldenError::Io { path: path.into(), source }),
        };
        let bad = |cause: String| GoldenError::Bad { path: path.into(), cause };
        let joints: Self = serde_json::from_slice(&bytes).map_err(|e| bad(e.to_string()))?;
        if joints.format != FORMAT {
            return Err(bad(format!("format is \"{}\", not \"{FORMAT}\"", joints.format)));
        }
        Ok(Some(joints))
    }

    /// As JSON, a line a node.
    ///
    /// # Errors
    /// The first joint whose matrix is not finite.
    pub fn encode(&self) -> Result<Vec<u8>, String> {
        let line =
            |joint: &Joint| json::to_string(joint).map_err(|e| format!("joint \"{}\": {e}", joint.name));
        let lines = self.nodes.iter().map(line).collect::<Result<Vec<String>, String>>()?;
        let lines = lines.join(",\n");
        Ok(format!("{{\"format\":\"{FORMAT}\",\"nodes\":[\n{lines}\n]}}\n").into_bytes())
    }

    /// Node by node against what was expected, the largest differences first; why not, where nodes are not the same.
    pub fn compare(&self, expected: &Self) -> Result<Vec<JointDifference>, String> {
        let (now, then) = (self.nodes.len(), expected.nodes.len());
        if now != then {
            return Err(format!("{now} nodes instead of {then}"));
        }
        let mut out = Vec::with_capacity(now);
        for (now, then) in self.nodes.iter().zip(&expected.nodes) {
            if now.name != then.name {
                return Err(format!("a node \"{}\" where \"{}\" was", now.name, then.name));
            }
            let column =
                |joint: &Joint, i: usize| Vec3::from_slice(&joint.world[3 * i..3 * i + 3]).as_dvec3();
            let between = |i: usize| {
                let (a, b) = (column(now, i), column(then, i));
                // Scale is no turn, but what is lost or mirrored must show.
                let angle = a.cross(b).length().atan2(a.dot(b));
                let stretch = (a.length() - b.length()).abs() / b.length().max(f64::MIN_POSITIVE);
                angle.max(stretch)
            };
            let angle = (0..3).map(between).fold(0.0, f64::max);
            let distance = column(now, 3).distance(column(then, 3));
            // What is not finite is as far off as can be.
            let worst = |x: f64| if x.is_nan() { f64::INFINITY } else { x };
            out.push(JointDifference {
                name: now.name.clone(),
                distance: worst(distance),
                angle: worst(angle),
            });
        }
        out.sort_by(|a, b| b.distance.total_cmp(&a.distance).then(b.angle.total_cmp(&a.angle)));
        Ok(out)
    }
}

/// Whether a file is one that this module has written: its folder may hold others' too.
pub(super) fn is_ours(path: &Path) -> bool {
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

/// Writes a golden whole.
///
/// # Errors
/// [`GoldenError::Io`].
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
        let nodes =
            vec![Joint { name: "a \"b\"".into(), world }, Joint { name: "#1".into(), world: [1.0; 12] }];
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
        fn joints_are_read_as_they_were_written(world in prop::array::uniform12(prop::num::f32::ANY)) {
            match joints(world).encode() {
                Ok(bytes) => prop_assert_eq!(read("any", &bytes).unwrap(), joints(world)),
                Err(error) => prop_assert!(error.starts_with("joint \"a \"b\"\": world["), "{}", error),
            }
        }
    }

    #[test]
    fn numbers_that_are_not_finite_are_neither_written_nor_read() {
        let mut world = [0.0; 12];
        world[9] = f32::NAN;
        assert_eq!(joints(world).encode().unwrap_err(), "joint \"a \"b\"\": world[9] is not finite");
        let good = String::from_utf8(joints([0.5; 12]).encode().unwrap()).unwrap();
        let error = read("large", good.replacen("0.5", "-1e39", 1).as_bytes()).unwrap_err();
        assert!(error.ends_with("number out of range at line 2 column 32"), "{error}");
        assert!(read("null", good.replacen("0.5", "null", 1).as_bytes()).is_err());
    }
}
