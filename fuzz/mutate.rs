//! Changes documents but keeps most of their structure. It changes words and lines of text, and values of JSON.

use serde_json::Value;

use crate::random::Random;

/// Strings that often break parsers.
const STRINGS: [&str; 10] =
    ["", " ", "\u{0}", "\u{feff}", "é\u{301}\u{202e}", "../../x", "\n", "\"", "%2e%2e/", "😀"];

/// Changes some words, lines or characters of a text.
pub(crate) fn text(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..random.few(4) {
        let numbered: Vec<usize> =
            (0..lines.len()).filter(|&l| lines[l].contains(|c: char| c.is_ascii_digit())).collect();
        let at = match numbered.get(random.below(numbered.len())) {
            Some(&line) if !random.once_in(3) => line,
            _ => random.below(lines.len()),
        };
        let Some(line) = lines.get(at).cloned() else { return random.number() };
        match random.below(24) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(random.below(lines.len()), line),
            2 => {
                let other = random.below(lines.len());
                lines.swap(at, other);
            }
            3 if random.once_in(4) => lines.truncate(at),
            4 => lines[at] = characters(&line, random),
            _ => lines[at] = word(&line, random),
        }
    }
    lines.join("\n") + "\n"
}

/// Replaces one word of a line. Prefers a number if the line has one.
fn word(line: &str, random: &mut Random) -> String {
    let is_part = |c: char| c.is_alphanumeric() || "._-+#".contains(c);
    let mut words: Vec<(usize, usize)> = Vec::new();
    for (at, c) in line.char_indices().filter(|(_, c)| is_part(*c)) {
        match words.last_mut() {
            Some((_, end)) if *end == at => *end = at + c.len_utf8(),
            _ => words.push((at, at + c.len_utf8())),
        }
    }
    let is_number = |&(from, to): &(usize, usize)| line[from..to].parse::<f64>().is_ok();
    if words.iter().any(is_number) && !random.once_in(8) {
        words.retain(is_number);
    }
    let Some(&(from, to)) = words.get(random.below(words.len())) else { return characters(line, random) };
    let other = words.get(random.below(words.len())).map_or("", |&(from, to)| &line[from..to]);
    let new = match random.below(8) {
        0 => other.to_owned(),
        1 => random.choose(&STRINGS).to_owned(),
        2 if random.once_in(8) => "9".repeat(400),
        _ => random.number(),
    };
    format!("{}{new}{}", &line[..from], &line[to..])
}

fn characters(line: &str, random: &mut Random) -> String {
    let mut bytes = line.as_bytes().to_vec();
    random.mutate_bytes(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Changes some values of a JSON document.
pub(crate) fn json(document: &mut Value, random: &mut Random) {
    for _ in 0..random.few(3) {
        let mut found = Vec::new();
        numbers(document, &mut found);
        if !found.is_empty() && random.once_in(2) {
            let at = random.below(found.len());
            number(found[at], random);
            continue;
        }
        let count = size(document);
        let donor = nth(document, &mut random.below(count)).cloned().unwrap_or_default();
        if let Some(value) = nth(document, &mut random.below(count)) {
            change(value, donor, random);
        }
    }
}

/// Collects the numbers of a document.
fn numbers<'a>(value: &'a mut Value, found: &mut Vec<&'a mut Value>) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(|v| numbers(v, found)),
        Value::Object(map) => map.values_mut().for_each(|v| numbers(v, found)),
        Value::Number(_) => found.push(value),
        _ => {}
    }
}

/// Replaces a number. An index or a count usually becomes a similar whole number.
fn number(value: &mut Value, random: &mut Random) {
    let near = value.as_u64().filter(|_| !random.once_in(3));
    *value = match near {
        Some(n) => [0, 1, n.wrapping_add(1), n / 2, n.wrapping_mul(2)][random.below(5)].into(),
        None => serde_json::from_str(&random.number()).unwrap_or_default(),
    };
}

/// Counts the values of a document, including the document itself.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(size).sum(),
        Value::Object(map) => map.values().map(size).sum(),
        _ => 0,
    }
}

/// Returns a value by its index in depth-first order from the root.
fn nth<'a>(value: &'a mut Value, index: &mut usize) -> Option<&'a mut Value> {
    if *index == 0 {
        return Some(value);
    }
    *index -= 1;
    let children: Box<dyn Iterator<Item = &mut Value>> = match value {
        Value::Array(list) => Box::new(list.iter_mut()),
        Value::Object(map) => Box::new(map.values_mut()),
        _ => return None,
    };
    for child in children {
        let size = size(child);
        if *index < size {
            return nth(child, index);
        }
        *index -= size;
    }
    None
}

fn change(value: &mut Value, donor: Value, random: &mut Random) {
    match (random.below(12), value) {
        (0, value) => *value = donor,
        (1, value) => *value = Value::Null,
        (2 | 3, Value::Array(list)) => {
            let at = random.below(list.len());
            if list.is_empty() || random.once_in(3) {
                list.push(donor);
            } else if random.once_in(2) {
                list.remove(at);
            } else {
                list.push(list[at].clone());
            }
        }
        (2 | 3, Value::Object(map)) => {
            let key = map.keys().nth(random.below(map.len())).cloned().unwrap_or_default();
            if random.once_in(4) {
                map.insert(key, donor);
            } else {
                map.remove(&key);
            }
        }
        (_, Value::Array(list)) if !list.is_empty() => {
            let at = random.below(list.len());
            change(&mut list[at], donor, random);
        }
        (_, Value::String(text)) => {
            *text = match (donor, random.below(3)) {
                (Value::String(other), 0..2) => other,
                _ => format!("{text}{}", random.choose(&STRINGS)),
            }
        }
        (_, value) => number(value, random),
    }
}
