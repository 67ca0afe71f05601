//! Reading a source: at most as many bytes as the kernel takes, from anywhere.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use pullback_kernel::limits;

use crate::problem::Problem;

/// The name of standard input where a file is named.
const STDIN: &str = "<stdin>";

/// Where a source comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl Origin {
    /// Its name for people: lossy where a path is not text.
    pub(crate) fn name(&self) -> String {
        match self {
            Origin::Stdin => STDIN.into(),
            Origin::File(path) => name(path),
        }
    }

    /// The origin that a command line names: `-` is standard input.
    pub(crate) fn of(path: &Path) -> Origin {
        if path.as_os_str() == "-" { Origin::Stdin } else { Origin::File(path.into()) }
    }

    /// Opens it, to be read as a stream.
    pub(crate) fn open(&self) -> Result<Box<dyn Read>, Box<Problem>> {
        match self {
            Origin::Stdin => Ok(Box::new(io::stdin())),
            Origin::File(path) => match File::open(path) {
                Ok(file) => Ok(Box::new(file)),
                Err(error) => Err(Problem::unreadable(&self.name(), &error).into()),
            },
        }
    }

    /// Reads it. What is too large is not read to its end.
    pub(crate) fn read(&self) -> Result<Source, Box<Problem>> {
        let name = self.name();
        let read = |from: &mut dyn Read| -> io::Result<Vec<u8>> {
            let mut bytes = Vec::new();
            from.take(limits::SOURCE_BYTES as u64 + 1).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let bytes = match self {
            Origin::Stdin => read(&mut io::stdin().lock()),
            Origin::File(path) => File::open(path).and_then(|mut file| read(&mut file)),
        };
        let bytes = bytes.map_err(|error| Problem::unreadable(&name, &error))?;
        if bytes.len() > limits::SOURCE_BYTES {
            return Err(Problem::too_large(&name, limits::SOURCE_BYTES).into());
        }
        Ok(Source::new(name, bytes))
    }
}

/// A path for people.
pub(crate) fn name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// A source that was read.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// Its name, as shown.
    pub(crate) file: String,
    /// Its bytes.
    pub(crate) bytes: Vec<u8>,
    /// Its bytes as text that is safe to show, every character at its place: see [`shown`].
    pub(crate) text: String,
}

impl Source {
    pub(crate) fn new(file: String, mut bytes: Vec<u8>) -> Source {
        // It marks the encoding, and no place is counted from before it.
        const MARK: &[u8] = "\u{feff}".as_bytes();
        if bytes.starts_with(MARK) {
            bytes.drain(..MARK.len());
        }
        let text = shown(&bytes);
        Source { file, bytes, text }
    }
}

/// Bytes as text of the same length that is safe to show: what is no character, and what would move the cursor,
/// change colours or turn the direction of writing, is replaced byte for byte.
fn shown(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c == '\n' || c == '\t' || !unsafe_to_show(c) {
                text.push(c);
            } else if c == '\r' {
                text.push(' ');
            } else {
                text.push_str(match c.len_utf8() {
                    1 => "?",
                    2 => "\u{b7}",
                    3 => "\u{fffd}",
                    _ => "????",
                });
            }
        }
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    text
}

/// Whether a character is a control or changes how others are shown.
fn unsafe_to_show(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// A line of text from outside, safe to show: what is not is written as an escape.
pub(crate) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if unsafe_to_show(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn shown_text_has_the_same_length_and_no_controls(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let text = shown(&bytes);
            prop_assert_eq!(text.len(), bytes.len());
            prop_assert!(text.chars().all(|c| c == '\n' || c == '\t' || !unsafe_to_show(c)));
        }

        #[test]
        fn every_character_stays_at_its_place(text in "\\PC{0,40}[\u{1b}\u{202e}\u{85}\u{e0001}]\\PC{0,40}") {
            let shown = shown(text.as_bytes());
            prop_assert_eq!(shown.len(), text.len());
            for (at, c) in text.char_indices().filter(|(_, c)| !unsafe_to_show(*c)) {
                prop_assert!(shown[at..].starts_with(c));
            }
            prop_assert!(!printable(&text).chars().any(unsafe_to_show));
        }
    }
}
