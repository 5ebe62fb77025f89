//! The values that solver options accept, and how these are parsed, checked, printed and described.

use glam::DVec3;

use super::OptionValue;
use crate::options::{Balance, Swivel};

/// The values that an option accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum OptionKind {
    /// `true` or `false`.
    Flag,
    /// A whole number from `min` to `max`.
    Count {
        /// Minimum.
        min: usize,
        /// Maximum.
        max: usize,
        /// The smallest and largest common values, for a slider.
        common: [usize; 2],
    },
    /// A number.
    Number(Domain),
    /// One of several names.
    Choice,
    /// The swivel of a limb: a name, `angle:A` or `follow:A,X,Y,Z`.
    Swivel,
    /// A balance task: `none` or `X,Y,Z,WEIGHT`.
    Balance,
}

/// The quantity that a number represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A number without a unit. It may be written in percent.
    Plain,
    /// An angle in radians.
    Angle,
    /// A length in metres.
    Length,
}

/// The numbers that an option accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Domain {
    /// The quantity.
    pub unit: Unit,
    /// Minimum.
    pub min: f64,
    /// Maximum. `f64::MAX` means no maximum.
    pub max: f64,
    /// Whether the minimum itself is excluded.
    pub excludes_min: bool,
    /// The smallest and largest common values, for a slider.
    pub common: [f64; 2],
    /// Whether a slider over the common values is logarithmic.
    pub is_logarithmic: bool,
    /// The word that means no value, if the option may have no value.
    pub none: Option<&'static str>,
    /// The value at which a slider starts if the option has no value.
    pub initial: f64,
}

impl Domain {
    const fn new(unit: Unit, min: f64, max: f64) -> Self {
        let common = [min, max];
        Self { unit, min, max, excludes_min: false, common, is_logarithmic: false, none: None, initial: max }
    }

    /// Plain numbers from `min` to `max`.
    pub(super) const fn plain(min: f64, max: f64) -> Self {
        Self::new(Unit::Plain, min, max)
    }

    /// Angles from `min` to `max`, in radians.
    pub(super) const fn angle(min: f64, max: f64) -> Self {
        Self::new(Unit::Angle, min, max)
    }

    /// Lengths from `min` to `max`, in metres.
    pub(super) const fn length(min: f64, max: f64) -> Self {
        Self::new(Unit::Length, min, max)
    }

    /// Excludes the minimum.
    pub(super) const fn above(self) -> Self {
        Self { excludes_min: true, ..self }
    }

    /// Sets the range of common values, with its midpoint as the initial value.
    pub(super) const fn common(self, first: f64, last: f64) -> Self {
        Self { common: [first, last], initial: (first + last) / 2.0, ..self }
    }

    /// Makes the slider over the common values logarithmic.
    pub(super) const fn logarithmic(self) -> Self {
        Self { is_logarithmic: true, ..self }
    }

    /// Sets the word that means no value.
    pub(super) const fn or(self, none: &'static str) -> Self {
        Self { none: Some(none), ..self }
    }

    pub(super) const fn initial(self, initial: f64) -> Self {
        Self { initial, ..self }
    }

    fn accepts(&self, x: f64) -> bool {
        (self.min..=self.max).contains(&x) && !(self.excludes_min && x <= self.min)
    }

    /// Describes the range, for example `more than 0deg` or `0 to 1`.
    fn describe(&self) -> String {
        let bound = |x: f64| self.unit.print(x);
        let range = match (self.max < f64::MAX, self.excludes_min) {
            (false, false) => format!("at least {}", bound(self.min)),
            (false, true) => format!("more than {}", bound(self.min)),
            (true, false) => format!("{} to {}", bound(self.min), bound(self.max)),
            (true, true) => format!("more than {}, at most {}", bound(self.min), bound(self.max)),
        };
        self.none.map_or(range.clone(), |none| format!("{range}, or {none}"))
    }
}

impl Unit {
    /// Returns the names of the units, and for each unit the divisor that converts a number to the stored unit. The
    /// first unit is the stored one.
    fn names(self) -> &'static [(&'static str, f64)] {
        match self {
            Self::Plain => &[("", 1.0), ("%", 100.0)],
            Self::Angle => &[("rad", 1.0)],
            Self::Length => &[("m", 1.0), ("cm", 100.0), ("mm", 1000.0)],
        }
    }

    fn known(self) -> &'static str {
        match self {
            Self::Plain => "a plain number or %",
            Self::Angle => "deg or rad",
            Self::Length => "m, cm or mm",
        }
    }

    /// Parses a number with or without a unit.
    pub fn parse(self, text: &str) -> Result<f64, String> {
        let is_unit = |c: char| c.is_alphabetic() || matches!(c, '%' | '°');
        let digits = text.trim_end_matches(is_unit);
        let unit = text.get(digits.len()..).unwrap_or_default();
        let number = digits.trim().parse::<f64>().ok().filter(|x| x.is_finite());
        let number = number.ok_or_else(|| format!("\"{text}\" is not a number; use {}", self.known()))?;
        if self == Self::Angle && matches!(unit, "deg" | "°") {
            return Ok(number.to_radians());
        }
        let factor = self.names().iter().find(|(name, _)| *name == unit || unit.is_empty());
        let wrong = || format!("unit \"{unit}\" of \"{text}\" does not fit; use {}", self.known());
        factor.map(|(_, factor)| number / factor).ok_or_else(wrong)
    }

    /// Prints a number with all its digits. Angles are in degrees and short lengths in millimetres if the number is
    /// exact in this unit.
    pub(super) fn print(self, x: f64) -> String {
        let rounded = |x: f64| (x * 1e6).round() / 1e6;
        let (degrees, millimetres) = (rounded(x.to_degrees()), rounded(x * 1e3));
        match self {
            Self::Plain => digits(x),
            Self::Angle if same(degrees.to_radians(), x) => format!("{}deg", digits(degrees)),
            Self::Angle => format!("{}rad", digits(x)),
            Self::Length if x.abs() < 1.0 && same(millimetres / 1e3, x) => {
                format!("{}mm", digits(millimetres))
            }
            Self::Length => format!("{}m", digits(x)),
        }
    }
}

/// Returns whether two numbers have the same bits.
fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits()
}

/// Prints a number with exactly the digits that represent it.
fn digits(x: f64) -> String {
    let text = format!("{x:?}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// Parses exactly `N` numbers that are separated by commas. The first one may have a unit.
fn list<const N: usize>(text: &str, first: Unit) -> Result<[f64; N], String> {
    let unit = |index: usize| if index == 0 { first } else { Unit::Plain };
    let numbers: Result<Vec<f64>, String> =
        text.split(',').enumerate().map(|(i, text)| unit(i).parse(text.trim())).collect();
    let numbers = numbers?;
    let found = numbers.len();
    numbers.try_into().map_err(|_| format!("expected {N} numbers separated by commas, found {found}"))
}

const SWIVEL: &str = "angle:A, or follow:A,X,Y,Z";
/// The swivels without numbers, with their names.
pub(super) const NAMED_SWIVELS: [(&str, Swivel); 4] =
    [("keep", Swivel::Keep), ("standard", Swivel::Standard), ("arm", Swivel::Arm), ("leg", Swivel::Leg)];
const BALANCE: &str = "X,Y,Z,WEIGHT, or none";

fn parse_swivel(text: &str) -> Option<Result<Swivel, String>> {
    if let Some((_, swivel)) = NAMED_SWIVELS.iter().find(|(name, _)| *name == text) {
        return Some(Ok(*swivel));
    }
    let follow = |[at_base, x, y, z]: [f64; 4]| Swivel::Follow { at_base, slope: DVec3::new(x, y, z) };
    match text.split_once(':')? {
        ("angle", angle) => Some(list::<1>(angle, Unit::Angle).map(|[angle]| Swivel::Angle(angle))),
        ("follow", numbers) => Some(list(numbers, Unit::Angle).map(follow)),
        _ => None,
    }
}

fn print_swivel(swivel: &Swivel) -> String {
    match swivel {
        Swivel::Angle(angle) => format!("angle:{}", Unit::Angle.print(*angle)),
        Swivel::Follow { at_base, slope } => {
            let slope = slope.to_array().map(digits).join(",");
            format!("follow:{},{slope}", Unit::Angle.print(*at_base))
        }
        named => NAMED_SWIVELS.iter().find(|(_, s)| s == named).map_or("", |(name, _)| *name).to_owned(),
    }
}

fn is_finite(swivel: &Swivel) -> bool {
    match swivel {
        Swivel::Angle(angle) => angle.is_finite(),
        Swivel::Follow { at_base, slope } => at_base.is_finite() && slope.is_finite(),
        _ => true,
    }
}

impl OptionKind {
    /// Parses a value. `names` lists the choices.
    pub(super) fn parse(&self, text: &str, names: &[&'static str]) -> Result<OptionValue, String> {
        let is_none =
            |word: Option<&str>| word.is_some_and(|word| text == word || matches!(text, "none" | "inf"));
        match self {
            Self::Flag => match text {
                "true" | "on" => Ok(OptionValue::Flag(true)),
                "false" | "off" => Ok(OptionValue::Flag(false)),
                _ => Err(format!("\"{text}\" must be {}", self.describe(names))),
            },
            Self::Count { .. } => {
                let cause = || format!("\"{text}\" must be a whole number, {}", self.describe(names));
                text.parse().map(OptionValue::Count).map_err(|_| cause())
            }
            Self::Number(domain) if is_none(domain.none) => Ok(OptionValue::None),
            Self::Number(domain) => domain.unit.parse(text).map(OptionValue::Number),
            Self::Choice => {
                let known = names.iter().find(|name| **name == text);
                let cause = || format!("\"{text}\" must be one of {}", names.join(", "));
                known.map(|name| OptionValue::Name(name)).ok_or_else(cause)
            }
            Self::Swivel => {
                let cause = || Err(format!("\"{text}\" must be {}", self.describe(names)));
                parse_swivel(text).unwrap_or_else(cause).map(OptionValue::Swivel)
            }
            Self::Balance if text == "none" => Ok(OptionValue::None),
            Self::Balance => {
                let cause = |cause| format!("{cause}; expected {BALANCE}");
                let [x, y, z, weight] = list(text, Unit::Plain).map_err(cause)?;
                Ok(OptionValue::Balance(Balance { support: DVec3::new(x, y, z), weight }))
            }
        }
    }

    /// Checks the type and the range of a value.
    pub(super) fn check(&self, value: &OptionValue, names: &[&'static str]) -> Result<(), String> {
        let is_valid = match (self, value) {
            (Self::Flag, OptionValue::Flag(_)) => true,
            (Self::Count { min, max, .. }, OptionValue::Count(count)) => (min..=max).contains(&count),
            (Self::Number(domain), OptionValue::None) => domain.none.is_some(),
            (Self::Number(domain), OptionValue::Number(x)) => domain.accepts(*x),
            (Self::Choice, OptionValue::Name(name)) => names.contains(name),
            (Self::Swivel, OptionValue::Swivel(swivel)) => is_finite(swivel),
            (Self::Balance, OptionValue::None) => true,
            (Self::Balance, OptionValue::Balance(Balance { support, weight })) => {
                support.is_finite() && weight.is_finite() && *weight >= 0.0
            }
            _ => false,
        };
        if is_valid {
            return Ok(());
        }
        Err(format!("{} must be {}", self.print(value), self.describe(names)))
    }

    pub(super) fn print(&self, value: &OptionValue) -> String {
        match (value, self) {
            (OptionValue::None, Self::Number(Domain { none: Some(word), .. })) => (*word).to_owned(),
            (OptionValue::None, _) => "none".to_owned(),
            (OptionValue::Flag(value), _) => value.to_string(),
            (OptionValue::Count(value), _) => value.to_string(),
            (OptionValue::Number(x), Self::Number(domain)) => domain.unit.print(*x),
            (OptionValue::Number(x), _) => digits(*x),
            (OptionValue::Name(name), _) => (*name).to_owned(),
            (OptionValue::Swivel(swivel), _) => print_swivel(swivel),
            (OptionValue::Balance(Balance { support, weight }), _) => {
                format!("{},{}", support.to_array().map(digits).join(","), digits(*weight))
            }
        }
    }

    /// Describes the accepted values.
    pub(super) fn describe(&self, names: &[&'static str]) -> String {
        match self {
            Self::Flag => "true or false".to_owned(),
            Self::Count { min, max, .. } => format!("{min} to {max}"),
            Self::Number(domain) => domain.describe(),
            Self::Choice => names.join(", "),
            Self::Swivel => format!("{}, {SWIVEL}", names.join(", ")),
            Self::Balance => BALANCE.to_owned(),
        }
    }
}
