//! Every test of the crate from outside, in one binary: it is linked once. The modules follow the parts of the crate; what several of
//! them need is in `support`, the tables are in `tests/cases`.
mod analyse;
mod approve;
mod architecture;
mod cli;
mod escape;
mod policy;
mod public;
mod report;
mod session;
mod store;
mod support;
mod tools;
mod wire;
