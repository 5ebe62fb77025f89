//! Finds the first number of a value that is not finite, by walking it as a serializer would.

use std::fmt::{self, Display, Write};

use serde::Serialize;
use serde::ser::{
    self, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

/// The path of the first number in a value that is infinite or NaN, such as `nodes[3].translation[0]`; `None` if all
/// are finite. Parts of the value that cannot be serialized are left out: whoever writes them reports that.
pub(crate) fn not_finite<T: Serialize + ?Sized>(value: &T) -> Option<String> {
    match value.serialize(&mut Walk { path: Vec::new() }) {
        Err(Stop::NotFinite(at)) => Some(at),
        Ok(()) | Err(Stop::Refused) => None,
    }
}

/// A step down into a value.
enum Step {
    Field(&'static str),
    Key(String),
    Item(usize),
}

/// Why the walk ends early.
#[derive(Debug)]
enum Stop {
    NotFinite(String),
    /// The value's own `Serialize` failed.
    Refused,
}

impl Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite(at) => write!(f, "{at} is not finite"),
            Self::Refused => f.write_str("a part cannot be serialized"),
        }
    }
}

impl std::error::Error for Stop {}

impl ser::Error for Stop {
    fn custom<T: Display>(_: T) -> Self {
        Self::Refused
    }
}

/// Where the walk is.
struct Walk {
    path: Vec<Step>,
}

impl Walk {
    fn number(&self, is_finite: bool) -> Result<(), Stop> {
        if is_finite { Ok(()) } else { Err(Stop::NotFinite(self.place())) }
    }

    fn place(&self) -> String {
        let mut place = String::new();
        for step in &self.path {
            let dot = if place.is_empty() { "" } else { "." };
            // Writing to a string cannot fail.
            let _ = match step {
                Step::Field(name) => write!(place, "{dot}{name}"),
                Step::Key(name) => write!(place, "{dot}{name}"),
                Step::Item(index) => write!(place, "[{index}]"),
            };
        }
        if place.is_empty() { "the number".to_owned() } else { place }
    }

    fn into<T: Serialize + ?Sized>(&mut self, step: Step, value: &T) -> Result<(), Stop> {
        self.path.push(step);
        match value.serialize(&mut *self) {
            Ok(()) | Err(Stop::Refused) => {
                self.path.pop();
                Ok(())
            }
            found => found,
        }
    }

    /// Walks the items of a list, an object or a variant.
    fn inside(&mut self, variant: Option<&'static str>) -> Inside<'_> {
        self.path.extend(variant.map(Step::Field));
        Inside { walk: self, next: 0, key: String::new(), leaves: variant.is_some() }
    }
}

/// Inside a list, an object or a variant.
struct Inside<'a> {
    walk: &'a mut Walk,
    /// The index of the next item.
    next: usize,
    /// The key of the next value.
    key: String,
    /// Whether its end is a step up.
    leaves: bool,
}

impl Inside<'_> {
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
        self.next += 1;
        self.walk.into(Step::Item(self.next - 1), value)
    }

    fn leave(self) {
        if self.leaves {
            self.walk.path.pop();
        }
    }
}

/// What cannot hold a number.
macro_rules! nothing {
    ($($name:ident($($type:ty),*);)*) => {$(
        fn $name(self $(, _: $type)*) -> Result<(), Stop> {
            Ok(())
        }
    )*};
}

impl<'a> Serializer for &'a mut Walk {
    type Ok = ();
    type Error = Stop;
    type SerializeSeq = Inside<'a>;
    type SerializeTuple = Inside<'a>;
    type SerializeTupleStruct = Inside<'a>;
    type SerializeTupleVariant = Inside<'a>;
    type SerializeMap = Inside<'a>;
    type SerializeStruct = Inside<'a>;
    type SerializeStructVariant = Inside<'a>;

    nothing! {
        serialize_bool(bool);
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_i128(i128);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_u64(u64);
        serialize_u128(u128);
        serialize_char(char);
        serialize_str(&str);
        serialize_bytes(&[u8]);
        serialize_none();
        serialize_unit();
        serialize_unit_struct(&'static str);
        serialize_unit_variant(&'static str, u32, &'static str);
    }

    fn serialize_f32(self, v: f32) -> Result<(), Stop> {
        self.number(v.is_finite())
    }

    fn serialize_f64(self, v: f64) -> Result<(), Stop> {
        self.number(v.is_finite())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Stop> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Stop> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Stop> {
        self.into(Step::Field(variant), value)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Inside<'a>, Stop> {
        Ok(self.inside(None))
    }

    fn serialize_tuple(self, _: usize) -> Result<Inside<'a>, Stop> {
        Ok(self.inside(None))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Inside<'a>, Stop> {
        Ok(self.inside(None))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Inside<'a>, Stop> {
        Ok(self.inside(Some(variant)))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Inside<'a>, Stop> {
        Ok(self.inside(None))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Inside<'a>, Stop> {
        Ok(self.inside(None))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Inside<'a>, Stop> {
        Ok(self.inside(Some(variant)))
    }
}

/// The kinds of lists: each item is one further.
macro_rules! lists {
    ($($kind:ident::$item:ident;)*) => {$(
        impl $kind for Inside<'_> {
            type Ok = ();
            type Error = Stop;

            fn $item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
                self.item(value)
            }

            fn end(self) -> Result<(), Stop> {
                self.leave();
                Ok(())
            }
        }
    )*};
}

/// The kinds of objects whose fields are known.
macro_rules! objects {
    ($($kind:ident;)*) => {$(
        impl $kind for Inside<'_> {
            type Ok = ();
            type Error = Stop;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result<(), Stop> {
                self.walk.into(Step::Field(key), value)
            }

            fn end(self) -> Result<(), Stop> {
                self.leave();
                Ok(())
            }
        }
    )*};
}

lists! {
    SerializeSeq::serialize_element;
    SerializeTuple::serialize_element;
    SerializeTupleStruct::serialize_field;
    SerializeTupleVariant::serialize_field;
}

objects! {
    SerializeStruct;
    SerializeStructVariant;
}

impl SerializeMap for Inside<'_> {
    type Ok = ();
    type Error = Stop;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Stop> {
        self.key = match serde_json::to_value(key) {
            Ok(serde_json::Value::String(key)) => key,
            Ok(other) => other.to_string(),
            Err(_) => String::new(),
        };
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
        let key = std::mem::take(&mut self.key);
        self.walk.into(Step::Key(key), value)
    }

    fn end(self) -> Result<(), Stop> {
        self.leave();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use glam::{DQuat, Vec3};
    use serde_json::json;

    use super::*;

    #[derive(Serialize)]
    #[serde(rename_all = "kebab-case")]
    enum Kind {
        Unit,
        New(f32),
        Pair(u8, f64),
        Named { at: Vec3 },
        Broken(#[serde(serialize_with = "broken")] f64),
    }

    fn broken<S: Serializer>(_: &f64, _: S) -> Result<S::Ok, S::Error> {
        Err(ser::Error::custom("never"))
    }

    #[derive(Serialize)]
    struct Document {
        name: &'static str,
        kinds: Vec<Kind>,
        turn: Option<DQuat>,
        map: BTreeMap<String, Vec<f32>>,
    }

    fn document() -> Document {
        let kinds = vec![
            Kind::Unit,
            Kind::New(1.0),
            Kind::Pair(1, 2.0),
            Kind::Named { at: Vec3::ONE },
            Kind::Broken(0.0),
        ];
        let map = BTreeMap::from([("a b".to_owned(), vec![0.0, -0.0, f32::MAX])]);
        Document { name: "NaN", kinds, turn: Some(DQuat::IDENTITY), map }
    }

    #[test]
    fn the_path_leads_to_the_number() {
        assert_eq!(not_finite(&document()), None);
        type Change = fn(&mut Document);
        let changes: [(&str, Change); 6] = [
            ("kinds[1].new", |d| d.kinds[1] = Kind::New(f32::NAN)),
            ("kinds[2].pair[1]", |d| d.kinds[2] = Kind::Pair(0, f64::INFINITY)),
            ("kinds[3].named.at[2]", |d| d.kinds[3] = Kind::Named { at: Vec3::new(0.0, 0.0, f32::INFINITY) }),
            ("kinds[5].new", |d| d.kinds.push(Kind::New(f32::NEG_INFINITY))),
            ("turn[3]", |d| d.turn = Some(DQuat::from_xyzw(0.0, 0.0, 0.0, f64::NAN))),
            ("map.a b[2]", |d| d.map.values_mut().for_each(|v| v[2] = f32::INFINITY)),
        ];
        for (at, change) in changes {
            let mut document = document();
            change(&mut document);
            assert_eq!(not_finite(&document).as_deref(), Some(at));
        }
        assert_eq!(not_finite(&f32::NAN).as_deref(), Some("the number"));
        assert_eq!(not_finite(&json!({ "a": [1e300, null] })), None);
    }
}
