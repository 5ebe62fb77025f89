//! Removes the data of animations that are not copied. Indices of accessors and buffer views do not change, because unknown extensions may
//! use them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_json::{Value, json};

use super::{ALIGNMENT, COMPRESSIONS, list, unsigned};

/// Removes all animations, their accessors, and the bytes that nothing else uses. `binary` contains the joined bytes of all buffers.
pub(super) fn remove_animations(root: &mut Value, binary: &mut Vec<u8>) {
    let Some(animations) = root.as_object_mut().and_then(|root| root.remove("animations")) else { return };
    let samplers = animations.as_array().into_iter().flatten().filter_map(|a| a.get("samplers")?.as_array());
    let used = |sampler: &Value| ["input", "output"].map(|key| unsigned(sampler.get(key)));
    let kept = accessors_in_use(root);
    let dropped = samplers.flatten().flat_map(used).flatten().filter(|accessor| !kept.contains(accessor));
    let dropped: BTreeSet<usize> = dropped.collect();
    let accessors: Vec<Value> = list(root, "accessors").to_vec();
    for &index in &dropped {
        if let Some(accessor) = list(root, "accessors").get_mut(index) {
            // This accessor has no view, so its values are zero.
            *accessor = json!({ "componentType": 5126, "count": 1, "type": "SCALAR" });
        }
    }
    let of = |index: &usize| views_of(accessors.get(*index)?);
    let dropped_views: BTreeSet<usize> =
        dropped.iter().flat_map(|index| of(index).unwrap_or_default()).collect();
    let mut views_in_use = BTreeSet::new();
    find_views(root, &mut views_in_use);
    let mut users: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for accessor in 0..accessors.len() {
        of(&accessor)
            .unwrap_or_default()
            .into_iter()
            .for_each(|view| users.entry(view).or_default().push(accessor));
    }
    let ranges = |index: usize, view: &Value| {
        let users = users.get(&index).into_iter().flatten().copied();
        let (gone, stay): (Vec<usize>, Vec<usize>) = users.partition(|accessor| dropped.contains(accessor));
        let range_of = |accessor: &usize| accessor_range(accessors.get(*accessor)?, view);
        (gone, stay.iter().map(range_of).collect::<Option<Vec<_>>>())
    };
    let (mut removed, mut needed) = (Vec::new(), Vec::new());
    let views: Vec<Value> = list(root, "bufferViews").to_vec();
    for (index, view) in views.iter().enumerate() {
        let whole = stored_ranges(view);
        if !dropped_views.contains(&index) {
            needed.extend(whole);
        } else if !views_in_use.contains(&index) {
            removed.extend(whole);
        } else {
            // Removed and remaining objects share this view.
            let (gone, stay) = ranges(index, view);
            match stay.filter(|_| !is_compressed(view)) {
                Some(stay) if !stay.is_empty() => {
                    removed.extend(gone.iter().filter_map(|a| accessor_range(accessors.get(*a)?, view)));
                    needed.extend(stay);
                }
                _ => needed.extend(whole),
            }
        }
    }
    let removed = Removed::new(removed, &needed, binary.len());
    removed.move_views(root);
    for index in dropped_views.difference(&views_in_use) {
        if let Some(view) = list(root, "bufferViews").get_mut(*index) {
            *view = json!({ "buffer": 0, "byteLength": 1 });
        }
    }
    removed.cut(binary);
    shorten(root, "accessors", |index| dropped.contains(&index));
    shorten(root, "bufferViews", |index| dropped_views.contains(&index) && !views_in_use.contains(&index));
    if binary.is_empty()
        && list(root, "bufferViews").is_empty()
        && let Some(root) = root.as_object_mut()
    {
        root.remove("buffers");
    }
}

/// Returns the accessors of meshes, skins and instances.
fn accessors_in_use(root: &Value) -> BTreeSet<usize> {
    let items = |name: &str| root.get(name).and_then(Value::as_array).into_iter().flatten();
    let mut used = BTreeSet::new();
    let mut attributes = |value: Option<&Value>| {
        used.extend(
            value.and_then(Value::as_object).into_iter().flatten().filter_map(|(_, v)| unsigned(Some(v))),
        );
    };
    let primitives = || items("meshes").filter_map(|m| m.get("primitives")?.as_array()).flatten();
    for primitive in primitives() {
        attributes(primitive.get("attributes"));
        let targets = primitive.get("targets").and_then(Value::as_array);
        targets.into_iter().flatten().for_each(|target| attributes(Some(target)));
    }
    for node in items("nodes") {
        attributes(node.pointer("/extensions/EXT_mesh_gpu_instancing/attributes"));
    }
    used.extend(primitives().filter_map(|p| unsigned(p.get("indices"))));
    used.extend(items("skins").filter_map(|s| unsigned(s.get("inverseBindMatrices"))));
    used
}

/// Returns the views of an accessor, or `None` if it has no view. A sparse accessor has up to three views.
fn views_of(accessor: &Value) -> Option<BTreeSet<usize>> {
    let mut views = BTreeSet::new();
    find_views(accessor, &mut views);
    (!views.is_empty()).then_some(views)
}

/// Collects the views that any object in a value refers to.
fn find_views(value: &Value, found: &mut BTreeSet<usize>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| find_views(item, found)),
        Value::Object(items) => {
            found.extend(unsigned(items.get("bufferView")));
            items.values().for_each(|item| find_views(item, found));
        }
        _ => {}
    }
}

fn is_compressed(view: &Value) -> bool {
    COMPRESSIONS.iter().any(|name| view.get("extensions").is_some_and(|e| e.get(name).is_some()))
}

/// Returns the bytes of buffer 0 that a view and its compressed data occupy.
fn stored_ranges(view: &Value) -> Vec<Range<usize>> {
    let compressed = COMPRESSIONS.iter().filter_map(|name| view.get("extensions")?.get(name));
    std::iter::once(view).chain(compressed).filter_map(range_in_buffer).collect()
}

fn range_in_buffer(view: &Value) -> Option<Range<usize>> {
    let start = unsigned(view.get("byteOffset")).unwrap_or(0);
    let end = start.checked_add(unsigned(view.get("byteLength"))?)?;
    (unsigned(view.get("buffer")) == Some(0)).then_some(start..end)
}

/// Returns the bytes of buffer 0 that an accessor without sparse values reads, or `None` if the range is unknown.
fn accessor_range(accessor: &Value, view: &Value) -> Option<Range<usize>> {
    let bytes = match unsigned(accessor.get("componentType"))? {
        5120 | 5121 => 1,
        5122 | 5123 => 2,
        5125 | 5126 => 4,
        _ => return None,
    };
    let count = match accessor.get("type")?.as_str()? {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" => 4,
        "MAT4" => 16,
        _ => return None,
    };
    let whole = range_in_buffer(view).filter(|_| accessor.get("sparse").is_none())?;
    let stride = unsigned(view.get("byteStride")).unwrap_or(bytes * count);
    let elements = unsigned(accessor.get("count"))?.checked_sub(1)?;
    let start = whole.start.checked_add(unsigned(accessor.get("byteOffset")).unwrap_or(0))?;
    let end = elements.checked_mul(stride)?.checked_add(bytes * count)?.checked_add(start)?;
    (end <= whole.end).then_some(start..end)
}

/// Removes the last items of a list while a condition holds. Removes the list if it becomes empty, as glTF requires.
fn shorten(root: &mut Value, name: &str, is_removed: impl Fn(usize) -> bool) {
    let Some(root) = root.as_object_mut() else { return };
    let Some(items) = root.get_mut(name).and_then(Value::as_array_mut) else { return };
    while items.len().checked_sub(1).is_some_and(&is_removed) {
        items.pop();
    }
    if items.is_empty() {
        root.remove(name);
    }
}

/// Removed byte ranges, each with the number of bytes that are removed before it. They are ascending, disjoint and aligned to
/// [`ALIGNMENT`].
struct Removed(Vec<(Range<usize>, usize)>);

impl Removed {
    /// Removes the given ranges of a buffer of `length` bytes, but keeps the needed bytes.
    fn new(mut ranges: Vec<Range<usize>>, needed: &[Range<usize>], length: usize) -> Self {
        ranges.sort_by_key(|range| (range.start, range.end));
        let mut needed: Vec<_> = needed.iter().filter(|range| !range.is_empty()).collect();
        needed.sort_by_key(|range| (range.start, range.end));
        let mut removed: Vec<Range<usize>> = Vec::new();
        let mut from = 0;
        let mut first_needed = 0;
        let mut farthest = 0;
        for range in ranges {
            let (mut start, end) = (range.start.max(from), range.end.min(length));
            from = from.max(end);
            while start < end {
                // Skips the needed ranges that begin at or before `start`.
                while let Some(needed) = needed.get(first_needed).filter(|needed| needed.start <= start) {
                    farthest = farthest.max(needed.end);
                    first_needed += 1;
                }
                if farthest > start {
                    start = farthest;
                    continue;
                }
                let next = needed.get(first_needed).map_or(end, |needed| needed.start.min(end));
                match removed.last_mut().filter(|last| last.end == start) {
                    Some(last) => last.end = next,
                    None => removed.push(start..next),
                }
                start = next;
            }
        }
        let aligned = removed.into_iter().map(|range| {
            // The padding after the last byte can be removed too.
            let end = if range.end == length { length.next_multiple_of(ALIGNMENT) } else { range.end };
            range.start.next_multiple_of(ALIGNMENT)..end / ALIGNMENT * ALIGNMENT
        });
        let mut before = 0;
        let counted = aligned.filter(|range| range.start < range.end).map(|range| {
            before += range.len();
            (range.clone(), before - range.len())
        });
        Self(counted.collect())
    }

    /// Returns the new offset of a byte.
    fn moved(&self, offset: usize) -> usize {
        let next = self.0.partition_point(|(range, _)| range.start < offset);
        let last = next.checked_sub(1).and_then(|last| self.0.get(last));
        last.map_or(offset, |(range, before)| offset - before - (range.end.min(offset) - range.start))
    }

    fn cut(&self, binary: &mut Vec<u8>) {
        let ends = self.0.iter().map(|(range, _)| range.start).chain([binary.len()]);
        let starts = std::iter::once(0).chain(self.0.iter().map(|(range, _)| range.end));
        let kept = starts.zip(ends).filter_map(|(start, end)| binary.get(start..end));
        *binary = kept.flatten().copied().collect();
    }

    /// Updates the offsets of all views, and of the accessors within them.
    fn move_views(&self, root: &mut Value) {
        let views: Vec<Value> = list(root, "bufferViews").to_vec();
        for accessor in list(root, "accessors") {
            let view = unsigned(accessor.get("bufferView")).and_then(|view| views.get(view));
            let Some(range) = view.filter(|view| !is_compressed(view)).and_then(range_in_buffer) else {
                continue;
            };
            let offset = unsigned(accessor.get("byteOffset")).unwrap_or(0);
            let moved = self.moved(range.start.saturating_add(offset)) - self.moved(range.start);
            if moved != offset {
                accessor["byteOffset"] = json!(moved);
            }
        }
        for view in list(root, "bufferViews") {
            let compressed = COMPRESSIONS.map(|name| format!("/extensions/{name}"));
            for pointer in compressed.iter().map(String::as_str).chain([""]) {
                let Some(stored) = view.pointer_mut(pointer) else { continue };
                let Some(Range { start, end }) = range_in_buffer(stored) else { continue };
                let moved = self.moved(start);
                if moved != start {
                    stored["byteOffset"] = json!(moved);
                }
                if self.moved(end) - moved != end - start {
                    stored["byteLength"] = json!(self.moved(end) - moved);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needed_bytes_and_the_alignment_stay() {
        let removed = Removed::new(vec![4..40, 30..64, 90..100], &[40..48, 16..17, 44..52], 100);
        assert_eq!(removed.0, [(8..16, 0), (24..40, 8), (56..64, 24), (96..104, 32)]);
        assert_eq!([0, 8, 12, 16, 40, 90].map(|offset| removed.moved(offset)), [0, 8, 8, 8, 16, 58]);
        let mut bytes: Vec<u8> = (0..100).collect();
        removed.cut(&mut bytes);
        assert_eq!((bytes.len(), bytes[8], bytes[16], bytes[58]), (64, 16, 40, 90));
    }
}
