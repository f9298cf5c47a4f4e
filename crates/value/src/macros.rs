//! Values in the source of a program.

#[macro_export]
#[doc(hidden)]
macro_rules! json_insert {
    ($map:ident) => {};
    ($map:ident $key:tt : null $(, $($rest:tt)*)?) => {
        $map.insert($key.into(), $crate::Value::Null);
        $crate::json_insert!($map $($($rest)*)?);
    };
    ($map:ident $key:tt : [$($items:tt)*] $(, $($rest:tt)*)?) => {
        $map.insert($key.into(), $crate::json!([$($items)*]));
        $crate::json_insert!($map $($($rest)*)?);
    };
    ($map:ident $key:tt : {$($members:tt)*} $(, $($rest:tt)*)?) => {
        $map.insert($key.into(), $crate::json!({$($members)*}));
        $crate::json_insert!($map $($($rest)*)?);
    };
    ($map:ident $key:tt : $value:expr $(, $($rest:tt)*)?) => {
        $map.insert($key.into(), $crate::ToValue::to_value(&$value));
        $crate::json_insert!($map $($($rest)*)?);
    };
}

#[macro_export]
#[doc(hidden)]
macro_rules! json_push {
    ($list:ident) => {};
    ($list:ident null $(, $($rest:tt)*)?) => {
        $list.push($crate::Value::Null);
        $crate::json_push!($list $($($rest)*)?);
    };
    ($list:ident [$($items:tt)*] $(, $($rest:tt)*)?) => {
        $list.push($crate::json!([$($items)*]));
        $crate::json_push!($list $($($rest)*)?);
    };
    ($list:ident {$($members:tt)*} $(, $($rest:tt)*)?) => {
        $list.push($crate::json!({$($members)*}));
        $crate::json_push!($list $($($rest)*)?);
    };
    ($list:ident $value:expr $(, $($rest:tt)*)?) => {
        $list.push($crate::ToValue::to_value(&$value));
        $crate::json_push!($list $($($rest)*)?);
    };
}

/// A [`Value`](crate::Value) in the syntax of JSON, with expressions as values and as keys.
///
/// A key is a literal, a name or an expression in parentheses; a value is anything that is [`ToValue`](crate::ToValue).
///
/// ```
/// use toolglot_value::json;
///
/// let (key, n) = ("n", 3);
/// let value = json!({(key): n, "list": [n, {"none": null}, "text"]});
/// assert_eq!(value.to_string(), r#"{"n":3,"list":[3,{"none":null},"text"]}"#);
/// ```
#[macro_export]
macro_rules! json {
    (null) => {
        $crate::Value::Null
    };
    ([]) => {
        $crate::Value::Array(::std::vec::Vec::new())
    };
    ([$($items:tt)+]) => {{
        #[allow(clippy::vec_init_then_push)]
        let list = {
            let mut list = ::std::vec::Vec::new();
            $crate::json_push!(list $($items)+);
            list
        };
        $crate::Value::Array(list)
    }};
    ({}) => {
        $crate::Value::Object($crate::Map::new())
    };
    ({$($members:tt)+}) => {{
        let mut map = $crate::Map::new();
        $crate::json_insert!(map $($members)+);
        $crate::Value::Object(map)
    }};
    ($value:expr) => {
        $crate::ToValue::to_value(&$value)
    };
}
