//! Keys, and keys with their modifiers.

/// A logical key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A lower-case letter, a digit or a symbol.
    Char(char),
    /// The escape key.
    Escape,
    /// The enter or return key.
    Enter,
    /// The backspace key.
    Backspace,
    /// The tab key.
    Tab,
    /// The home key.
    Home,
    /// The end key.
    End,
    /// The up arrow.
    Up,
    /// The down arrow.
    Down,
    /// The page-up key.
    PageUp,
    /// The page-down key.
    PageDown,
    /// The left arrow.
    Left,
    /// The right arrow.
    Right,
    /// A function key by its number.
    Function(u8),
    /// A key of the numeric keypad by its character.
    Numpad(char),
}

/// A key with the modifiers that must be down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortcut {
    /// The key.
    pub key: Key,
    /// Whether Ctrl is down.
    pub control: bool,
    /// Whether Shift is down.
    pub shift: bool,
    /// Whether Alt is down.
    pub alt: bool,
}

impl From<Key> for Shortcut {
    fn from(key: Key) -> Self {
        Self { key, control: false, shift: false, alt: false }
    }
}

impl Shortcut {
    /// Parses a shortcut such as `Ctrl+Shift+Z`, `F12` or `Num 1`. Returns `None` if it is invalid.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts: Vec<&str> = text.split('+').collect();
        let mut shortcut = Self::from(key(parts.pop()?)?);
        for modifier in parts {
            match modifier {
                "Ctrl" => shortcut.control = true,
                "Shift" => shortcut.shift = true,
                "Alt" => shortcut.alt = true,
                _ => return None,
            }
        }
        Some(shortcut)
    }
}

fn key(name: &str) -> Option<Key> {
    let mut characters = name.chars();
    if let (Some(only), None) = (characters.next(), characters.next()) {
        return Some(Key::Char(only.to_ascii_lowercase()));
    }
    if let Some(pad) = name.strip_prefix("Num ") {
        return pad.chars().next().map(Key::Numpad);
    }
    if let Some(number) = name.strip_prefix('F') {
        return number.parse().ok().map(Key::Function);
    }
    Some(match name {
        "Space" => Key::Char(' '),
        "Esc" => Key::Escape,
        "Tab" => Key::Tab,
        "Home" => Key::Home,
        "End" => Key::End,
        "Up" => Key::Up,
        "Down" => Key::Down,
        "PageUp" => Key::PageUp,
        "PageDown" => Key::PageDown,
        "Left" => Key::Left,
        "Right" => Key::Right,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_parsed_or_refused() {
        let plain = Shortcut::from;
        let undo = Shortcut { control: true, shift: true, ..plain(Key::Char('z')) };
        let cases = [
            ("Ctrl+Shift+Z", Some(undo)),
            ("?", Some(plain(Key::Char('?')))),
            ("Space", Some(plain(Key::Char(' ')))),
            ("F12", Some(plain(Key::Function(12)))),
            ("Num 5", Some(plain(Key::Numpad('5')))),
            ("", None),
            ("Hyper+A", None),
            ("Fx", None),
            ("Nothing", None),
        ];
        for (text, shortcut) in cases {
            assert_eq!(Shortcut::parse(text), shortcut, "{text}");
        }
    }
}
