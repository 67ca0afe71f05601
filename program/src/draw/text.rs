//! Text from outside: names of inputs, outputs and operators.

/// The characters of a name that are shown.
const SHOWN: usize = 28;

/// Whether a character has no place in a picture: XML forbids some, others move what is beside them.
fn unfit(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{e007f}')
}

/// A name without characters that have no place in a picture.
fn clean(name: &str) -> impl Iterator<Item = char> {
    name.chars().map(|c| if unfit(c) { '\u{fffd}' } else { c })
}

/// A name of bounded length.
pub(super) fn short(name: &str) -> String {
    if name.chars().count() <= SHOWN {
        return clean(name).collect();
    }
    clean(name).take(SHOWN - 1).chain(std::iter::once('…')).collect()
}

/// Text in XML, in an attribute or between tags.
pub(super) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in clean(text) {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            c => out.push(c),
        }
    }
    out
}

/// A string of DOT, quotes included.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in clean(text) {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}

/// The width of text in a monospaced font of this size.
pub(super) fn width(text: &str, size: f64) -> f64 {
    // Six tenths of the size, in every common font of the kind; characters of East Asia take two.
    let columns: usize = text.chars().map(|c| if c >= '\u{1100}' { 2 } else { 1 }).sum();
    columns as f64 * size * 0.602
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_no_harm() {
        assert_eq!(xml("<a href=\"x\">&'\u{0}\u{202e}"), "&lt;a href=&quot;x&quot;&gt;&amp;&apos;\u{fffd}\u{fffd}");
        assert_eq!(quoted("a\"]; b\\N\n"), "\"a\\\"]; b\\\\N\u{fffd}\"");
        assert_eq!(short(&"x".repeat(100)).chars().count(), SHOWN);
    }
}
