//! The page of a corpus.

use toolglot_corpus::{Batch, Stats, Task};
use toolglot_value::json;

use crate::corpus::{count, mixed, tools};

fn stats() -> Stats {
    let mut batch = Batch::new(0);
    for row in mixed(30) {
        batch.push(row.to_string().as_bytes());
    }
    let hostile = "<script>alert('x')</script>\"&\u{202e}";
    let call = json!({"name": hostile, "arguments": {}});
    let text = format!("<tool_call>{call}</tool_call>");
    batch.push(
        json!({"text": text, "tools": tools("f")})
            .to_string()
            .as_bytes(),
    );
    batch.push(b"{\"<img src=x onerror=alert(1)>\": 1}");
    count().run(&batch).tally
}

/// No text of the corpus becomes markup, and the page fetches and runs nothing.
#[test]
fn a_page_needs_nothing_but_itself() {
    let page = stats().page("<corpus> & \"others\".jsonl");
    assert!(
        !page.contains("<script") && !page.contains("<img"),
        "{page}"
    );
    for outside in ["http://", "https://", "src=", "url(", "@import", "href="] {
        let found = page
            .find(outside)
            .map(|at| &page[at.saturating_sub(40)..at + 20]);
        let is_error_text = found.is_some_and(|found| found.contains("&lt;img src="));
        assert!(found.is_none() || is_error_text, "{outside}: {found:?}");
    }
    assert!(page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot;&amp;\\u{202e}"));
    assert!(page.contains("<title>&lt;corpus&gt; &amp; &quot;others&quot;.jsonl</title>"));
    assert!(page.contains("default-src 'none'"));
}

/// Every open tag is closed, in order: a browser repairs malformed markup, and shows something else.
#[test]
fn a_page_is_well_formed() {
    let page = stats().page("corpus");
    let mut open: Vec<&str> = Vec::new();
    for piece in page.split('<').skip(1) {
        let (tag, _) = piece.split_once('>').expect("a tag ends");
        let name = tag
            .split([' ', '/'])
            .find(|name| !name.is_empty())
            .unwrap_or_default();
        if tag.starts_with('!') || ["meta", "br"].contains(&name) || tag.ends_with('/') {
            continue;
        }
        if let Some(closed) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed));
        } else {
            open.push(name);
        }
    }
    assert_eq!(open, [""; 0]);
}

#[test]
fn counts_are_what_the_rows_hold() {
    let stats = stats();
    assert_eq!((stats.rows, stats.bad_rows), (32, 1));
    let arguments = &stats.arguments;
    let sum = arguments.valid
        + arguments.invalid
        + arguments.unknown_tool
        + arguments.truncated
        + arguments.unchecked;
    assert_eq!(sum, stats.calls);
    assert_eq!(stats.tools.total(), stats.calls);
    assert_eq!(stats.ends.values().sum::<u64>(), stats.calls);
    assert_eq!(stats.dialects.values().sum::<u64>(), stats.calls);
    assert_eq!(
        stats.calls_per_row.sizes().map(|size| size.2).sum::<u64>(),
        31
    );
    assert!(stats.unknown_tools.counts.contains_key("unknown"));
}

#[test]
fn a_corpus_without_calls_has_a_page() {
    let page = Stats::default().page("empty");
    assert!(
        page.contains("<b>0</b>") && !page.contains("<h2>"),
        "{page}"
    );
}
