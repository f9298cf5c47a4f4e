//! The members of an object, in the order in which they were added.

use std::fmt;
use std::iter::FusedIterator;
use std::ops;

use indexmap::IndexMap;

use crate::Value;

/// The members of an object, in the order in which they were added.
///
/// The types of keys and values are parameters so that `Map<String, Value>` can be written as with `serde_json`; no
/// other types are supported.
#[derive(Clone)]
pub struct Map<K = String, V = Value> {
    members: IndexMap<K, V>,
}

impl Map<String, Value> {
    /// No members.
    pub fn new() -> Map<String, Value> {
        Map::default()
    }

    /// No members, with room for `capacity` of them.
    pub fn with_capacity(capacity: usize) -> Map<String, Value> {
        let members = IndexMap::with_capacity(capacity);
        Map { members }
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Removes all members.
    pub fn clear(&mut self) {
        self.members.clear();
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.members.get(key)
    }

    /// The value of a key, to change it.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.members.get_mut(key)
    }

    /// A key as it is stored, and its value.
    pub fn get_key_value(&self, key: &str) -> Option<(&String, &Value)> {
        self.members.get_key_value(key)
    }

    /// Whether there is a key.
    pub fn contains_key(&self, key: &str) -> bool {
        self.members.contains_key(key)
    }

    /// The index of a key, counted from 0 in the order of the members.
    pub fn index_of(&self, key: &str) -> Option<usize> {
        self.members.get_index_of(key)
    }

    /// Sets the value of a key and returns the one it had. A new key goes to the end, an old one keeps its place.
    pub fn insert(&mut self, key: String, value: Value) -> Option<Value> {
        self.members.insert(key, value)
    }

    /// The entry of a key, to fill it or change its value.
    pub fn entry(&mut self, key: impl Into<String>) -> Entry<'_> {
        Entry(self.members.entry(key.into()))
    }

    /// Removes a key in constant time: the last member takes its place.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        self.members.swap_remove(key)
    }

    /// Removes a key; the others keep their order.
    pub fn shift_remove(&mut self, key: &str) -> Option<Value> {
        self.members.shift_remove(key)
    }

    /// Keeps the members that satisfy a predicate.
    pub fn retain(&mut self, keep: impl FnMut(&String, &mut Value) -> bool) {
        self.members.retain(keep);
    }

    /// Moves all members of `other` here.
    pub fn append(&mut self, other: &mut Map<String, Value>) {
        self.members.append(&mut other.members);
    }

    /// The keys.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &String> + ExactSizeIterator + Clone {
        self.members.keys()
    }

    /// The values.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &Value> + ExactSizeIterator + Clone {
        self.members.values()
    }

    /// The values, to change them.
    pub fn values_mut(
        &mut self,
    ) -> impl DoubleEndedIterator<Item = &mut Value> + ExactSizeIterator {
        self.members.values_mut()
    }

    /// The owned values.
    pub fn into_values(self) -> impl DoubleEndedIterator<Item = Value> + ExactSizeIterator {
        self.members.into_values()
    }

    /// The members.
    pub fn iter(&self) -> Iter<'_> {
        Iter(self.members.iter())
    }

    /// The members, to change their values.
    pub fn iter_mut(&mut self) -> IterMut<'_> {
        IterMut(self.members.iter_mut())
    }
}

impl Default for Map<String, Value> {
    fn default() -> Self {
        let members = IndexMap::new();
        Map { members }
    }
}

/// The order of members does not matter.
impl PartialEq for Map<String, Value> {
    fn eq(&self, other: &Self) -> bool {
        self.members == other.members
    }
}

impl Eq for Map<String, Value> {}

impl fmt::Debug for Map<String, Value> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.members.fmt(f)
    }
}

/// # Panics
/// If there is no such key.
impl ops::Index<&str> for Map<String, Value> {
    type Output = Value;

    fn index(&self, key: &str) -> &Value {
        &self.members[key]
    }
}

/// # Panics
/// If there is no such key.
impl ops::IndexMut<&str> for Map<String, Value> {
    fn index_mut(&mut self, key: &str) -> &mut Value {
        &mut self.members[key]
    }
}

impl Extend<(String, Value)> for Map<String, Value> {
    fn extend<I: IntoIterator<Item = (String, Value)>>(&mut self, members: I) {
        self.members.extend(members);
    }
}

impl FromIterator<(String, Value)> for Map<String, Value> {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(members: I) -> Self {
        let members = members.into_iter().collect();
        Map { members }
    }
}

impl IntoIterator for Map<String, Value> {
    type Item = (String, Value);
    type IntoIter = IntoIter;

    fn into_iter(self) -> IntoIter {
        IntoIter(self.members.into_iter())
    }
}

impl<'m> IntoIterator for &'m Map<String, Value> {
    type Item = (&'m String, &'m Value);
    type IntoIter = Iter<'m>;

    fn into_iter(self) -> Iter<'m> {
        self.iter()
    }
}

impl<'m> IntoIterator for &'m mut Map<String, Value> {
    type Item = (&'m String, &'m mut Value);
    type IntoIter = IterMut<'m>;

    fn into_iter(self) -> IterMut<'m> {
        self.iter_mut()
    }
}

macro_rules! iterator {
    ($(#[$doc:meta])* $name:ident $(<$life:lifetime>)?, $inner:ty, $item:ty) => {
        $(#[$doc])*
        pub struct $name $(<$life>)? ($inner);

        impl $(<$life>)? Iterator for $name $(<$life>)? {
            type Item = $item;

            fn next(&mut self) -> Option<$item> {
                self.0.next()
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0.size_hint()
            }
        }

        impl $(<$life>)? DoubleEndedIterator for $name $(<$life>)? {
            fn next_back(&mut self) -> Option<$item> {
                self.0.next_back()
            }
        }

        impl $(<$life>)? ExactSizeIterator for $name $(<$life>)? {}

        impl $(<$life>)? FusedIterator for $name $(<$life>)? {}
    };
}

iterator!(
    /// The members of a [`Map`].
    #[derive(Clone, Debug)]
    Iter<'m>,
    indexmap::map::Iter<'m, String, Value>,
    (&'m String, &'m Value)
);
iterator!(
    /// The members of a [`Map`], to change their values.
    #[derive(Debug)]
    IterMut<'m>,
    indexmap::map::IterMut<'m, String, Value>,
    (&'m String, &'m mut Value)
);
iterator!(
    /// The owned members of a [`Map`].
    #[derive(Debug)]
    IntoIter,
    indexmap::map::IntoIter<String, Value>,
    (String, Value)
);

/// The entry of a key in a [`Map`].
#[derive(Debug)]
pub struct Entry<'m>(indexmap::map::Entry<'m, String, Value>);

impl<'m> Entry<'m> {
    /// The key.
    pub fn key(&self) -> &String {
        self.0.key()
    }

    /// The value, set to `default` if there is none.
    pub fn or_insert(self, default: Value) -> &'m mut Value {
        self.0.or_insert(default)
    }

    /// The value, set to the result of `default` if there is none.
    pub fn or_insert_with(self, default: impl FnOnce() -> Value) -> &'m mut Value {
        self.0.or_insert_with(default)
    }

    /// Changes the value if there is one.
    #[must_use]
    pub fn and_modify(self, change: impl FnOnce(&mut Value)) -> Entry<'m> {
        Entry(self.0.and_modify(change))
    }
}
