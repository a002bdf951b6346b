//! Verdicts to be recorded.
use callgate::gate::Verdict;
use callgate::policy::Effect;

/// A verdict on a call of `tool` that nothing spoke against.
pub fn plain_verdict(tool: &str, effect: Effect) -> Verdict {
    Verdict {
        client: None,
        server: "files".to_owned(),
        tool: tool.to_owned(),
        method: "tools/call".to_owned(),
        id: "1".to_owned(),
        digest: "d".to_owned(),
        effect,
        refusal: None,
        findings: Vec::new(),
        more_findings: 0,
        answer: None,
        arguments: "{}".to_owned(),
    }
}
