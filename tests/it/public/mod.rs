//! Calls and sessions from public reports.
mod cases;
mod live;
