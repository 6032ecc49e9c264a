//! Text cut into pieces that begin and end with whole records, so that threads can share the work.

use std::io::Read;

use crate::error::Result;
use crate::input::Input;

/// Some whole records.
pub(crate) struct Piece<'a> {
    pub(crate) bytes: &'a [u8],
    /// The line on which they begin, counted from 1.
    pub(crate) line: u64,
}

/// Reads a text piece by piece.
pub(crate) struct Records {
    input: Input,
    reader: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// Bytes at the start of the buffer that have been handed out.
    used: usize,
    line: u64,
    ended: bool,
    delimiter: u8,
}

impl Records {
    pub(crate) fn open(input: &Input, delimiter: u8) -> Result<Self> {
        let mut records = Self {
            reader: input.open()?,
            input: input.clone(),
            buffer: Vec::new(),
            used: 0,
            line: 1,
            ended: false,
            delimiter,
        };
        records.fill(1 << 16)?;
        if records.buffer.starts_with(b"\xef\xbb\xbf") {
            records.used = 3;
        }
        Ok(records)
    }

    /// Up to `count` pieces of about `size` bytes each; none at the end.
    pub(crate) fn next_pieces(&mut self, count: usize, size: usize) -> Result<Vec<Piece<'_>>> {
        self.buffer.drain(..self.used);
        self.used = 0;
        self.fill(count * size)?;
        let mut ends = self.ends(count, size);
        while ends.is_empty() && !self.ended {
            // A single record longer than everything read so far.
            self.fill(2 * self.buffer.len())?;
            ends = self.ends(count, size);
        }
        if self.ended && ends.len() < count {
            let last = ends.last().copied().unwrap_or(0);
            if last < self.buffer.len() {
                ends.push(self.buffer.len());
            }
        }
        self.used = ends.last().copied().unwrap_or(0);
        let mut pieces = Vec::with_capacity(ends.len());
        let mut start = 0;
        for end in ends {
            let bytes = &self.buffer[start..end];
            pieces.push(Piece {
                bytes,
                line: self.line,
            });
            self.line += count_lines(bytes);
            start = end;
        }
        Ok(pieces)
    }

    /// Reads until the buffer holds `wanted` bytes or the text ends.
    fn fill(&mut self, wanted: usize) -> Result<()> {
        let missing = wanted.saturating_sub(self.buffer.len());
        if self.ended || missing == 0 {
            return Ok(());
        }
        let read = (&mut self.reader)
            .take(missing as u64)
            .read_to_end(&mut self.buffer)
            .map_err(|error| self.input.read_error(&error))?;
        self.ended = read < missing;
        Ok(())
    }

    /// Where pieces of about `size` bytes end, each behind the end of a line outside quotes.
    fn ends(&self, count: usize, size: usize) -> Vec<usize> {
        if self.buffer.contains(&b'"') {
            return self.ends_outside_quotes(count, size);
        }
        let mut ends = Vec::with_capacity(count);
        let mut start = 0;
        while ends.len() < count && start < self.buffer.len() {
            let from = (start + size).min(self.buffer.len()) - 1;
            let newline = self.buffer[from..].iter().position(|&byte| byte == b'\n');
            let end = match newline {
                Some(offset) => from + offset + 1,
                // The last whole line before that, if there is one.
                None => match self.buffer[start..].iter().rposition(|&byte| byte == b'\n') {
                    Some(offset) => start + offset + 1,
                    None => break,
                },
            };
            ends.push(end);
            start = end;
        }
        ends
    }

    /// The same where fields may be quoted. A quote opens a field only at its start, as in the
    /// parser, so that a stray one inside a word does no harm.
    fn ends_outside_quotes(&self, count: usize, size: usize) -> Vec<usize> {
        let mut ends = Vec::with_capacity(count);
        let (mut quoted, mut at_start, mut start, mut last) = (false, true, 0, 0);
        for (place, &byte) in self.buffer.iter().enumerate() {
            if quoted {
                // A doubled quote closes and opens again, which comes to the same.
                quoted = byte != b'"';
                at_start = !quoted;
                continue;
            }
            quoted = byte == b'"' && at_start;
            at_start = byte == self.delimiter || byte == b'\n';
            if byte == b'\n' {
                last = place + 1;
                if last - start >= size {
                    ends.push(last);
                    start = last;
                    if ends.len() == count {
                        return ends;
                    }
                }
            }
        }
        if last > start {
            ends.push(last);
        }
        ends
    }
}

pub(crate) fn count_lines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&byte| byte == b'\n').count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str, count: usize, size: usize) -> Vec<(String, u64)> {
        let input = Input::bytes("t", text.as_bytes().to_vec());
        let mut records = Records::open(&input, b',').unwrap();
        let mut all = Vec::new();
        loop {
            let next = records.next_pieces(count, size).unwrap();
            if next.is_empty() {
                return all;
            }
            all.extend(
                next.iter()
                    .map(|p| (String::from_utf8_lossy(p.bytes).into_owned(), p.line)),
            );
        }
    }

    #[test]
    fn pieces_join_to_the_text_and_know_their_lines() {
        let text: String = (0..50).map(|i| format!("{i},{}\n", i * i)).collect();
        for (count, size) in [(1, 1), (3, 7), (2, 40), (4, 1000)] {
            let parts = pieces(&text, count, size);
            let joined: String = parts.iter().map(|(part, _)| part.as_str()).collect();
            assert_eq!(joined, text);
            for (part, line) in parts {
                assert!(part.starts_with(&format!("{},", line - 1)), "{part} {line}");
                assert!(part.ends_with('\n'));
            }
        }
    }

    #[test]
    fn quoted_line_ends_do_not_cut_and_stray_quotes_do_not_join() {
        let text = "\"a\nb\",1\nc\"d,2\n\"x\"\"\n\",3\nlast,4";
        let parts = pieces(text, 1, 1);
        let texts: Vec<&str> = parts.iter().map(|(part, _)| part.as_str()).collect();
        assert_eq!(
            texts,
            ["\"a\nb\",1\n", "c\"d,2\n", "\"x\"\"\n\",3\n", "last,4"]
        );
        assert_eq!(
            parts.iter().map(|(_, line)| *line).collect::<Vec<_>>(),
            [1, 3, 4, 6]
        );
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        assert_eq!(pieces("\u{feff}a,b\n", 1, 10), [("a,b\n".to_string(), 1)]);
    }
}
