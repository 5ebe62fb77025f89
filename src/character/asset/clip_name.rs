//! Finds clips by name. Several clips of a file can have the same name.

use crate::api::Missing;

use super::Character;

impl Character {
    /// Returns the index of the clip that a name refers to: the first clip of this name, or the n-th one for `NAME#n`, counted from 1. If
    /// no clip has the name, `INDEX` and `#INDEX` are indices, counted from 0.
    ///
    /// ```
    /// let mut character = sinew_character::asset::mannequin()?;
    /// let walk = character.find_clip("walk").ok_or("the clip walk does not exist")?;
    /// character.clips.push(character.clips[walk].clone());
    /// assert_eq!((character.find_clip("walk"), character.find_clip("walk#2")), (Some(walk), Some(5)));
    /// assert_eq!((&*character.clip_name(walk), &*character.clip_name(5)), ("walk", "walk#2"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find_clip(&self, name: &str) -> Option<usize> {
        let numbered = || {
            let (name, number) = name.rsplit_once('#').filter(|(name, _)| !name.is_empty())?;
            self.clips_named(name).nth(number.parse::<usize>().ok()?.checked_sub(1)?)
        };
        let index = || name.strip_prefix('#').unwrap_or(name).parse().ok().filter(|i| *i < self.clips.len());
        self.clips_named(name).next().or_else(numbered).or_else(index)
    }

    /// Like [`Self::find_clip`], with an error.
    ///
    /// # Errors
    /// [`Missing`] with a similar name, or with the number of clips, if the clip does not exist.
    pub fn clip_index(&self, name: &str) -> Result<usize, Missing> {
        let names = self.clips.iter().map(|clip| clip.name.as_deref());
        self.find_clip(name).ok_or_else(|| Missing::name_or_index("animation", name, names))
    }

    /// Returns the shortest name by which [`Self::find_clip`] finds a clip: its own name, `NAME#n`, or `#INDEX`.
    pub fn clip_name(&self, clip: usize) -> String {
        let own = self.clips.get(clip).and_then(|c| c.name.as_deref());
        let numbered = own.and_then(|name| {
            let number = 1 + self.clips_named(name).position(|index| index == clip)?;
            Some(format!("{name}#{number}"))
        });
        let mut names = own.map(str::to_owned).into_iter().chain(numbered);
        names.find(|name| self.find_clip(name) == Some(clip)).unwrap_or_else(|| format!("#{clip}"))
    }

    /// Returns the indices of all clips with a name, in file order.
    fn clips_named(&self, name: &str) -> impl Iterator<Item = usize> {
        let named = self.clips.iter().enumerate().filter(move |(_, clip)| clip.name.as_deref() == Some(name));
        named.map(|(index, _)| index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::Clip;

    #[test]
    fn every_clip_has_a_name() {
        let names = ["walk", "walk", "walk#2", "", "", "1", "walk"].map(|name| Some(name.to_owned()));
        let clip = |name| Clip { name, ..Clip::default() };
        let clips = names.into_iter().chain([None]).map(clip).collect();
        let character = Character { clips, ..Character::default() };
        let all: Vec<String> = (0..character.clips.len()).map(|clip| character.clip_name(clip)).collect();
        // A clip whose own name looks like `NAME#n` takes precedence.
        assert_eq!(all, ["walk", "#1", "walk#2", "", "#4", "1", "walk#3", "#7"].map(String::from));
        assert_eq!((character.find_clip("walk#1"), character.find_clip("6")), (Some(0), Some(6)));
        for unknown in ["run", "walk#0", "walk#4", "#8", "walk#", "#"] {
            assert_eq!(character.find_clip(unknown), None, "{unknown}");
        }
    }
}
