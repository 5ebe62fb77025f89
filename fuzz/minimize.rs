//! Reduces an input while it still fails in the same way.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::seeds::{glb, parts};

/// Maximum time for the reduction of an input.
const TIME_LIMIT: Duration = Duration::from_secs(4);

/// Returns the smallest input found that still fails.
pub(crate) fn minimize(input: &[u8], fails: &dyn Fn(&[u8]) -> bool) -> Vec<u8> {
    let end = Instant::now() + TIME_LIMIT;
    let fails = |bytes: &[u8]| Instant::now() < end && fails(bytes);
    if let Some((root, binary)) = input.starts_with(b"glTF").then(|| parts(input)).flatten() {
        return minimize_glb(input, root, binary, &fails);
    }
    let mut lines: Vec<&[u8]> = input.split_inclusive(|b| *b == b'\n').collect();
    cut(&mut lines, &|lines| fails(&lines.concat()));
    let mut bytes = lines.concat();
    cut(&mut bytes, &fails);
    bytes
}

/// Removes pieces of a list, large ones first, while the rest still fails.
fn cut<T: Clone>(list: &mut Vec<T>, fails: &dyn Fn(&[T]) -> bool) {
    let mut size = list.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        while at < list.len() {
            let mut reduced = list.clone();
            reduced.drain(at..(at + size).min(list.len()));
            if fails(&reduced) {
                *list = reduced;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
}

/// Removes keys and elements of the JSON, the last ones first, and then bytes of the binary chunk.
fn minimize_glb(
    input: &[u8],
    mut root: Value,
    mut binary: Vec<u8>,
    fails: &dyn Fn(&[u8]) -> bool,
) -> Vec<u8> {
    if !fails(&glb(&mut root, &binary)) {
        return input.to_vec();
    }
    loop {
        let mut pointers = Vec::new();
        collect(&root, "", &mut pointers);
        let before = pointers.len();
        for pointer in pointers.iter().rev() {
            let mut reduced = root.clone();
            if remove(&mut reduced, pointer) && fails(&glb(&mut reduced, &binary)) {
                root = reduced;
            }
        }
        pointers.clear();
        collect(&root, "", &mut pointers);
        if pointers.len() == before {
            break;
        }
    }
    cut(&mut binary, &|binary| fails(&glb(&mut root.clone(), binary)));
    glb(&mut root, &binary)
}

/// Collects the JSON pointers of all values inside a value.
fn collect(value: &Value, at: &str, out: &mut Vec<String>) {
    let mut visit = |key: &str, value: &Value| {
        let pointer = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
        out.push(pointer.clone());
        collect(value, &pointer, out);
    };
    match value {
        Value::Array(list) => list.iter().enumerate().for_each(|(i, v)| visit(&i.to_string(), v)),
        Value::Object(map) => map.iter().for_each(|(k, v)| visit(k, v)),
        _ => {}
    }
}

fn remove(root: &mut Value, pointer: &str) -> bool {
    let Some((above, key)) = pointer.rsplit_once('/') else { return false };
    let key = key.replace("~1", "/").replace("~0", "~");
    match root.pointer_mut(above) {
        Some(Value::Array(list)) => match key.parse::<usize>().ok().filter(|i| *i < list.len()) {
            Some(index) => {
                list.remove(index);
                true
            }
            None => false,
        },
        Some(Value::Object(map)) => map.remove(&key).is_some(),
        _ => false,
    }
}
