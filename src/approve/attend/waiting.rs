//! An open question before the person at an approver.
use std::time::Instant;

use crate::approve::question_view::{ItemView, QuestionView};
use crate::approve::typed::Challenge;
use crate::escape::visible_within;

use super::approver_state::GateNumber;

/// An open question as one gate told it, with what this approver adds.
#[derive(Debug)]
pub struct Waiting {
    /// The gate that asks.
    pub gate: GateNumber,
    /// What the gate shows of it; its texts are foreign.
    pub view: QuestionView,
    /// The code to type back.
    pub code: String,
    /// When it was asked.
    pub asked: Instant,
    /// Until when an answer lets the call pass.
    pub until: Instant,
    /// Whether the call was refused already.
    pub late: bool,
    /// Whether the person put it off.
    pub put_off: bool,
}

impl Waiting {
    /// The question in a few words.
    pub fn title(&self) -> String {
        let what = match self.view.calls.as_slice() {
            [only] => visible_within(&only.tool, 60),
            several => format!("{} calls", several.len()),
        };
        format!("{what} of {} ({})", visible_within(&self.view.server, 60), visible_within(&self.view.id, 40))
    }

    /// What has to be typed for an answer that allows `item`.
    pub fn challenge<'a>(&'a self, item: &'a ItemView) -> Challenge<'a> {
        Challenge { code: Some(&self.code), confirm: item.confirm.as_deref() }
    }

    /// When it came and how long it can be answered.
    pub fn clock(&self, now: Instant) -> String {
        let arrived = now.saturating_duration_since(self.asked).as_secs();
        let left = self.until.saturating_duration_since(now).as_secs();
        let put_off = if self.put_off { ", put off" } else { "" };
        if self.late {
            format!("came {arrived} s ago, late: a yes is for the next try{put_off}")
        } else {
            format!("came {arrived} s ago, {left} s left{put_off}")
        }
    }
}
