//! The error for something that does not exist.

use super::edit_distance;

/// Maximum number of names in a message.
const SUGGESTIONS: usize = 3;
/// Number of characters of a name that are compared. Names from files can be of any length.
const COMPARED: usize = 64;
/// Maximum [`difference`] of similar names.
const SIMILAR: usize = 500;

/// The error for a name or an index that does not exist, such as that of a node or a clip. The message says what does exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} {what} does not exist; {existing}")]
pub struct Missing {
    /// The kind of thing, such as `node`.
    pub kind: &'static str,
    /// Its index, or its name in quotation marks.
    pub what: String,
    /// What exists: the number of things, or the nearest names.
    pub existing: String,
}

impl Missing {
    /// Creates the error for an index that is not below the number of things in a file.
    pub fn index(kind: &'static str, index: usize, count: usize) -> Self {
        Self::index_in("the file", kind, index, count)
    }

    /// Like [`Self::index`], for the things in `owner`, such as `the skeleton`.
    pub fn index_in(owner: &str, kind: &'static str, index: usize, count: usize) -> Self {
        let existing = match count {
            0 => format!("{owner} has no {}", plural(kind)),
            _ => format!("{owner} has {count}, counted from 0"),
        };
        Self { kind, what: index.to_string(), existing }
    }

    /// Creates the error for a name that is not known. It suggests similar names, or otherwise the nearest ones.
    pub fn name<'a>(kind: &'static str, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let compared = folded(name);
        let known = known.into_iter().map(|known| (difference(&compared, &folded(known)), known));
        let mut near: Vec<(usize, &str)> = known.collect();
        near.sort_unstable();
        near.dedup();
        let least = near.first().map_or(0, |(by, _)| *by);
        let is_similar = least <= SIMILAR;
        near.retain(|(by, _)| !is_similar || *by == least);
        let nearest = near.iter().take(SUGGESTIONS).map(|(_, known)| format!("\"{known}\""));
        let nearest: Vec<String> = nearest.collect();
        let existing = match &nearest[..] {
            [] => format!("the file has no {} with names", plural(kind)),
            _ if is_similar => format!("did you mean {}?", nearest.join(" or ")),
            _ => format!("nearest: {}", nearest.join(", ")),
        };
        Self { kind, what: format!("\"{name}\""), existing }
    }

    /// Creates the error for a text that is neither a name nor an index. `names` has an item for each thing.
    pub fn name_or_index<'a>(
        kind: &'static str,
        text: &str,
        names: impl ExactSizeIterator<Item = Option<&'a str>>,
    ) -> Self {
        match text.parse::<usize>() {
            Ok(index) => Self::index(kind, index, names.len()),
            Err(_) => Self::name(kind, text, names.flatten()),
        }
    }
}

/// Returns how much two names differ, from 0 to 1000.
fn difference(a: &str, b: &str) -> usize {
    1000 * edit_distance(a, b) / a.len().max(b.len()).max(1)
}

fn folded(name: &str) -> String {
    name.chars().take(COMPARED).flat_map(char::to_lowercase).collect()
}

/// Returns the plural of a kind, such as `meshes` or `vertices`.
fn plural(kind: &str) -> String {
    format!("{kind}s").replace("shs", "shes").replace("exs", "ices")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_has_the_number_of_things() {
        let clip = |count| Missing::index("animation", 3, count).to_string();
        assert_eq!(clip(2), "animation 3 does not exist; the file has 2, counted from 0");
        assert_eq!(clip(0), "animation 3 does not exist; the file has no animations");
        let vertex = Missing::index_in("the mesh", "vertex", 0, 0).to_string();
        assert_eq!(vertex, "vertex 0 does not exist; the mesh has no vertices");
        let mesh = Missing::index("mesh", 1, 0);
        assert_eq!(mesh.existing, "the file has no meshes");
    }

    #[test]
    fn a_name_has_similar_names_or_the_nearest() {
        let node = |name: &str, known: &[&str]| Missing::name("node", name, known.iter().copied()).existing;
        assert_eq!(node("lefthand", &["head", "leftHand", "hips"]), "did you mean \"leftHand\"?");
        let bones = ["bone2", "base", "bone1", "bone2"];
        assert_eq!(node("bone9", &bones), "did you mean \"bone1\" or \"bone2\"?");
        assert_eq!(node("top", &["left", "back", "front", "side"]), "nearest: \"front\", \"back\", \"left\"");
        assert_eq!(node("top", &[]), "the file has no nodes with names");
        assert_eq!(node("", &["hips"]), "nearest: \"hips\"");
        let long = "ä".repeat(1_000_000);
        assert_eq!(Missing::name("node", &long, [&*long, "b"]).existing, format!("did you mean \"{long}\"?"));
    }

    #[test]
    fn a_text_is_a_name_or_an_index() {
        let cameras = [Some("front"), None];
        let camera = |text: &str| Missing::name_or_index("camera", text, cameras.into_iter()).to_string();
        assert_eq!(camera("2"), "camera 2 does not exist; the file has 2, counted from 0");
        assert_eq!(camera("fronts"), "camera \"fronts\" does not exist; did you mean \"front\"?");
    }
}
