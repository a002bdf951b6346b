//! The effective policy as TOML that reads back to the same policy, each value with the place it was set.
use super::cell::Table;
use super::model::Policy;
use super::page::Page;

/// Renders the policy.
pub fn show(policy: &Policy) -> String {
    let mut page = Page::new("The effective policy. Behind each value stands where it was set.");
    Table::show(&policy.settings, &mut page);
    page.text()
}
