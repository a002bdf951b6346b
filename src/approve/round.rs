//! The way of a person through the items of one question: a no refuses its calls and ends the asking about them.
use crate::gate::Choice;

use super::question_view::QuestionView;

/// The choices so far, in the order of the question's items.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Round {
    choices: Vec<Choice>,
    reasons: Vec<String>,
}

impl Round {
    /// Takes the choice for the item that is asked now. A reason goes with a no.
    pub fn choose(&mut self, view: &QuestionView, choice: Choice, reason: Option<String>) {
        self.choices.push(choice);
        self.reasons.extend(reason);
        // What is left of calls that are refused anyway is not worth a question.
        while view.items.get(self.choices.len()).is_some_and(|item| item.calls.iter().all(|call| self.refuses(view, *call))) {
            self.choices.push(Choice::Deny);
        }
    }

    /// The place of the item that is asked now; nothing when all are answered.
    pub fn place(&self, view: &QuestionView) -> Option<usize> {
        (self.choices.len() < view.items.len()).then_some(self.choices.len())
    }

    /// The choices, one for each item that was answered.
    pub fn choices(&self) -> &[Choice] {
        &self.choices
    }

    /// The reasons as one text.
    pub fn reason(&self) -> Option<String> {
        (!self.reasons.is_empty()).then(|| self.reasons.join("; "))
    }

    fn refuses(&self, view: &QuestionView, call: usize) -> bool {
        let answered = self.choices.iter().zip(&view.items);
        answered.into_iter().any(|(choice, item)| *choice == Choice::Deny && item.calls.contains(&call))
    }
}
