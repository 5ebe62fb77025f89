//! Stores records as text in the metadata of PNG files.

use std::io::Write;

use png::text_metadata::{TEXtChunk, ZTXtChunk};
use serde::Deserialize;

use crate::api::Missing;
use crate::text::json;

use super::{SceneRecord, VERSION};

/// Keywords of the text chunks.
const KEYWORD: &str = "Scene";
const CONTENTS: &str = "Contents";
/// Maximum size of a decompressed record, in bytes.
const MAX_BYTES: usize = 64 << 20;

/// A record as it is stored in a golden. It is decoded only when it is needed, because most images do not change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedScene {
    scene: ZTXtChunk,
    /// Digest of everything that does not depend on the pose and the view.
    contents: Option<String>,
}

/// The only field that every version has.
#[derive(Deserialize)]
struct Version {
    version: Option<u32>,
}

impl RecordedScene {
    /// Encodes a record.
    ///
    /// # Errors
    /// The path of a number that is not finite.
    pub fn encode(record: &SceneRecord) -> Result<Self, String> {
        let json = json::to_string(record).map_err(|e| e.to_string())?;
        let contents = Some(record.contents_digest());
        Ok(Self { scene: ZTXtChunk::new(KEYWORD, ascii(&json)), contents })
    }

    /// Finds the record among the text chunks of a PNG.
    pub(crate) fn find(compressed: &[ZTXtChunk], plain: &[TEXtChunk]) -> Option<Self> {
        let scene = compressed.iter().find(|chunk| chunk.keyword == KEYWORD).cloned()?;
        let contents = plain.iter().find(|chunk| chunk.keyword == CONTENTS).map(|chunk| chunk.text.clone());
        Some(Self { scene, contents })
    }

    /// Writes the chunks after the header of a PNG. Nothing is written if the text is damaged.
    ///
    /// The PNG encoder compresses text quickly rather than well, so its chunks would be a tenth longer.
    pub(crate) fn write(&self, writer: &mut png::Writer<impl Write>) -> Result<(), png::EncodingError> {
        let Ok(text) = self.text() else { return Ok(()) };
        if let Some(contents) = &self.contents {
            writer.write_text_chunk(&TEXtChunk::new(CONTENTS, contents.clone()))?;
        }
        // The keyword, a zero, and the method of compression, which is zero.
        let data = [KEYWORD.as_bytes(), &[0, 0]].concat();
        let mut compressed = flate2::write::ZlibEncoder::new(data, flate2::Compression::best());
        compressed.write_all(text.as_bytes())?;
        writer.write_chunk(png::chunk::zTXt, &compressed.finish()?)
    }

    /// Returns whether the meshes, inverse bind matrices and materials match another record.
    pub(crate) fn has_contents_of(&self, record: &SceneRecord) -> bool {
        self.contents.as_ref().is_some_and(|contents| *contents == record.contents_digest())
    }

    fn text(&self) -> Result<String, String> {
        let mut chunk = self.scene.clone();
        chunk.decompress_text_with_limit(MAX_BYTES).map_err(|e| e.to_string())?;
        chunk.get_text().map_err(|e| e.to_string())
    }

    /// Decodes the record.
    ///
    /// # Errors
    /// A description of the damage.
    pub fn decode(&self) -> Result<SceneRecord, String> {
        let text = self.text()?;
        let record: SceneRecord = serde_json::from_str(&text).map_err(|e| {
            let found = serde_json::from_str(&text).ok().map(|Version { version }| version.unwrap_or(1));
            match found.filter(|version| *version != VERSION) {
                Some(version) => format!(
                    "version {version} of the record instead of {VERSION}; record it again with --update=scenes"
                ),
                None => e.to_string(),
            }
        })?;
        if let Some(part) = record.parts.iter().find(|part| part.material >= record.materials.len()) {
            let count = record.materials.len();
            let missing = Missing::index_in("the record", "material", part.material, count);
            return Err(format!("part \"{}\": {missing}", part.name));
        }
        if !record.camera.is_valid() {
            return Err("its camera cannot draw an image".into());
        }
        let is_damaged = |part: &&super::PartRecord| {
            part.vertices.as_ref().is_some_and(|vertices| {
                vertices.vertices().is_none_or(|list| Some(&list.len()) != part.counts.first())
            })
        };
        if let Some(part) = record.parts.iter().find(is_damaged) {
            return Err(format!("part \"{}\": its vertices are damaged", part.name));
        }
        Ok(record)
    }
}

/// Escapes the characters of a JSON text that are not ASCII, because this kind of chunk stores Latin-1.
fn ascii(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puppet::Puppet;
    use crate::scene::{ViewSettings, frame};
    use crate::view::{AUTO_FOV_Y, Camera};

    #[test]
    fn records_round_trip() {
        let puppet = Puppet::new(crate::asset::mannequin().unwrap(), 0);
        let camera = Camera::framing(&puppet.bounds(), AUTO_FOV_Y, 1.0);
        let view = ViewSettings::new(camera, puppet.bounds());
        let mut record = SceneRecord::of(&puppet, &frame(&puppet, &view), (64, 64));
        record.joints[0].name = "Hüfte 👣 \"\\".into();
        let stored = RecordedScene::encode(&record).unwrap();
        assert_eq!(stored.decode().unwrap(), record);
        assert_eq!(record.camera.camera(), camera);
    }

    #[test]
    fn damaged_records_are_refused() {
        let record = |text: &str| {
            RecordedScene { scene: ZTXtChunk::new(KEYWORD, text), contents: None }.decode().unwrap_err()
        };
        assert!(record("{").starts_with("EOF"), "{}", record("{"));
        let mut valid = SceneRecord { version: VERSION, weights: vec![0.5], ..SceneRecord::default() };
        let text = json::to_string(&valid).unwrap();
        let error = record(&text.replace("0.5", "1e39"));
        assert!(error.contains("out of range"), "{error}");
        let older = record("{\"camera\":{}}");
        assert!(older.starts_with("version 1 of the record instead of 2; "), "{older}");
        valid.weights = vec![f32::NAN];
        assert_eq!(RecordedScene::encode(&valid).unwrap_err(), "weights[0] is not finite");
    }
}
