//! Indices of a value: keys and places.

use std::ops;

use crate::{Map, Value};

/// A key of an object or a place in an array. It is implemented for strings and `usize`.
pub trait Index: sealed::Sealed {
    #[doc(hidden)]
    fn of<'v>(&self, value: &'v Value) -> Option<&'v Value>;
    #[doc(hidden)]
    fn of_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value>;
    #[doc(hidden)]
    fn of_or_insert<'v>(&self, value: &'v mut Value) -> &'v mut Value;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for str {}
    impl Sealed for String {}
    impl Sealed for usize {}
    impl<T: Sealed + ?Sized> Sealed for &T {}
}

impl Index for str {
    fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        value.as_object()?.get(self)
    }

    fn of_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        value.as_object_mut()?.get_mut(self)
    }

    fn of_or_insert<'v>(&self, value: &'v mut Value) -> &'v mut Value {
        if value.is_null() {
            *value = Value::Object(Map::new());
        }
        match value {
            Value::Object(members) => members.entry(self).or_insert(Value::Null),
            other => panic!("the key {self:?} of a value that is not an object: {other}"),
        }
    }
}

impl Index for String {
    fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.as_str().of(value)
    }

    fn of_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        self.as_str().of_mut(value)
    }

    fn of_or_insert<'v>(&self, value: &'v mut Value) -> &'v mut Value {
        self.as_str().of_or_insert(value)
    }
}

impl Index for usize {
    fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        value.as_array()?.get(*self)
    }

    fn of_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        value.as_array_mut()?.get_mut(*self)
    }

    fn of_or_insert<'v>(&self, value: &'v mut Value) -> &'v mut Value {
        match self.of_mut(value) {
            Some(item) => item,
            None => panic!("no item at {self}"),
        }
    }
}

impl<T: Index + ?Sized> Index for &T {
    fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        (**self).of(value)
    }

    fn of_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        (**self).of_mut(value)
    }

    fn of_or_insert<'v>(&self, value: &'v mut Value) -> &'v mut Value {
        (**self).of_or_insert(value)
    }
}

/// The member or item; `null` if there is none.
impl<I: Index> ops::Index<I> for Value {
    type Output = Value;

    fn index(&self, index: I) -> &Value {
        static NULL: Value = Value::Null;
        index.of(self).unwrap_or(&NULL)
    }
}

/// The member, added as `null` where an object has none or the value is `null`; or the item.
///
/// # Panics
/// If the value is not an object or has no such item.
impl<I: Index> ops::IndexMut<I> for Value {
    fn index_mut(&mut self, index: I) -> &mut Value {
        index.of_or_insert(self)
    }
}
