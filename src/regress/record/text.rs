//! Stores records as text in the metadata of PNG files.

use png::text_metadata::ZTXtChunk;

use crate::text::json;

use super::SceneRecord;

/// Keyword of the text chunk.
const KEYWORD: &str = "Scene";
/// Maximum size of a decompressed record, in bytes.
const MAX_BYTES: usize = 64 << 20;

/// A record as it is stored in a golden. It is decoded only when it is needed, because most images do not change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedScene(ZTXtChunk);

impl RecordedScene {
    /// Encodes a record.
    ///
    /// # Errors
    /// The path of a number that is not finite.
    pub fn encode(record: &SceneRecord) -> Result<Self, String> {
        let json = json::to_string(record).map_err(|e| e.to_string())?;
        Ok(Self(ZTXtChunk::new(KEYWORD, ascii(&json))))
    }

    /// Finds the record among the text chunks of a PNG.
    pub(in crate::regress) fn find(chunks: &[ZTXtChunk]) -> Option<Self> {
        chunks.iter().find(|chunk| chunk.keyword == KEYWORD).cloned().map(Self)
    }

    /// Returns the keyword and the text of the chunk to write. `None` if the text is damaged.
    pub(in crate::regress) fn chunk(&self) -> Option<(String, String)> {
        Some((self.0.keyword.clone(), self.text().ok()?))
    }

    fn text(&self) -> Result<String, String> {
        let mut chunk = self.0.clone();
        chunk.decompress_text_with_limit(MAX_BYTES).map_err(|e| e.to_string())?;
        chunk.get_text().map_err(|e| e.to_string())
    }

    /// Decodes the record.
    ///
    /// # Errors
    /// A description of the damage.
    pub fn decode(&self) -> Result<SceneRecord, String> {
        let text = self.text()?;
        let record: SceneRecord = serde_json::from_str(&text).map_err(|e| e.to_string())?;
        if let Some(part) = record.parts.iter().find(|part| part.material >= record.materials.len()) {
            return Err(format!("part \"{}\": material {} does not exist", part.name, part.material));
        }
        Ok(record)
    }
}

/// Escapes the characters of a JSON text that are not ASCII, because such a chunk stores Latin-1.
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
        let mut record = SceneRecord::of(&puppet, &frame(&puppet, &view));
        record.joints[0].name = "Hüfte 👣 \"\\".into();
        let stored = RecordedScene::encode(&record).unwrap();
        assert_eq!(stored.decode().unwrap(), record);
        assert_eq!(record.camera.camera(), camera);
    }

    #[test]
    fn damaged_records_are_refused() {
        let record = |text: &str| RecordedScene(ZTXtChunk::new(KEYWORD, text)).decode().unwrap_err();
        assert!(record("{").starts_with("EOF"), "{}", record("{"));
        let mut valid = SceneRecord { weights: vec![0.5], ..SceneRecord::default() };
        let text = json::to_string(&valid).unwrap();
        let error = record(&text.replace("0.5", "1e39"));
        assert!(error.contains("out of range"), "{error}");
        valid.weights = vec![f32::NAN];
        assert_eq!(RecordedScene::encode(&valid).unwrap_err(), "weights[0] is not finite");
    }
}
