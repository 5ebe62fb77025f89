//! Nodes and clips as people name them.

use crate::asset::Character;

use super::failure::Failure;

/// How many near names an error offers.
const OFFERED: usize = 3;

/// A node by its name, or by `#INDEX`.
pub(super) fn node(character: &Character, name: &str) -> Result<usize, Failure> {
    let nodes = &character.skeleton.nodes;
    let named: Vec<usize> = (0..nodes.len()).filter(|&n| nodes[n].name.as_deref() == Some(name)).collect();
    match named[..] {
        [one] => return Ok(one),
        [] => {}
        _ => {
            let all = named.iter().map(|n| format!("#{n}")).collect::<Vec<_>>().join(", ");
            return Err(Failure::Usage(format!("node \"{name}\" is ambiguous: {all}")));
        }
    }
    if let Some(index) = name.strip_prefix('#').and_then(|i| i.parse::<usize>().ok()) {
        if index < nodes.len() {
            return Ok(index);
        }
        return Err(Failure::Usage(format!("node {name} does not exist (the file has {})", nodes.len())));
    }
    let known = nodes.iter().filter_map(|n| n.name.as_deref());
    Err(unknown("node", name, known))
}

/// A clip by its name, then by its index.
pub(super) fn clip(character: &Character, name: &str) -> Result<usize, Failure> {
    by_name_or_index("animation", name, character.clips.iter().map(|c| c.name.as_deref()))
}

/// A scene by its name, then by its index.
pub(super) fn scene(character: &Character, name: &str) -> Result<usize, Failure> {
    by_name_or_index("scene", name, character.scenes.iter().map(|s| s.name.as_deref()))
}

fn by_name_or_index<'a>(
    kind: &str,
    name: &str,
    mut names: impl ExactSizeIterator<Item = Option<&'a str>> + Clone,
) -> Result<usize, Failure> {
    let (all, count) = (names.clone(), names.len());
    if let Some(index) = names.position(|n| n == Some(name)) {
        return Ok(index);
    }
    match name.parse::<usize>() {
        Ok(index) if index < count => Ok(index),
        Ok(index) => Err(Failure::Usage(format!("{kind} {index} does not exist (the file has {count})"))),
        Err(_) => Err(unknown(kind, name, all.flatten())),
    }
}

/// An unknown name is answered with the nearest known ones.
fn unknown<'a>(kind: &str, name: &str, known: impl Iterator<Item = &'a str>) -> Failure {
    let wanted = name.to_lowercase();
    let mut near: Vec<_> =
        known.map(|k| (strsim::normalized_damerau_levenshtein(&wanted, &k.to_lowercase()), k)).collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    near.dedup_by(|a, b| a.1 == b.1);
    let offered: Vec<_> = near.iter().take(OFFERED).map(|(_, k)| format!("\"{k}\"")).collect();
    Failure::Usage(match &offered[..] {
        [] => format!("{kind} \"{name}\" does not exist (the file names none)"),
        _ => format!("{kind} \"{name}\" does not exist; nearest: {}", offered.join(", ")),
    })
}
