//! Encodes Open Sound Control by hand, because `rosc` cannot encode invalid packets.

/// A string that ends with a zero byte and is padded to a multiple of four bytes.
pub fn text(bytes: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    out.resize((bytes.len() / 4 + 1) * 4, 0);
    out
}

/// A message with type tags (without the comma) and encoded arguments.
pub fn message(address: &str, tags: &str, arguments: &[u8]) -> Vec<u8> {
    [text(address.as_bytes()), text(format!(",{tags}").as_bytes()), arguments.to_vec()].concat()
}

/// A message with a string argument followed by numbers.
pub fn named(address: &str, name: &[u8], numbers: &[f32]) -> Vec<u8> {
    let mut arguments = text(name);
    arguments.extend(numbers.iter().flat_map(|x| x.to_be_bytes()));
    message(address, &format!("s{}", "f".repeat(numbers.len())), &arguments)
}

/// A bundle with correct length fields.
pub fn bundle(elements: &[Vec<u8>]) -> Vec<u8> {
    let mut out = b"#bundle\0\0\0\0\0\0\0\0\x01".to_vec();
    for element in elements {
        out.extend((element.len() as u32).to_be_bytes());
        out.extend(element);
    }
    out
}
