//! The words of verdicts: one colon is enough, and what has no name is not named.
use crate::support::project::Scratch;

#[test]
fn a_reason_stands_behind_one_colon() {
    let scratch = Scratch::new();
    scratch.write("project/callgate.toml", "version = 1\n[tools.never]\naction = \"deny\"\n[[rules]]\ntool = \"*\"\naction = \"ask\"\n");
    for tool in ["never", "run_command", "read_file", ""] {
        let call = format!(r#"{{"tool":"{tool}","arguments":{{"path":"/etc/shadow","command":"$(x)"}}}}"#);
        scratch.write("project/call.json", &call);
        for command in ["check", "explain"] {
            let run = scratch.command("callgate").args([command, "--call", "call.json"]).output().unwrap();
            let shown = String::from_utf8(run.stdout).unwrap();
            assert!(!shown.contains(":: ") && !shown.contains("``"), "{command} {tool}: {shown}");
            assert!(shown.contains("policy: "), "{command} {tool}: {shown}{}", String::from_utf8_lossy(&run.stderr));
        }
    }
}
