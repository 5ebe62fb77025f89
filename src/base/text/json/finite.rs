//! Finds the first non-finite number in a value, by serializing the value into a visitor.

use std::fmt::{self, Display, Write};

use serde::Serialize;
use serde::ser::{
    self, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

/// Returns the path of the first infinite or NaN number in a value, for example `nodes[3].translation[0]`, or `None` if all numbers are
/// finite. Skips the parts of the value that cannot be serialized. Errors in these parts are reported when the value is written.
pub fn not_finite<T: Serialize + ?Sized>(value: &T) -> Option<String> {
    match value.serialize(&mut Walk { path: Vec::new() }) {
        Err(Stop::NotFinite(at)) => Some(at),
        Ok(()) | Err(Stop::Refused) => None,
    }
}

/// A component of a path into a value.
enum PathComponent {
    Field(&'static str),
    Key(String),
    Item(usize),
}

/// The reason why the walk stops early.
#[derive(Debug)]
enum Stop {
    NotFinite(String),
    /// The value's `Serialize` implementation failed.
    Refused,
}

impl Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite(at) => write!(f, "{at} is not finite"),
            Self::Refused => f.write_str("value cannot be serialized"),
        }
    }
}

impl std::error::Error for Stop {}

impl ser::Error for Stop {
    fn custom<T: Display>(_: T) -> Self {
        Self::Refused
    }
}

/// A walk through a value, with the path of the current item.
struct Walk {
    path: Vec<PathComponent>,
}

impl Walk {
    fn number(&self, is_finite: bool) -> Result<(), Stop> {
        if is_finite { Ok(()) } else { Err(Stop::NotFinite(self.path_text())) }
    }

    fn path_text(&self) -> String {
        let mut text = String::new();
        for component in &self.path {
            let dot = if text.is_empty() { "" } else { "." };
            // Writing to a string cannot fail.
            let _ = match component {
                PathComponent::Field(name) => write!(text, "{dot}{name}"),
                PathComponent::Key(name) => write!(text, "{dot}{name}"),
                PathComponent::Item(index) => write!(text, "[{index}]"),
            };
        }
        if text.is_empty() { "the number".to_owned() } else { text }
    }

    fn visit<T: Serialize + ?Sized>(&mut self, component: PathComponent, value: &T) -> Result<(), Stop> {
        self.path.push(component);
        match value.serialize(&mut *self) {
            Ok(()) | Err(Stop::Refused) => {
                self.path.pop();
                Ok(())
            }
            stop => stop,
        }
    }

    /// Starts visiting the items of a list, an object or an enum variant.
    fn compound(&mut self, variant: Option<&'static str>) -> Compound<'_> {
        self.path.extend(variant.map(PathComponent::Field));
        Compound { walk: self, next: 0, key: String::new(), is_variant: variant.is_some() }
    }
}

/// Visits the items of a list, an object or an enum variant.
struct Compound<'a> {
    walk: &'a mut Walk,
    /// The index of the next item.
    next: usize,
    /// The key of the next value.
    key: String,
    /// Whether the variant's name was added to the path.
    is_variant: bool,
}

impl Compound<'_> {
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
        self.next += 1;
        self.walk.visit(PathComponent::Item(self.next - 1), value)
    }

    fn leave(self) {
        if self.is_variant {
            self.walk.path.pop();
        }
    }
}

/// Implements the methods for types that need no check, because they contain no floating-point numbers.
macro_rules! skip {
    ($($name:ident($($type:ty),*);)*) => {$(
        fn $name(self $(, _: $type)*) -> Result<(), Stop> {
            Ok(())
        }
    )*};
}

impl<'a> Serializer for &'a mut Walk {
    type Ok = ();
    type Error = Stop;
    type SerializeSeq = Compound<'a>;
    type SerializeTuple = Compound<'a>;
    type SerializeTupleStruct = Compound<'a>;
    type SerializeTupleVariant = Compound<'a>;
    type SerializeMap = Compound<'a>;
    type SerializeStruct = Compound<'a>;
    type SerializeStructVariant = Compound<'a>;

    skip! {
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
        self.visit(PathComponent::Field(variant), value)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Compound<'a>, Stop> {
        Ok(self.compound(None))
    }

    fn serialize_tuple(self, _: usize) -> Result<Compound<'a>, Stop> {
        Ok(self.compound(None))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Compound<'a>, Stop> {
        Ok(self.compound(None))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'a>, Stop> {
        Ok(self.compound(Some(variant)))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Compound<'a>, Stop> {
        Ok(self.compound(None))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Compound<'a>, Stop> {
        Ok(self.compound(None))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'a>, Stop> {
        Ok(self.compound(Some(variant)))
    }
}

/// Implements the serializers of lists.
macro_rules! lists {
    ($($kind:ident::$item:ident;)*) => {$(
        impl $kind for Compound<'_> {
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

/// Implements the serializers of structs.
macro_rules! objects {
    ($($kind:ident;)*) => {$(
        impl $kind for Compound<'_> {
            type Ok = ();
            type Error = Stop;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result<(), Stop> {
                self.walk.visit(PathComponent::Field(key), value)
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

impl SerializeMap for Compound<'_> {
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
        self.walk.visit(PathComponent::Key(key), value)
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
    enum Variants {
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
        kinds: Vec<Variants>,
        turn: Option<DQuat>,
        map: BTreeMap<String, Vec<f32>>,
    }

    fn document() -> Document {
        let kinds = vec![
            Variants::Unit,
            Variants::New(1.0),
            Variants::Pair(1, 2.0),
            Variants::Named { at: Vec3::ONE },
            Variants::Broken(0.0),
        ];
        let map = BTreeMap::from([("a b".to_owned(), vec![0.0, -0.0, f32::MAX])]);
        Document { name: "NaN", kinds, turn: Some(DQuat::IDENTITY), map }
    }

    #[test]
    fn the_path_of_the_number_is_returned() {
        assert_eq!(not_finite(&document()), None);
        type DocumentChange = fn(&mut Document);
        let changes: [(&str, DocumentChange); 6] = [
            ("kinds[1].new", |d| d.kinds[1] = Variants::New(f32::NAN)),
            ("kinds[2].pair[1]", |d| d.kinds[2] = Variants::Pair(0, f64::INFINITY)),
            ("kinds[3].named.at[2]", |d| {
                d.kinds[3] = Variants::Named { at: Vec3::new(0.0, 0.0, f32::INFINITY) }
            }),
            ("kinds[5].new", |d| d.kinds.push(Variants::New(f32::NEG_INFINITY))),
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
