use crate::cli::toolglot;

#[test]
fn a_code_is_found_by_number_and_by_name() {
    for code in ["N012", "n012", "12", "trailing-comma"] {
        let ran = toolglot(&["explain", code], "");
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(ran.out.lines().next(), Some("N012 trailing-comma"));
    }
}

#[test]
fn an_unknown_code_is_an_error_of_usage() {
    let ran = toolglot(&["explain", "N999"], "");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("`N999`"), "{}", ran.err);
}

#[test]
fn completions_are_written_for_each_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = toolglot(&["completions", shell], "");
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(ran.out.contains("dialects"), "{shell}");
    }
}
