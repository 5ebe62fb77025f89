//! Open Sound Control, written by hand: `rosc` would write no nonsense.

/// A text, ended and filled up to four bytes.
pub(crate) fn text(bytes: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    out.resize((bytes.len() / 4 + 1) * 4, 0);
    out
}

/// A message; tags are without their comma, arguments as they stand in it.
pub(crate) fn message(address: &str, tags: &str, arguments: &[u8]) -> Vec<u8> {
    [text(address.as_bytes()), text(format!(",{tags}").as_bytes()), arguments.to_vec()].concat()
}

/// A message with a name and numbers.
pub(crate) fn named(address: &str, name: &[u8], numbers: &[f32]) -> Vec<u8> {
    let mut arguments = text(name);
    arguments.extend(numbers.iter().flat_map(|x| x.to_be_bytes()));
    message(address, &format!("s{}", "f".repeat(numbers.len())), &arguments)
}

/// A bundle; each element says its own length.
pub(crate) fn bundle(elements: &[Vec<u8>]) -> Vec<u8> {
    let mut out = b"#bundle\0\0\0\0\0\0\0\0\x01".to_vec();
    for element in elements {
        out.extend((element.len() as u32).to_be_bytes());
        out.extend(element);
    }
    out
}
