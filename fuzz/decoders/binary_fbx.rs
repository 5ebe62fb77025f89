//! Converts FBX from text to the binary form that most programs write.

use std::iter::Peekable;

/// Version of the written files, 7.4.
const VERSION: u32 = 7400;
/// Number of zeros at the end of a list of nodes.
const END: usize = 13;

/// Converts text in which each node and each closing brace has its own line. Arrays are written as zlib streams if `compressed` is set.
pub(super) fn binary(text: &str, compressed: bool) -> Vec<u8> {
    let mut out = b"Kaydara FBX Binary  \0\x1a\0".to_vec();
    out.extend(VERSION.to_le_bytes());
    let mut lines =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(';')).peekable();
    while lines.peek().is_some() {
        node(&mut lines, compressed, &mut out);
    }
    out.extend([0; END]);
    out
}

/// Writes the next node with all its descendants.
fn node<'a>(lines: &mut Peekable<impl Iterator<Item = &'a str>>, compressed: bool, out: &mut Vec<u8>) {
    let Some((name, rest)) = lines.next().and_then(|line| line.split_once(':')) else { return };
    let (values, has_children) = match rest.trim().strip_suffix('{') {
        Some(values) => (values.trim(), true),
        None => (rest.trim(), false),
    };
    let start = out.len();
    // The end, the number of values and their size are filled in when they are known.
    out.extend([0; 12]);
    out.push(u8::try_from(name.len()).unwrap_or(0));
    out.extend(name.as_bytes());
    let first = out.len();
    let mut count = 0_u32;
    if values.starts_with('*') {
        let list = lines.next().and_then(|line| line.strip_prefix("a:")).unwrap_or_default();
        array(list.trim(), compressed, out);
        count = 1;
        lines.next();
    } else {
        for value in split(values) {
            property(value, out);
            count += 1;
        }
    }
    let size = out.len() - first;
    if has_children && !values.starts_with('*') {
        while lines.peek().is_some_and(|line| *line != "}") {
            node(lines, compressed, out);
        }
        lines.next();
        out.extend([0; END]);
    }
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let head = [number(out.len()), count, number(size)].map(u32::to_le_bytes).concat();
    out.splice(start..start + 12, head);
}

/// Splits values at the commas outside quotes.
fn split(values: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    values
        .split(move |c| {
            is_quoted ^= c == '"';
            c == ',' && !is_quoted
        })
        .map(str::trim)
        .filter(|value| !value.is_empty())
}

fn property(value: &str, out: &mut Vec<u8>) {
    if let Some(text) = value.strip_prefix('"').and_then(|v| v.strip_suffix('"')) {
        // Binary files store the class after the name.
        let text = match text.split_once("::") {
            Some((class, name)) => format!("{name}\0\u{1}{class}"),
            None => text.to_owned(),
        };
        out.push(b'S');
        out.extend(u32::try_from(text.len()).unwrap_or(0).to_le_bytes());
        out.extend(text.as_bytes());
    } else if let Ok(whole) = value.parse::<i64>() {
        out.push(b'L');
        out.extend(whole.to_le_bytes());
    } else {
        out.push(b'D');
        out.extend(value.parse::<f64>().unwrap_or(0.0).to_le_bytes());
    }
}

fn array(list: &str, compressed: bool, out: &mut Vec<u8>) {
    let values: Vec<&str> = list.split(',').collect();
    let whole: Option<Vec<i64>> = values.iter().map(|value| value.parse().ok()).collect();
    let (kind, data): (u8, Vec<u8>) = match whole {
        Some(whole) => (b'l', whole.iter().flat_map(|x| x.to_le_bytes()).collect()),
        None => {
            let numbers = values.iter().map(|value| value.parse::<f64>().unwrap_or(0.0));
            (b'd', numbers.flat_map(f64::to_le_bytes).collect())
        }
    };
    let data = if compressed { zlib(&data) } else { data };
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).to_le_bytes();
    out.push(kind);
    out.extend([number(values.len()), u32::from(compressed).to_le_bytes(), number(data.len())].concat());
    out.extend(data);
}

/// Wraps data in a zlib stream of one stored block.
fn zlib(data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len()).unwrap_or(u16::MAX);
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in data {
        a = (a + u32::from(*byte)) % 65521;
        b = (b + a) % 65521;
    }
    let head = [&[0x78, 0x01, 0x01][..], &length.to_le_bytes(), &(!length).to_le_bytes()].concat();
    [&head[..], data, &(b << 16 | a).to_be_bytes()].concat()
}
