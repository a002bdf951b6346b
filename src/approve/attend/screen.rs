//! The approver's screen: a list that stays at the top, or plain lines one after the other for a screen reader.
use std::io;
use std::time::Instant;

use console::Style;

use crate::approve::draw;
use crate::approve::prompt::Tty;

use super::approver_state::ApproverState;

/// Remarks that stay visible below the question.
const REMARKS: usize = 4;

/// What stands on the terminal, as far as drawing anew hangs on it.
pub struct Screen<'a> {
    tty: &'a Tty,
    plain: bool,
    heading: Style,
    remarks: Vec<String>,
    /// The lines that were drawn, where all of them fit on the screen; only then can the list be redrawn in place.
    fits: bool,
    listed: usize,
}

impl<'a> Screen<'a> {
    /// A screen on `tty`; `plain` never moves the cursor and has no colours.
    pub fn new(tty: &'a Tty, plain: bool) -> Self {
        let heading = if plain || !console::colors_enabled() { Style::new() } else { Style::new().force_styling(true).bold() };
        Self { tty, plain, heading, remarks: Vec::new(), fits: false, listed: 0 }
    }

    /// Draws everything but the prompt: list, question, choices, remarks.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn draw(&mut self, state: &ApproverState, now: Instant) -> io::Result<()> {
        let (rows, columns) = self.tty.size();
        let list = draw::lines(&state.list(now), columns);
        let mut below = Vec::new();
        if let Some(waiting) = state.current() {
            below.push(String::new());
            below.push(format!("question {} of {}", crate::escape::visible(&waiting.view.id), state.place()));
            below.extend(draw::question(&waiting.view, state.room));
            below.extend(state.choices());
        } else {
            below.push("\nwaiting for a question; `quit` ends".to_owned());
        }
        let remarks = if self.plain { &[][..] } else { &self.remarks[..] };
        let text = format!("{}{}", draw::lines(&below, columns), draw::lines(remarks, columns));
        self.listed = list.lines().count();
        self.fits = self.listed + text.lines().count() + 2 < rows;
        let start = if self.plain { "\n" } else { "\u{1b}[2J\u{1b}[H" };
        self.tty.write(&format!("{start}{}{text}", self.heading.apply_to(list)))
    }

    /// Brings the times in the list up to date, leaving what is being typed alone.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn tick(&self, state: &ApproverState, now: Instant) -> io::Result<()> {
        let (_, columns) = self.tty.size();
        let list = draw::lines(&state.list(now), columns);
        if self.plain || !self.fits || list.lines().count() != self.listed {
            return Ok(());
        }
        let lines: String = list.lines().map(|line| format!("\u{1b}[2K{}\r\n", self.heading.apply_to(line))).collect();
        self.tty.write(&format!("\u{1b}7\u{1b}[H{lines}\u{1b}8"))
    }

    /// Tells the person something; it stays visible for a while.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn say(&mut self, text: &str) -> io::Result<()> {
        self.remarks.push(format!("- {text}"));
        let surplus = self.remarks.len().saturating_sub(REMARKS);
        self.remarks.drain(..surplus);
        let (_, columns) = self.tty.size();
        self.tty.write(&format!("\n{}", draw::lines(&[format!("- {text}")], columns)))
    }

    /// Lets the person type.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn prompt(&self) -> io::Result<()> {
        self.tty.write("> ")
    }

    /// Rings the terminal's bell once.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn ring(&self) -> io::Result<()> {
        self.tty.write("\u{7}")
    }
}
