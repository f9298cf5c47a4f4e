//! How a dialect spells the characters of a string.

use toolglot_value::Value;

use crate::grammar::{CharClass, Node, RawText};

/// How values are spelled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Notation {
    /// JSON.
    Json,
    /// JSON in a raw value: its strings contain no start of a closer.
    JsonBefore(Closers),
    /// JSON whose strings are between these tokens and have no escapes.
    Tokens(String),
    /// A string in this quote, which is doubled inside the string.
    Doubled(char),
    /// Python literals with strings in this quote.
    Python(char),
    /// Raw text up to one of the closers.
    Raw {
        closers: Closers,
        /// Other types are allowed as well, so text that looks like an object or an array is one.
        is_plain: bool,
    },
    /// Text of an element.
    Element {
        /// As in raw text.
        is_plain: bool,
        /// Whether `&lt;` means `<`.
        has_entities: bool,
        /// Whether the whole text may be a CDATA section.
        has_cdata: bool,
    },
}

/// The texts that a raw value must not contain.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Closers(pub(crate) Vec<String>);

impl Closers {
    /// The first characters.
    fn firsts(&self) -> Vec<char> {
        let mut firsts: Vec<char> = self
            .0
            .iter()
            .filter_map(|text| text.chars().next())
            .collect();
        firsts.sort_unstable();
        firsts.dedup();
        firsts
    }

    /// The second characters of the closers that start with `first`.
    fn seconds(&self, first: char) -> Vec<char> {
        let of = |text: &String| {
            let mut chars = text.chars();
            (chars.next() == Some(first))
                .then(|| chars.next())
                .flatten()
        };
        self.0.iter().filter_map(of).collect()
    }
}

/// The control characters, which JSON escapes.
const CONTROL: (char, char) = ('\0', '\u{1f}');

impl Notation {
    /// The quote around a string.
    pub(crate) fn quote(&self) -> String {
        match self {
            Notation::Json | Notation::JsonBefore(_) => "\"".to_owned(),
            Notation::Tokens(token) => token.clone(),
            Notation::Python(quote) | Notation::Doubled(quote) => quote.to_string(),
            Notation::Raw { .. } | Notation::Element { .. } => String::new(),
        }
    }

    /// The content of any string.
    pub(crate) fn any_content(&self) -> Node {
        match self {
            Notation::Json | Notation::Python('"') => {
                Node::choice([Node::Class(plain('"')), escape()]).repeat(0, None)
            }
            Notation::Python(quote) => {
                let quoted = Node::literal(format!("\\{quote}"));
                Node::choice([Node::Class(plain(*quote)), escape(), quoted]).repeat(0, None)
            }
            Notation::Doubled(_) => self.one_of(&CharClass::except(&[])).repeat(0, None),
            Notation::JsonBefore(closers) => {
                let (unit, end) = units_before(closers);
                let units = unit.repeat(0, None);
                match end {
                    Some(end) => Node::sequence([units, end.optional()]),
                    None => units,
                }
            }
            Notation::Tokens(_) | Notation::Raw { .. } => Node::Text(self.raw_text()),
            Notation::Element {
                is_plain,
                has_entities,
                has_cdata,
            } => {
                let entities = ["&lt;", "&gt;", "&amp;"].map(Node::literal);
                let entities = entities.into_iter().filter(|_| *has_entities);
                let entities: Vec<Node> = entities.collect();
                let one = |class: CharClass| {
                    let class = if *has_entities {
                        except(&class, &['&'])
                    } else {
                        class
                    };
                    Node::choice([Node::Class(class)].into_iter().chain(entities.clone()))
                };
                let any = one(CharClass::except(&['<'])).repeat(0, None);
                let text = if *is_plain {
                    let blanks = [' ', '\t', '\r', '\n'];
                    let blank = CharClass::new(blanks.map(|c| (c, c)).to_vec());
                    let first = except(&blank.negated(), &['<', '[', '{']);
                    let first = Node::sequence([one(first), any]).optional();
                    Node::sequence([Node::Class(blank).repeat(0, None), first])
                } else {
                    any
                };
                if !has_cdata {
                    return text;
                }
                Node::choice([text, cdata(false, *is_plain)])
            }
        }
    }

    /// Raw text that ends at a closer or a token.
    pub(crate) fn raw_text(&self) -> RawText {
        match self {
            Notation::Tokens(token) => RawText::without(std::slice::from_ref(token)),
            Notation::Raw { closers, is_plain } => RawText {
                is_plain: *is_plain,
                ..RawText::without(&closers.0)
            },
            _ => RawText::default(),
        }
    }

    /// The content of any nonempty string, for JSON in a raw value.
    pub(crate) fn some_content(&self) -> Node {
        let Notation::JsonBefore(closers) = self else {
            return self.one_of(&CharClass::except(&[])).repeat(1, None);
        };
        let (unit, end) = units_before(closers);
        let units = unit.repeat(1, None);
        match end {
            Some(end) => Node::choice([Node::sequence([units, end.clone().optional()]), end]),
            None => units,
        }
    }

    /// One of the characters of a class, as the notation spells it.
    pub(crate) fn one_of(&self, class: &CharClass) -> Node {
        let mut ways = Vec::new();
        let mut escaped = |special: &[char], spell: &dyn Fn(char) -> String| {
            for &c in special.iter().filter(|&&c| class.contains(c)) {
                ways.push(Node::literal(spell(c)));
            }
        };
        let unescaped = match self {
            Notation::Json | Notation::JsonBefore(_) | Notation::Python(_) => {
                let quote = match self {
                    Notation::Python(quote) => *quote,
                    _ => '"',
                };
                escaped(&[quote, '\\'], &|c| format!("\\{c}"));
                escaped(&['\n', '\r', '\t'], &|c| c.escape_default().to_string());
                match self {
                    Notation::JsonBefore(closers) => {
                        let firsts = closers.firsts();
                        escaped(&firsts, &|c| format!("\\u{:04x}", u32::from(c)));
                        except(&plain(quote), &firsts)
                    }
                    _ => plain(quote),
                }
            }
            Notation::Tokens(token) => {
                CharClass::except(&token.chars().take(1).collect::<Vec<_>>())
            }
            Notation::Doubled(quote) => {
                escaped(&[*quote], &|c| format!("{c}{c}"));
                CharClass::except(&[*quote])
            }
            Notation::Raw { closers, .. } => CharClass::except(&closers.firsts()),
            Notation::Element { has_entities, .. } => {
                if *has_entities {
                    escaped(&['<', '&', '>'], &entity);
                }
                CharClass::except(&['<', '&', '>'])
            }
        };
        let class = class.and(&unescaped);
        if !class.is_empty() {
            ways.insert(0, Node::Class(class));
        }
        Node::choice(ways)
    }

    /// A string of this text, with its quotes.
    pub(crate) fn string(&self, text: &str) -> String {
        match self {
            Notation::Json | Notation::JsonBefore(_) | Notation::Python('"') => {
                Value::from(text).to_string()
            }
            Notation::Python(quote) => {
                let json = Value::from(text).to_string();
                let inside = json[1..json.len() - 1].replace("\\\"", "\"");
                format!(
                    "{quote}{}{quote}",
                    inside.replace(*quote, &format!("\\{quote}"))
                )
            }
            Notation::Tokens(token) => format!("{token}{text}{token}"),
            Notation::Doubled(quote) => {
                let text = text.replace(*quote, &format!("{quote}{quote}"));
                format!("{quote}{text}{quote}")
            }
            Notation::Raw { .. } => text.to_owned(),
            Notation::Element { has_entities, .. } if *has_entities => {
                text.chars().map(entity).collect()
            }
            Notation::Element { .. } => text.to_owned(),
        }
    }
}

/// An escape of JSON.
fn escape() -> Node {
    let short = "\"\\/bfnrt".chars().map(|c| (c, c)).collect();
    Node::sequence([
        Node::literal("\\"),
        Node::choice([
            Node::Class(CharClass::new(short)),
            Node::sequence([Node::literal("u"), hex().repeat(4, Some(4))]),
        ]),
    ])
}

/// The units of a JSON string in which no closer may start, and an optional tail. A run of `<` may precede any
/// character that continues no closer, and it may end the string.
fn units_before(closers: &Closers) -> (Node, Option<Node>) {
    let firsts = closers.firsts();
    let not_first = except(&plain('"'), &firsts);
    let mut units = vec![escape(), Node::Class(not_first.clone())];
    let mut ends = Vec::new();
    for &first in firsts.iter().filter(|&&first| plain('"').contains(first)) {
        let run = Node::literal(first).repeat(1, None);
        let next = except(&not_first, &closers.seconds(first));
        let next = Node::choice([Node::Class(next), escape()]);
        units.push(Node::sequence([run.clone(), next]));
        ends.push(run);
    }
    let end = (!ends.is_empty()).then(|| Node::choice(ends));
    (Node::choice(units), end)
}

/// The characters that need no escape in a string with these quotes.
fn plain(quote: char) -> CharClass {
    let escaped = vec![CONTROL, (quote, quote), ('\\', '\\'), ('\u{7f}', '\u{7f}')];
    CharClass::new(escaped).negated()
}

fn except(class: &CharClass, chars: &[char]) -> CharClass {
    class.and(&CharClass::except(chars))
}

fn entity(c: char) -> String {
    match c {
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '&' => "&amp;".to_owned(),
        c => c.to_string(),
    }
}

/// A CDATA section; its text is not blank if `is_filled`.
pub(crate) fn cdata(is_filled: bool, is_plain: bool) -> Node {
    Node::sequence([
        Node::literal("<![CDATA["),
        Node::Text(RawText {
            is_filled,
            is_plain,
            ..RawText::without(&["]]>".to_owned()])
        }),
        Node::literal("]]>"),
    ])
}

pub(crate) fn hex() -> Node {
    Node::Class(CharClass::new(vec![('0', '9'), ('a', 'f'), ('A', 'F')]))
}
