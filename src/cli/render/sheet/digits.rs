//! Digits of three by five dots.

/// Height of a character in dots.
pub(super) const HEIGHT: u32 = 5;
/// Width of a character including the gap after it, in dots.
const ADVANCE: u32 = 4;

/// The rows of a character from the top, each with its left dot in the highest of three bits.
fn rows(character: char) -> [u8; 5] {
    match character {
        '0' => [0b111, 0b101, 0b101, 0b101, 0b111],
        '1' => [0b010, 0b110, 0b010, 0b010, 0b111],
        '2' => [0b111, 0b001, 0b111, 0b100, 0b111],
        '3' => [0b111, 0b001, 0b111, 0b001, 0b111],
        '4' => [0b101, 0b101, 0b111, 0b001, 0b001],
        '5' => [0b111, 0b100, 0b111, 0b001, 0b111],
        '6' => [0b111, 0b100, 0b111, 0b101, 0b111],
        '7' => [0b111, 0b001, 0b010, 0b010, 0b010],
        '8' => [0b111, 0b101, 0b111, 0b101, 0b111],
        '9' => [0b111, 0b101, 0b111, 0b001, 0b111],
        '.' => [0, 0, 0, 0, 0b010],
        '-' => [0, 0, 0b111, 0, 0],
        's' => [0b011, 0b100, 0b010, 0b001, 0b110],
        _ => [0; 5],
    }
}

/// Returns the width of text in dots.
pub(super) fn width(text: &str) -> u32 {
    let count = u32::try_from(text.chars().count()).unwrap_or(0);
    (count * ADVANCE).saturating_sub(1)
}

/// Returns the positions of the dots that form the text, relative to its upper left corner.
pub(super) fn dots(text: &str) -> impl Iterator<Item = (u32, u32)> {
    (0..).zip(text.chars()).flat_map(|(index, character)| {
        (0..).zip(rows(character)).flat_map(move |(y, row)| {
            let is_set = move |x: &u32| row & (0b100 >> x) != 0;
            (0..3).filter(is_set).map(move |x| (index * ADVANCE + x, y))
        })
    })
}
