//! One approver's connection: who may connect, what it sends, what it is sent. Every wait is bounded.
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::approve::paths;

use super::board::{ApproverLines, SentAnswer, WRONG_CODE};
use super::peer::Peer;
use super::protocol::{FromApprover, FromGate, LONGEST_FROM_APPROVER, line};
use super::{Change, Gate, Heard};

/// An approver that does not take a line in this time is cut off.
const WRITE: Duration = Duration::from_secs(5);
/// The session answers a request for its places in this time, or the approver is told that it did not.
const ANSWER: Duration = Duration::from_secs(5);
/// A pause after the system could not give a connection, so that it is not asked without end.
const PAUSE: Duration = Duration::from_millis(200);
/// Wrong codes after which a connection is closed: guessing is not typing.
const WRONG: u32 = 3;

/// Takes connections until the listener is dropped.
pub async fn accept(socket: UnixListener, gate: Gate) {
    loop {
        match socket.accept().await {
            Ok((stream, _)) => {
                tokio::spawn(serve(stream, gate.clone()));
            }
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
}

async fn serve(mut stream: UnixStream, gate: Gate) {
    let peer = match admitted(&stream, &gate) {
        Ok(peer) => peer,
        Err(why) => return turn_away(&mut stream, why).await,
    };
    let Some((approver, lines)) = gate.board.lock().join(&gate.hello()) else {
        return turn_away(&mut stream, "too many approvers are connected").await;
    };
    let (reading, writing) = stream.into_split();
    let mut served = Served { gate: &gate, peer, approver, wrong: 0 };
    tokio::select! {
        () = served.read(reading) => {}
        () = write(writing, lines) => {}
    }
    gate.board.lock().leave(approver);
}

fn admitted(stream: &UnixStream, gate: &Gate) -> Result<Peer, &'static str> {
    let credentials = stream.peer_cred().map_err(|_| "the system does not say who connects")?;
    Peer::admitted(&credentials, &gate.client)
}

async fn turn_away(stream: &mut UnixStream, why: &str) {
    let text = line(&FromGate::Refused { why: why.to_owned() });
    // Whoever is turned away need not listen.
    let _ = timeout(WRITE, stream.write_all(text.as_bytes())).await;
}

async fn write(mut stream: OwnedWriteHalf, mut lines: ApproverLines) {
    while let Some(line) = lines.recv().await {
        if !matches!(timeout(WRITE, stream.write_all(line.as_bytes())).await, Ok(Ok(()))) {
            return;
        }
    }
}

struct Served<'a> {
    gate: &'a Gate,
    peer: Peer,
    approver: u64,
    wrong: u32,
}

impl Served<'_> {
    async fn read(&mut self, stream: OwnedReadHalf) {
        let mut stream = BufReader::new(stream);
        let mut text = Vec::new();
        while self.wrong < WRONG {
            text.clear();
            let length = (&mut stream).take(LONGEST_FROM_APPROVER).read_until(b'\n', &mut text).await;
            if !matches!(length, Ok(1..)) || text.last() != Some(&b'\n') {
                return;
            }
            let Ok(message) = serde_json::from_slice(&text) else { return };
            if let Err(why) = self.heed(message).await {
                self.wrong += u32::from(why == WRONG_CODE);
                self.gate.board.lock().tell(self.approver, &FromGate::Refused { why: why.to_owned() });
            }
        }
    }

    async fn heed(&mut self, message: FromApprover) -> Result<(), &'static str> {
        match message {
            FromApprover::Attached {} => {
                self.peer.at_terminal()?;
                self.gate.board.lock().attach(self.approver);
                Ok(())
            }
            FromApprover::Answer { id, code, choices, reason } => {
                self.peer.at_terminal()?;
                let given = SentAnswer { id: &id, code: &code, choices: &choices, reason };
                let (answer, late) = self.gate.board.lock().answer(self.approver, &given, &self.peer.to_string())?;
                self.hand_on(Heard::Answer { id, answer, late }).await
            }
            FromApprover::Places {} => self.places(Change::Look).await,
            FromApprover::Add { path, code } => {
                self.peer.at_terminal()?;
                if *code != *self.gate.code {
                    return Err(WRONG_CODE);
                }
                self.add(&path).await
            }
            FromApprover::Remove { path } => {
                self.peer.at_terminal()?;
                self.places(Change::Remove(path.into())).await
            }
        }
    }

    async fn add(&self, path: &str) -> Result<(), &'static str> {
        let (path, root) = (PathBuf::from(path), Arc::clone(&self.gate.root));
        // A dead mount must not stall the session, which lives on the same thread.
        let looking = tokio::task::spawn_blocking(move || paths::validated(&path, &root));
        match timeout(ANSWER, looking).await {
            Ok(Ok(Ok(place))) => self.places(Change::Add(place)).await,
            Err(_) | Ok(Err(_)) => Err("the path could not be looked at in time"),
            Ok(Ok(Err(refused))) => {
                self.gate.board.lock().tell(self.approver, &FromGate::Refused { why: refused.to_string() });
                Ok(())
            }
        }
    }

    async fn places(&self, change: Change) -> Result<(), &'static str> {
        let (reply, answer) = oneshot::channel();
        self.hand_on(Heard::Places { change, reply }).await?;
        let Ok(Ok(places)) = timeout(ANSWER, answer).await else { return Err("the gate did not answer") };
        self.gate.board.lock().tell(self.approver, &places.into());
        Ok(())
    }

    async fn hand_on(&self, heard: Heard) -> Result<(), &'static str> {
        self.gate.heard.send(heard).await.map_err(|_| "the gate is ending")
    }
}
