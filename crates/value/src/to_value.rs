//! The values that `json!` accepts.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::{Map, Number, Value};

/// A value that [`json!`](crate::json) accepts. For other types that are `Serialize`, use
/// [`to_value`](crate::to_value).
pub trait ToValue {
    /// The value. An infinite float or NaN is `null`.
    fn to_value(&self) -> Value;
}

impl ToValue for Value {
    fn to_value(&self) -> Value {
        self.clone()
    }
}

impl ToValue for Map<String, Value> {
    fn to_value(&self) -> Value {
        Value::Object(self.clone())
    }
}

impl ToValue for Number {
    fn to_value(&self) -> Value {
        Value::Number(self.clone())
    }
}

impl ToValue for str {
    fn to_value(&self) -> Value {
        Value::String(self.to_owned())
    }
}

impl ToValue for String {
    fn to_value(&self) -> Value {
        Value::String(self.clone())
    }
}

/// A part of a path that is not UTF-8 becomes U+FFFD.
impl ToValue for Path {
    fn to_value(&self) -> Value {
        self.to_string_lossy().to_value()
    }
}

impl ToValue for PathBuf {
    fn to_value(&self) -> Value {
        self.as_path().to_value()
    }
}

impl ToValue for char {
    fn to_value(&self) -> Value {
        Value::String(self.to_string())
    }
}

impl ToValue for () {
    fn to_value(&self) -> Value {
        Value::Null
    }
}

macro_rules! of_copies {
    ($($copy:ty)*) => {
        $(
            impl ToValue for $copy {
                fn to_value(&self) -> Value {
                    Value::from(*self)
                }
            }
        )*
    };
}

of_copies!(bool u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f64);

impl<T: ToValue> ToValue for [T] {
    fn to_value(&self) -> Value {
        Value::Array(self.iter().map(ToValue::to_value).collect())
    }
}

impl<T: ToValue, const N: usize> ToValue for [T; N] {
    fn to_value(&self) -> Value {
        self.as_slice().to_value()
    }
}

impl<T: ToValue> ToValue for Vec<T> {
    fn to_value(&self) -> Value {
        self.as_slice().to_value()
    }
}

impl<K: ToString, V: ToValue> ToValue for BTreeMap<K, V> {
    fn to_value(&self) -> Value {
        let members = self.iter();
        let members = members.map(|(key, value)| (key.to_string(), value.to_value()));
        Value::Object(members.collect())
    }
}

impl<T: ToValue> ToValue for Option<T> {
    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Null, ToValue::to_value)
    }
}

impl<T: ToValue + ?Sized> ToValue for &T {
    fn to_value(&self) -> Value {
        (**self).to_value()
    }
}

impl<T: ToValue + ?Sized> ToValue for Box<T> {
    fn to_value(&self) -> Value {
        (**self).to_value()
    }
}

impl<T: ToValue + ToOwned + ?Sized> ToValue for Cow<'_, T> {
    fn to_value(&self) -> Value {
        (**self).to_value()
    }
}
