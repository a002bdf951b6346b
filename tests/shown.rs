//! What people are shown of foreign text: the table, the properties, and a megabyte of it.
use callgate::escape::{shown, shown_within};
use proptest::prelude::*;

#[test]
fn the_table_holds() {
    let table: toml::Table = toml::from_str(include_str!("cases/shown.toml")).expect("the table is TOML");
    for case in table["case"].as_array().expect("cases") {
        let text = case["text"].as_str().expect("text");
        assert_eq!(shown(text), case["shown"].as_str().expect("shown"), "case `{}`", case["name"]);
    }
}

#[test]
fn a_megabyte_is_cut_with_a_count_and_its_end_is_seen() {
    let text = format!("{}; rm -rf ~", "a\u{202e}".repeat(250_000));
    let cut = shown_within(&text, 400);
    assert!(cut.chars().count() <= 440, "{} characters", cut.chars().count());
    assert!(cut.ends_with("; rm -rf ~"), "{cut}");
    assert!(cut.contains("characters not shown"), "{cut}");
}

#[test]
fn short_text_is_not_cut() {
    assert_eq!(shown_within("abc", 3), "abc");
    assert_eq!(shown_within("", 0), "");
}

proptest! {
    #[test]
    fn nothing_invisible_is_left(text in any::<String>()) {
        let seen = shown(&text);
        prop_assert!(!seen.chars().any(char::is_control));
        let hidden = |c| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e0fff}');
        prop_assert!(!seen.chars().any(hidden));
    }

    #[test]
    fn plain_text_is_untouched(text in "[a-zA-Z0-9/._,;:|&$(){}-]{0,200}") {
        prop_assert_eq!(shown(&text), text);
    }

    #[test]
    fn a_cut_keeps_its_bound(text in any::<String>(), limit in 0_usize..200) {
        prop_assert!(shown_within(&text, limit).chars().count() <= limit + 130);
    }
}
