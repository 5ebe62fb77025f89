//! Access to the fields of [`Options`](crate::Options) by their type.

use super::OptionValue;
use super::kind::NAMED_SWIVELS;
use crate::options::{Balance, Correction, JointParameters, Method, Secondary, Start, Swivel};

/// A field of the options that can be read or set.
pub(super) enum Field<'a> {
    /// A switch.
    Flag(&'a mut bool),
    /// A number of things.
    Count(&'a mut usize),
    /// A number. Infinity means that there is no value.
    Number(&'a mut f64),
    /// A number that may be missing.
    Optional(&'a mut Option<f64>),
    /// One of several names.
    Choice(&'a mut dyn Choice),
    /// The swivel of a limb.
    Swivel(&'a mut Swivel),
    /// A balance task that may be missing.
    Balance(&'a mut Option<Balance>),
}

impl Field<'_> {
    pub(super) fn get(&self) -> OptionValue {
        match self {
            Self::Flag(value) => OptionValue::Flag(**value),
            Self::Count(value) => OptionValue::Count(**value),
            Self::Number(value) if **value == f64::INFINITY => OptionValue::None,
            Self::Number(value) => OptionValue::Number(**value),
            Self::Optional(value) => value.map_or(OptionValue::None, OptionValue::Number),
            Self::Choice(value) => OptionValue::Name(value.name()),
            Self::Swivel(value) => OptionValue::Swivel(**value),
            Self::Balance(value) => value.map_or(OptionValue::None, OptionValue::Balance),
        }
    }

    /// Sets the field, and returns whether the value has the field's type.
    pub(super) fn set(self, value: OptionValue) -> bool {
        match (self, value) {
            (Self::Flag(field), OptionValue::Flag(value)) => *field = value,
            (Self::Count(field), OptionValue::Count(value)) => *field = value,
            (Self::Number(field), OptionValue::Number(value)) => *field = value,
            (Self::Number(field), OptionValue::None) => *field = f64::INFINITY,
            (Self::Optional(field), OptionValue::Number(value)) => *field = Some(value),
            (Self::Optional(field), OptionValue::None) => *field = None,
            (Self::Choice(field), OptionValue::Name(name)) => return field.select(name),
            (Self::Swivel(field), OptionValue::Swivel(value)) => *field = value,
            (Self::Balance(field), OptionValue::Balance(value)) => *field = Some(value),
            (Self::Balance(field), OptionValue::None) => *field = None,
            _ => return false,
        }
        true
    }

    /// Returns the names that a choice or a swivel accepts, without the swivels that contain a number. Other fields return an empty list.
    pub(super) fn names(&self) -> Vec<&'static str> {
        match self {
            Self::Choice(value) => value.names(),
            Self::Swivel(_) => NAMED_SWIVELS.map(|(name, _)| name).to_vec(),
            _ => Vec::new(),
        }
    }
}

/// A value that is chosen by its name.
pub(super) trait Choice {
    fn name(&self) -> &'static str;
    fn names(&self) -> Vec<&'static str>;
    /// Sets the value with the given name, and returns whether there is such a value.
    fn select(&mut self, name: &str) -> bool;
}

impl Choice for Method {
    fn name(&self) -> &'static str {
        Method::name(*self)
    }

    fn names(&self) -> Vec<&'static str> {
        Self::all().map(Self::name).collect()
    }

    fn select(&mut self, name: &str) -> bool {
        name.parse().map(|method| *self = method).is_ok()
    }
}

/// Implements [`Choice`] for an enum without data. A test checks that the names match the serialised form of the enum.
/// A variant that is missing from the macro's list causes a compile error.
macro_rules! choice {
    ($type:ty: $($variant:ident = $name:literal),+ $(,)?) => {
        impl Choice for $type {
            fn name(&self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            fn names(&self) -> Vec<&'static str> {
                vec![$($name),+]
            }

            fn select(&mut self, name: &str) -> bool {
                match name {
                    $($name => *self = Self::$variant,)+
                    _ => return false,
                }
                true
            }
        }
    };
}

choice!(Start: Current = "current", Rest = "rest", Continue = "continue");
choice!(Correction: Midpoint = "midpoint", MidAngle = "mid-angle");
choice!(JointParameters: RotationVector = "rotation-vector", Euler = "euler");
choice!(Secondary:
    None = "none", Rest = "rest", Posture = "posture", LimitCentres = "limit-centres", Start = "start", Balance = "balance"
);
