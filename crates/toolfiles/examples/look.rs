use toolglot_toolfiles::*;
#[allow(clippy::print_stdout)]
fn main() {
    let mut a = std::env::args().skip(1);
    let id = ItemId::new(&a.next().unwrap()).unwrap();
    let path = a.next().unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let lang = Language::of_extension(path.rsplit('.').next().unwrap()).unwrap();
    let tool = ToolFile::read(&id, lang, &text).checked();
    println!("{:#?}\n{}", tool.metadata, tool.schema.input);
    for d in &tool.diagnostics {
        let p = Place::of(&text, d.span.start);
        println!("{}:{}: {}[{}] {} | {:?}", p.line, p.column, d.severity.word(), d.rule.code, d.message, d.help);
    }
}
