use crate::toolglot;

#[test]
fn the_list_names_each_dialect_with_its_other_spellings() {
    let ran = toolglot(&["dialects", "list"], "");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let forge = ran
        .out
        .lines()
        .find(|line| line.starts_with("forge "))
        .expect("forge is listed");
    assert!(forge.contains("forge-xml"), "{forge}");
}

#[test]
fn a_dialect_is_shown_by_any_of_its_names() {
    let shown = toolglot(&["dialects", "show", "hermes"], "");
    assert_eq!(shown.code, 0, "{}", shown.err);
    assert!(shown.out.starts_with("dialect hermes"), "{}", shown.out);
    assert_eq!(toolglot(&["dialects", "show", "qwen25"], "").out, shown.out);
}

#[test]
fn an_unknown_dialect_names_the_nearest() {
    let ran = toolglot(&["dialects", "show", "hermse"], "");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("did you mean `hermes`"), "{}", ran.err);
}

#[test]
fn a_new_dialect_passes_the_check() {
    let new = toolglot(&["dialects", "new", "mine"], "");
    assert_eq!(new.code, 0, "{}", new.err);
    let check = toolglot(&["dialects", "check", "-"], &new.out);
    assert_eq!(
        (check.code, check.out.as_str()),
        (0, "standard input: mine\n"),
        "{}",
        check.err
    );
}

#[test]
fn a_bad_dialect_fails_the_check_and_points_at_the_byte() {
    let check = toolglot(
        &["dialects", "check", "-"],
        "dialect bad\ncall = \"<x>\" json nothing\n",
    );
    assert_eq!(check.code, 1, "{}", check.err);
    assert!(check.out.contains("--> standard input:2:"), "{}", check.out);
}

#[test]
fn a_name_that_is_none_is_an_error_of_usage() {
    assert_eq!(toolglot(&["dialects", "new", "Not-A-Name"], "").code, 2);
}
