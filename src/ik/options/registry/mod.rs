//! The registry of solver options: one entry per field of [`Options`], with its key, help, unit, range and default.
//! Command lines, suites, rigs and the viewer set options by these keys. The keys are the names of the fields, joined
//! by dots.

mod error;
mod field;
mod kind;
mod overrides;
mod table;
#[cfg(test)]
#[cfg(feature = "serde")]
mod tests;
mod value;

pub use error::OptionError;
pub use kind::{Domain, OptionKind, Unit};
pub use overrides::OptionOverrides;
pub use value::OptionValue;

use sinew_base::api::edit_distance;

use super::{Method, Options};
use field::Field;

/// Number of keys that an error suggests.
const SUGGESTIONS: usize = 2;

/// An entry of the registry: a solver option with its key and the values that it accepts.
#[derive(Clone, Copy, Debug)]
pub struct SolverOption {
    /// Key of the option, for example `ccd.step`.
    pub key: &'static str,
    /// Description in one line, without a full stop.
    pub help: &'static str,
    /// The values that the option accepts.
    pub kind: OptionKind,
    /// The methods that use the option. An empty list means all methods.
    pub methods: &'static [Method],
    /// Why the option can be set only for a bare body and not for a character. `None` if the option can be set for a character.
    pub refusal: Option<&'static str>,
    field: fn(&mut Options) -> Field<'_>,
}

impl SolverOption {
    /// Returns all options, in the order in which they are listed.
    pub fn all() -> &'static [Self] {
        table::OPTIONS
    }

    /// Returns the option with a key.
    ///
    /// ```
    /// use sinew_ik::{Options, SolverOption};
    ///
    /// let option = SolverOption::find("angle_tolerance")?;
    /// let mut options = Options::default();
    /// option.set(&mut options, option.parse("2deg")?)?;
    /// assert!((options.angle_tolerance - 2_f64.to_radians()).abs() < 1e-12);
    ///
    /// let error = SolverOption::find("angle_tolerence").unwrap_err();
    /// assert!(error.to_string().contains("angle_tolerance"));
    /// # Ok::<(), sinew_ik::OptionError>(())
    /// ```
    ///
    /// # Errors
    /// [`OptionError::Unknown`] with the most similar keys.
    pub fn find(key: &str) -> Result<&'static Self, OptionError> {
        let found = Self::all().iter().find(|o| o.key == key);
        found.ok_or_else(|| OptionError::Unknown { key: key.to_owned(), similar: similar(key) })
    }

    /// Parses `KEY=VALUE`.
    ///
    /// ```
    /// use sinew_ik::{Method, OptionValue, SolverOption};
    ///
    /// let (option, value) = SolverOption::parse_assignment("iterations=250")?;
    /// assert_eq!((option.key, value), ("iterations", OptionValue::Count(250)));
    /// assert!(option.applies_to(Method::Fabrik));
    /// # Ok::<(), sinew_ik::OptionError>(())
    /// ```
    ///
    /// # Errors
    /// [`OptionError`] if the text does not have this form, the key is unknown, or the option does not accept the
    /// value.
    pub fn parse_assignment(text: &str) -> Result<(&'static Self, OptionValue), OptionError> {
        let (key, value) =
            text.split_once('=').ok_or_else(|| OptionError::Syntax { text: text.to_owned() })?;
        let option = Self::find(key.trim())?;
        Ok((option, option.parse(value)?))
    }

    /// Parses a value, for example `5deg`, `2mm`, `3%` or `none`. A number without a unit is in radians or metres.
    ///
    /// # Errors
    /// [`OptionError::Invalid`] if the option does not accept the value.
    pub fn parse(&self, text: &str) -> Result<OptionValue, OptionError> {
        let value = self.kind.parse(text.trim(), &self.names()).map_err(|cause| self.invalid(cause))?;
        self.check(&value).map(|()| value)
    }

    /// Checks that the option accepts a value.
    ///
    /// # Errors
    /// [`OptionError::Invalid`] if the option does not accept the value.
    pub fn check(&self, value: &OptionValue) -> Result<(), OptionError> {
        self.kind.check(value, &self.names()).map_err(|cause| self.invalid(cause))
    }

    /// Returns the text of a value, which [`Self::parse`] converts back to the same bits.
    pub fn print(&self, value: &OptionValue) -> String {
        self.kind.print(value)
    }

    /// Returns the value of the option.
    pub fn get(&self, options: &Options) -> OptionValue {
        let mut options = *options;
        (self.field)(&mut options).get()
    }

    /// Sets the option.
    ///
    /// # Errors
    /// [`OptionError::Invalid`] if the option does not accept the value. The options are then unchanged.
    pub fn set(&self, options: &mut Options, value: OptionValue) -> Result<(), OptionError> {
        self.check(&value)?;
        let is_set = (self.field)(options).set(value);
        if is_set { Ok(()) } else { Err(self.invalid("value has another type".into())) }
    }

    /// Returns the default value.
    pub fn default(&self) -> OptionValue {
        self.get(&Options::default())
    }

    /// Returns whether a method uses the option. [`Method::Auto`] uses the options of the methods that it selects.
    pub fn applies_to(&self, method: Method) -> bool {
        let selected = [Method::TwoBone, Method::Dls, Method::FullBody];
        let is_used = |method: Method| self.methods.contains(&method);
        self.methods.is_empty()
            || is_used(method)
            || method == Method::Auto && selected.into_iter().any(is_used)
    }

    /// Returns the names that the option accepts, including swivel names, or an empty list for any other kind of
    /// option.
    pub fn names(&self) -> Vec<&'static str> {
        (self.field)(&mut Options::default()).names()
    }

    /// Returns a description of the accepted values, for example `0deg to 180deg, none`.
    pub fn values(&self) -> String {
        self.kind.describe(&self.names())
    }

    fn invalid(&self, cause: String) -> OptionError {
        OptionError::Invalid { key: self.key, cause }
    }
}

impl Options {
    /// Replaces each value that its option does not accept, for example a negative angle, with the value from
    /// `defaults`.
    pub fn replace_invalid(&mut self, defaults: &Self) {
        for option in SolverOption::all() {
            if option.check(&option.get(self)).is_err() {
                (option.field)(self).set(option.get(defaults));
            }
        }
    }
}

/// Returns the known keys that are most similar to an unknown one. The unknown key is compared with each full known key
/// and with the part of the known key after its last dot.
fn similar(key: &str) -> Vec<&'static str> {
    let distance = |known: &str| {
        let last = known.rsplit('.').next().unwrap_or(known);
        edit_distance(key, known).min(edit_distance(key, last))
    };
    let mut all: Vec<_> = SolverOption::all().iter().map(|o| (distance(o.key), o.key)).collect();
    all.sort();
    let best = all.first().map_or(0, |(distance, _)| *distance);
    all.into_iter().take_while(|(d, _)| *d == best).take(SUGGESTIONS).map(|(_, key)| key).collect()
}
