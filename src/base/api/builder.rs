//! Builder methods for structs that may gain fields.

/// Adds a builder method for each listed field. The method returns the struct with that field replaced.
///
/// Structs that may gain fields are `#[non_exhaustive]`, so other crates cannot use struct update syntax. These methods
/// replace that syntax. The type of an optional field is written `impl Into<Option<T>>`, so that the method also accepts
/// a `T`.
#[macro_export]
macro_rules! with_methods {
    ($type:ident { $($with:ident($field:ident: $value:ty),)* }) => {
        /// Builder methods, one for each field.
        impl $type {
            $(
                #[doc = concat!("Returns the value with another [`", stringify!($field), "`](Self::", stringify!($field), ").")]
                #[must_use]
                pub fn $with(mut self, $field: $value) -> Self {
                    self.$field = $field.into();
                    self
                }
            )*
        }
    };
}
