//! A GBNF reader: it matches a text against a grammar, and generates random texts of the grammar.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::random::Random;

enum Node {
    Literal(Vec<char>),
    /// Ranges, and whether the class is negated.
    Class(Vec<(char, char)>, bool),
    Rule(usize),
    Sequence(Vec<Node>),
    Choice(Vec<Node>),
    Repeat(Box<Node>, usize, Option<usize>),
}

pub(crate) struct Grammar {
    rules: Vec<Node>,
    root: usize,
    /// The minimum depth of a text of each rule.
    heights: Vec<usize>,
}

impl Grammar {
    /// Parses a grammar; an invalid grammar panics.
    pub(crate) fn read(text: &str) -> Grammar {
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        for line in text.lines() {
            let (name, _) = line.split_once(" ::= ").expect("a rule on each line");
            let n = names.len();
            assert!(names.insert(name, n).is_none(), "two rules `{name}`");
        }
        let rules: Vec<Node> = text
            .lines()
            .map(|line| {
                let (_, body) = line.split_once(" ::= ").expect("a rule");
                let mut reader = Reader {
                    text: body.chars().collect(),
                    at: 0,
                    names: &names,
                };
                let node = reader.choice();
                assert_eq!(reader.at, reader.text.len(), "left over in {line}");
                node
            })
            .collect();
        let root = names["root"];
        let mut grammar = Grammar {
            heights: vec![usize::MAX; rules.len()],
            rules,
            root,
        };
        loop {
            let heights: Vec<usize> = grammar
                .rules
                .iter()
                .map(|rule| grammar.height(rule))
                .collect();
            if heights == grammar.heights {
                return grammar;
            }
            grammar.heights = heights;
        }
    }

    fn height(&self, node: &Node) -> usize {
        match node {
            Node::Literal(_) | Node::Class(..) => 0,
            Node::Rule(n) => self.heights[*n].saturating_add(1),
            Node::Sequence(nodes) => nodes
                .iter()
                .map(|node| self.height(node))
                .max()
                .unwrap_or(0),
            Node::Choice(nodes) => nodes
                .iter()
                .map(|node| self.height(node))
                .min()
                .unwrap_or(usize::MAX),
            Node::Repeat(_, 0, _) => 0,
            Node::Repeat(inner, ..) => self.height(inner),
        }
    }

    /// Whether the grammar accepts this text.
    pub(crate) fn accepts(&self, text: &str) -> bool {
        let chars: Vec<char> = text.chars().collect();
        deep(|| {
            let mut matcher = Matcher {
                grammar: self,
                text: &chars,
                known: HashMap::new(),
            };
            matcher.rule(self.root, 0).contains(&chars.len())
        })
    }

    /// A text of the grammar.
    pub(crate) fn sample(&self, random: &mut Random) -> String {
        deep(|| {
            let mut out = String::new();
            self.write(&self.rules[self.root], random, 0, &mut out);
            out
        })
    }

    fn write(&self, node: &Node, random: &mut Random, depth: usize, out: &mut String) {
        // Below this depth only the shortest alternative is written.
        let is_deep = depth > 24 || out.len() > 2_000;
        match node {
            Node::Literal(text) => out.extend(text),
            Node::Class(ranges, is_negated) => out.push(some_char(ranges, *is_negated, random)),
            // States of an automaton do not count as depth.
            Node::Rule(n) => self.write(&self.rules[*n], random, depth + 1, out),
            Node::Sequence(nodes) => nodes
                .iter()
                .for_each(|node| self.write(node, random, depth, out)),
            Node::Choice(nodes) => {
                let lowest = nodes
                    .iter()
                    .map(|node| self.height(node))
                    .min()
                    .expect("an alternative");
                let ways: Vec<&Node> = nodes
                    .iter()
                    .filter(|node| !is_deep || self.height(node) == lowest)
                    .collect();
                self.write(ways[random.below(ways.len())], random, depth, out);
            }
            Node::Repeat(inner, min, max) => {
                let more = max.map_or(6, |max| (max - min).min(6));
                let more = if is_deep || more == 0 {
                    0
                } else {
                    random.below(more + 1)
                };
                // A repetition of a state would restart the automaton.
                for _ in 0..min + more {
                    self.write(inner, random, depth, out);
                }
            }
        }
    }
}

/// Runs with a large stack: automata are rules, so a text of n characters is n rules deep.
fn deep<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(1 << 29);
        let thread = thread.spawn_scoped(scope, run).expect("a thread");
        thread.join().expect("no panic")
    })
}

fn some_char(ranges: &[(char, char)], is_negated: bool, random: &mut Random) -> char {
    const USUAL: &str = "abcz AZ09_-./<>{}[]()\"'\\\n,:;&=#|é中🙂";
    let fits = |c: char| ranges.iter().any(|&(first, last)| first <= c && c <= last) != is_negated;
    let usual: Vec<char> = USUAL.chars().filter(|&c| fits(c)).collect();
    if !usual.is_empty() {
        return usual[random.below(usual.len())];
    }
    let (first, last) = ranges[random.below(ranges.len())];
    let n = u32::from(last) - u32::from(first) + 1;
    let more = u32::try_from(random.below(n as usize)).expect("a character");
    char::from_u32(u32::from(first) + more).unwrap_or(first)
}

struct Matcher<'g> {
    grammar: &'g Grammar,
    text: &'g [char],
    known: HashMap<(usize, usize), BTreeSet<usize>>,
}

impl Matcher<'_> {
    fn rule(&mut self, rule: usize, at: usize) -> BTreeSet<usize> {
        if let Some(ends) = self.known.get(&(rule, at)) {
            return ends.clone();
        }
        let grammar = self.grammar;
        let ends = self.ends(&grammar.rules[rule], at);
        self.known.insert((rule, at), ends.clone());
        ends
    }

    /// The positions where a node that starts at `at` may end.
    fn ends(&mut self, node: &Node, at: usize) -> BTreeSet<usize> {
        match node {
            Node::Literal(text) if self.text[at..].starts_with(text) => [at + text.len()].into(),
            Node::Literal(_) => BTreeSet::new(),
            Node::Class(ranges, is_negated) => match self.text.get(at) {
                Some(&c)
                    if ranges.iter().any(|&(first, last)| first <= c && c <= last)
                        != *is_negated =>
                {
                    [at + 1].into()
                }
                _ => BTreeSet::new(),
            },
            Node::Rule(rule) => self.rule(*rule, at),
            Node::Sequence(nodes) => {
                let mut here = BTreeSet::from([at]);
                for node in nodes {
                    here = here.iter().flat_map(|&at| self.ends(node, at)).collect();
                }
                here
            }
            Node::Choice(nodes) => nodes.iter().flat_map(|node| self.ends(node, at)).collect(),
            Node::Repeat(inner, min, max) => {
                let mut here = BTreeSet::from([at]);
                let mut all = BTreeSet::new();
                let mut n = 0;
                loop {
                    if n >= *min {
                        let before = all.len();
                        all.extend(&here);
                        if n > *min && all.len() == before {
                            return all;
                        }
                    }
                    if here.is_empty() || max.is_some_and(|max| n >= max) {
                        return all;
                    }
                    here = here.iter().flat_map(|&at| self.ends(inner, at)).collect();
                    n += 1;
                }
            }
        }
    }
}

struct Reader<'n> {
    text: Vec<char>,
    at: usize,
    names: &'n BTreeMap<&'n str, usize>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn take(&mut self) -> char {
        self.at += 1;
        self.text[self.at - 1]
    }

    fn blanks(&mut self) {
        while self.peek() == Some(' ') {
            self.at += 1;
        }
    }

    fn choice(&mut self) -> Node {
        let mut ways = vec![self.sequence()];
        while self.peek() == Some('|') {
            self.at += 1;
            ways.push(self.sequence());
        }
        if ways.len() == 1 {
            ways.remove(0)
        } else {
            Node::Choice(ways)
        }
    }

    fn sequence(&mut self) -> Node {
        let mut nodes = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                None | Some('|' | ')') => return Node::Sequence(nodes),
                Some(_) => {
                    let item = self.item();
                    nodes.push(self.counted(item));
                }
            }
        }
    }

    fn item(&mut self) -> Node {
        match self.peek().expect("an item") {
            '"' => {
                self.at += 1;
                let mut text = Vec::new();
                while self.peek() != Some('"') {
                    text.push(self.one());
                }
                self.at += 1;
                Node::Literal(text)
            }
            '[' => {
                self.at += 1;
                let is_negated = self.peek() == Some('^');
                self.at += usize::from(is_negated);
                let mut ranges = Vec::new();
                while self.peek() != Some(']') {
                    let first = self.one();
                    let is_range = self.peek() == Some('-');
                    self.at += usize::from(is_range);
                    let last = if is_range { self.one() } else { first };
                    ranges.push((first, last));
                }
                self.at += 1;
                Node::Class(ranges, is_negated)
            }
            '(' => {
                self.at += 1;
                let node = self.choice();
                assert_eq!(self.take(), ')');
                node
            }
            _ => {
                let mut name = String::new();
                while let Some(c @ ('a'..='z' | '0'..='9' | '-')) = self.peek() {
                    name.push(c);
                    self.at += 1;
                }
                let rule = self.names.get(name.as_str());
                Node::Rule(*rule.unwrap_or_else(|| panic!("no rule `{name}` at {}", self.at)))
            }
        }
    }

    fn counted(&mut self, mut node: Node) -> Node {
        loop {
            let (min, max) = match self.peek() {
                Some('?') => (0, Some(1)),
                Some('*') => (0, None),
                Some('+') => (1, None),
                Some('{') => {
                    let end = self.text[self.at..]
                        .iter()
                        .position(|&c| c == '}')
                        .expect("a closed count");
                    let count: String = self.text[self.at + 1..self.at + end].iter().collect();
                    self.at += end;
                    let n = |text: &str| text.parse::<usize>().expect("a count");
                    match count.split_once(',') {
                        None => (n(&count), Some(n(&count))),
                        Some((min, "")) => (n(min), None),
                        Some((min, max)) => (n(min), Some(n(max))),
                    }
                }
                _ => return node,
            };
            self.at += 1;
            node = Node::Repeat(Box::new(node), min, max);
        }
    }

    /// One character of a literal or a class.
    fn one(&mut self) -> char {
        let c = self.take();
        if c != '\\' {
            return c;
        }
        let n = match self.take() {
            'n' => return '\n',
            'r' => return '\r',
            't' => return '\t',
            'x' => 2,
            'u' => 4,
            'U' => 8,
            c => return c,
        };
        let hex: String = (0..n).map(|_| self.take()).collect();
        char::from_u32(u32::from_str_radix(&hex, 16).expect("hex")).expect("a character")
    }
}
