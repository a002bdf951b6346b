//! Documents become text in a process of their own, so that a hostile one can cost no more than that process.
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::left_out;
use crate::place::plain;
use crate::work::Stop;

pub mod conversion;
#[cfg(feature = "documents")]
pub mod ebook;
#[cfg(any(feature = "documents", feature = "web"))]
pub mod html;
#[cfg(feature = "documents")]
mod markdown;
#[cfg(feature = "documents")]
pub mod office;
#[cfg(feature = "documents")]
mod open_document;
#[cfg(feature = "documents")]
pub mod sheet;
#[cfg(feature = "documents")]
mod word;

/// A kind of document that has text in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A web page.
    Html,
    /// Portable Document Format.
    Pdf,
    /// A word processor's document, Office Open XML.
    Docx,
    /// Slides, Office Open XML.
    Pptx,
    /// A text or slides in OpenDocument format.
    Odt,
    /// A spreadsheet: xlsx, xls, xlsb or ods.
    Sheet,
    /// An electronic book.
    Epub,
}

/// Starts the process that converts.
#[derive(Debug, Clone)]
pub struct Converter {
    program: Option<PathBuf>,
}

/// The largest document, in bytes.
pub const LARGEST: u64 = 64 << 20;
/// Time between two looks at whether a conversion is still wanted.
const LOOK: Duration = Duration::from_millis(20);
/// The longest text taken from one, in bytes.
const TEXT: u64 = 32 << 20;

impl Format {
    /// Every format.
    pub const ALL: [Self; 7] = [Self::Html, Self::Pdf, Self::Docx, Self::Pptx, Self::Odt, Self::Sheet, Self::Epub];

    /// The format of a word.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.word() == word)
    }

    /// Why this build makes no text of the format, if it does not.
    pub fn left_out(self) -> Option<String> {
        let (what, features): (_, &[&str]) = match self {
            Self::Html => ("reading a web page as text is", &["web", "documents"]),
            Self::Pdf => ("reading PDF is", &["documents"]),
            Self::Sheet => ("reading spreadsheets is", &["documents"]),
            Self::Epub => ("reading electronic books is", &["documents"]),
            Self::Docx | Self::Pptx | Self::Odt => ("reading office documents is", &["documents"]),
        };
        let feature = features.first().filter(|_| !features.iter().any(|feature| left_out::has(feature)))?;
        Some(left_out::explain(what, feature))
    }

    /// What is said of a document that holds no text.
    pub fn without_text(self) -> &'static str {
        match self {
            Self::Pdf => "the document holds no text; it may be scanned pages",
            _ => "the document holds no text",
        }
    }

    /// The format that a file's name promises.
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match extension.as_str() {
            "html" | "htm" | "xhtml" => Self::Html,
            "pdf" => Self::Pdf,
            "docx" | "docm" => Self::Docx,
            "pptx" | "pptm" => Self::Pptx,
            "odt" | "odp" | "ott" => Self::Odt,
            "xlsx" | "xlsm" | "xlsb" | "xls" | "ods" => Self::Sheet,
            "epub" => Self::Epub,
            _ => return None,
        })
    }

    /// The word for it, also on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Pdf => "pdf",
            Self::Docx => "docx",
            Self::Pptx => "pptx",
            Self::Odt => "odt",
            Self::Sheet => "sheet",
            Self::Epub => "epub",
        }
    }
}

impl Converter {
    /// A converter that runs `PROGRAM tools --convert FORMAT`.
    pub fn new(program: Option<PathBuf>) -> Self {
        Self { program }
    }

    /// The text of a document in memory. The process is ended when it is to stop.
    pub fn convert(&self, format: Format, document: &[u8], stop: &Stop) -> Result<String, String> {
        let mut child = self.start(format, Stdio::piped())?;
        let input = child.stdin.take();
        std::thread::scope(|scope| {
            scope.spawn(move || input.map(|mut input| input.write_all(document)));
            finish(child, format, stop)
        })
    }

    /// The text of a document in a file. The process is ended when it is to stop.
    pub fn convert_file(&self, format: Format, document: File, stop: &Stop) -> Result<String, String> {
        let length = document.metadata().map_err(|error| format!("reading failed: {}", plain(&error)))?.len();
        if length > LARGEST {
            return Err(format!("the document has {length} bytes and {LARGEST} are allowed; convert it with run_command"));
        }
        finish(self.start(format, document.into())?, format, stop)
    }

    fn start(&self, format: Format, input: Stdio) -> Result<Child, String> {
        if let Some(why) = format.left_out() {
            return Err(why);
        }
        let program = self.program.as_ref().ok_or("this server cannot start its converter; convert the file with run_command")?;
        let mut command = Command::new(program);
        command.args(["tools", "--convert", format.word()]).stdin(input).stdout(Stdio::piped()).stderr(Stdio::null());
        command.spawn().map_err(|error| format!("the converter could not be started: {}", plain(&error)))
    }
}

/// Whether bytes look like text of some encoding.
pub fn is_text(bytes: &[u8]) -> bool {
    let head = bytes.get(..bytes.len().min(8192)).unwrap_or_default();
    head.starts_with(&[0xFF, 0xFE]) || head.starts_with(&[0xFE, 0xFF]) || memchr::memchr(0, head).is_none()
}

/// Runs `work`, which ends when the process does, and ends the process when it is to stop; tells whether it was.
fn unless_stopped<T: Send>(child: &mut Child, stop: &Stop, work: impl FnOnce() -> T + Send) -> (T, bool) {
    let (done, waiting) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let watched = scope.spawn(move || {
            while waiting.recv_timeout(LOOK) == Err(mpsc::RecvTimeoutError::Timeout) {
                if stop.now() {
                    // One that has already ended is what was wanted.
                    let _ = child.kill();
                    return true;
                }
            }
            false
        });
        let result = work();
        drop(done);
        (result, watched.join().unwrap_or(true))
    })
}

/// Takes the text. The process bounds its own processor time and memory; its time is bounded here.
fn finish(mut child: Child, format: Format, stop: &Stop) -> Result<String, String> {
    let mut text = Vec::new();
    let output = child.stdout.take();
    let (read, stopped) = unless_stopped(&mut child, stop, || output.map(|output| output.take(TEXT).read_to_end(&mut text)));
    // Nothing more is wanted of a process that has more to say.
    if text.len() as u64 >= TEXT {
        let _ = child.kill();
    }
    let status = child.wait().map_err(|error| format!("waiting for the converter failed: {}", plain(&error)))?;
    let complete = status.success() || text.len() as u64 >= TEXT;
    match read {
        _ if stopped => Err(format!("the time was over before the {} document was read as text; give more time", format.word())),
        Some(Ok(_)) if complete => Ok(String::from_utf8_lossy(&text).into_owned()),
        _ => Err(format!("the {} document could not be read as text: it is damaged, encrypted or too large", format.word())),
    }
}
