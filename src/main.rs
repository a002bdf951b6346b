//! The callgate program: hands its arguments to `cli`.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    callgate::main()
}
