use crate::toolglot;

#[test]
fn an_unknown_grant_is_an_error_of_usage() {
    let ran = toolglot(&["run", "--allow", "everything"], "");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
}
