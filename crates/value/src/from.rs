//! Other types as values, and comparisons with them.

use std::borrow::Cow;
use std::str::FromStr;

use crate::{Error, Map, Number, Value, from_str};

impl FromStr for Value {
    type Err = Error;

    fn from_str(text: &str) -> Result<Value, Error> {
        from_str(text)
    }
}

impl From<()> for Value {
    fn from((): ()) -> Value {
        Value::Null
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Value {
        Value::Number(number)
    }
}

/// `null` for infinities and NaN.
impl From<f64> for Value {
    fn from(value: f64) -> Value {
        Number::from_f64(value).map_or(Value::Null, Value::Number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::String(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::String(text)
    }
}

impl From<Cow<'_, str>> for Value {
    fn from(text: Cow<'_, str>) -> Value {
        Value::String(text.into_owned())
    }
}

impl From<Map<String, Value>> for Value {
    fn from(members: Map<String, Value>) -> Value {
        Value::Object(members)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Value {
        items.into_iter().collect()
    }
}

impl<T: Clone + Into<Value>> From<&[T]> for Value {
    fn from(items: &[T]) -> Value {
        items.iter().cloned().collect()
    }
}

impl<T: Into<Value>, const N: usize> From<[T; N]> for Value {
    fn from(items: [T; N]) -> Value {
        items.into_iter().collect()
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}

impl<T: Into<Value>> FromIterator<T> for Value {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Value {
        Value::Array(items.into_iter().map(Into::into).collect())
    }
}

impl<K: Into<String>, V: Into<Value>> FromIterator<(K, V)> for Value {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Value {
        let members = members.into_iter();
        Value::Object(
            members
                .map(|(key, value)| (key.into(), value.into()))
                .collect(),
        )
    }
}

macro_rules! of_integers {
    ($($integer:ty)*) => {
        $(
            impl From<$integer> for Value {
                fn from(value: $integer) -> Value {
                    Value::Number(value.into())
                }
            }
        )*
    };
}

of_integers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

macro_rules! equal {
    ($($other:ty, |$value:ident, $wanted:ident| $equal:expr;)*) => {
        $(
            impl PartialEq<$other> for Value {
                fn eq(&self, $wanted: &$other) -> bool {
                    let $value = self;
                    $equal
                }
            }

            impl PartialEq<Value> for $other {
                fn eq(&self, value: &Value) -> bool {
                    value == self
                }
            }
        )*
    };
}

equal! {
    str, |value, wanted| value.as_str() == Some(wanted);
    &str, |value, wanted| value.as_str() == Some(*wanted);
    String, |value, wanted| value.as_str() == Some(wanted.as_str());
    bool, |value, wanted| value.as_bool() == Some(*wanted);
    i32, |value, wanted| value.as_i64() == Some((*wanted).into());
    i64, |value, wanted| value.as_i64() == Some(*wanted);
    u16, |value, wanted| value.as_u64() == Some((*wanted).into());
    u32, |value, wanted| value.as_u64() == Some((*wanted).into());
    u64, |value, wanted| value.as_u64() == Some(*wanted);
    usize, |value, wanted| value.as_u64() == u64::try_from(*wanted).ok();
    f64, |value, wanted| value.as_f64() == Some(*wanted);
}

macro_rules! equal_by_reference {
    ($($other:ty)*) => {
        $(
            impl PartialEq<$other> for &Value {
                fn eq(&self, wanted: &$other) -> bool {
                    **self == *wanted
                }
            }
        )*
    };
}

equal_by_reference!(String bool i32 i64 u16 u32 u64 usize f64);
