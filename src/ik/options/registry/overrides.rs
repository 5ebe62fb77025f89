//! A set of values for some of the options.

use std::collections::BTreeMap;

use super::{OptionError, OptionValue, SolverOption};
use crate::options::Options;

/// Values of some options, which override the values of an [`Options`]. Rigs contain overrides. They are serialised as
/// a map from option keys to strings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OptionOverrides {
    values: BTreeMap<&'static str, OptionValue>,
}

impl OptionOverrides {
    /// Sets the value of an option.
    ///
    /// # Errors
    /// [`OptionError::Invalid`] if the option does not accept the value.
    pub fn set(&mut self, option: &SolverOption, value: OptionValue) -> Result<(), OptionError> {
        option.check(&value)?;
        self.values.insert(option.key, value);
        Ok(())
    }

    /// Returns the value of an option, if it is set.
    pub fn get(&self, option: &SolverOption) -> Option<OptionValue> {
        self.values.get(option.key).copied()
    }

    /// Returns the options that are set, with their values, in the order of the registry.
    pub fn iter(&self) -> impl Iterator<Item = (&'static SolverOption, OptionValue)> + '_ {
        SolverOption::all().iter().filter_map(|option| Some((option, self.get(option)?)))
    }

    /// Returns whether no option is set.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Applies the values to options.
    ///
    /// ```
    /// use sinew_ik::{OptionOverrides, Options, SolverOption};
    ///
    /// let mut overrides = OptionOverrides::default();
    /// let (option, value) = SolverOption::parse_assignment("restarts=0")?;
    /// overrides.set(option, value)?;
    /// let mut options = Options::default().with_iterations(30);
    /// overrides.apply(&mut options);
    /// assert_eq!((options.restarts, options.iterations), (0, 30));
    /// # Ok::<(), sinew_ik::OptionError>(())
    /// ```
    pub fn apply(&self, options: &mut Options) {
        for (option, value) in self.iter() {
            // Only values that their option accepts are stored.
            let _ = option.set(options, value);
        }
    }
}

/// Serialised as a map from option keys to strings.
#[cfg(feature = "serde")]
mod serialised {
    use std::collections::BTreeMap;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{OptionOverrides, SolverOption};

    impl Serialize for OptionOverrides {
        fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            to.collect_map(self.iter().map(|(option, value)| (option.key, option.print(&value))))
        }
    }

    impl<'a> Deserialize<'a> for OptionOverrides {
        fn deserialize<D: Deserializer<'a>>(from: D) -> Result<Self, D::Error> {
            let mut overrides = Self::default();
            for (key, text) in BTreeMap::<String, String>::deserialize(from)? {
                let option = SolverOption::find(&key).map_err(D::Error::custom)?;
                let value = option.parse(&text).map_err(D::Error::custom)?;
                overrides.set(option, value).map_err(D::Error::custom)?;
            }
            Ok(overrides)
        }
    }
}
