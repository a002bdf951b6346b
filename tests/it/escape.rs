//! What people are shown of foreign text: the table, the properties, and a megabyte of it.
use callgate::escape::{masked, visible, visible_within};
use proptest::prelude::*;

#[test]
fn the_table_holds() {
    let table: toml::Table = toml::from_str(include_str!("../cases/shown.toml")).expect("the table is TOML");
    for case in table["case"].as_array().expect("cases") {
        let text = case["text"].as_str().expect("text");
        assert_eq!(visible(text), case["shown"].as_str().expect("shown"), "case `{}`", case["name"]);
    }
}

#[test]
fn a_megabyte_is_cut_with_a_count_and_its_end_is_seen() {
    let text = format!("{}; rm -rf ~", "a\u{202e}".repeat(250_000));
    let cut = visible_within(&text, 400);
    assert!(cut.chars().count() <= 440, "{} characters", cut.chars().count());
    assert!(cut.ends_with("; rm -rf ~"), "{cut}");
    assert!(cut.contains("characters not shown"), "{cut}");
}

#[test]
fn short_text_is_not_cut() {
    assert_eq!(visible_within("abc", 3), "abc");
    assert_eq!(visible_within("", 0), "");
}

#[test]
fn a_masked_text_keeps_its_columns() {
    assert_eq!(masked("a\tp\u{430}th\u{202e}\u{1b} grüße"), "a p\u{fffd}th\u{fffd}\u{fffd} grüße");
}

proptest! {
    #[test]
    fn a_mask_is_as_long_as_its_text_and_hides_nothing_else(text in any::<String>()) {
        let seen = masked(&text);
        prop_assert_eq!(seen.chars().count(), text.chars().count());
        prop_assert!(!seen.chars().any(char::is_control));
        let is_kept = |(mask, plain): (char, char)| mask == plain || mask == '\u{fffd}' || plain == '\t';
        prop_assert!(seen.chars().zip(text.chars()).all(is_kept));
        prop_assert_eq!(visible(&text).contains("\\u{"), text.contains("\\u{") || seen.chars().zip(text.chars()).any(|(mask, plain)| mask != plain && !"\n\r\t".contains(plain)));
    }

    #[test]
    fn nothing_invisible_is_left(text in any::<String>()) {
        let seen = visible(&text);
        prop_assert!(!seen.chars().any(char::is_control));
        let hidden = |c| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e0fff}');
        prop_assert!(!seen.chars().any(hidden));
    }

    #[test]
    fn plain_text_is_untouched(text in "[a-zA-Z0-9/._,;:|&$(){}-]{0,200}") {
        prop_assert_eq!(visible(&text), text);
    }

    #[test]
    fn a_cut_keeps_its_bound(text in any::<String>(), limit in 0_usize..200) {
        prop_assert!(visible_within(&text, limit).chars().count() <= limit + 130);
    }
}
