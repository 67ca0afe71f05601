//! As much of XML as the pictures are made of; anything else is a failure.

/// A tag: its name, its attributes, and the text after it up to the next tag.
#[derive(Debug)]
pub(crate) struct Tag {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) text: String,
}

impl Tag {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn number(&self, name: &str) -> f64 {
        self.get(name).unwrap().parse().unwrap()
    }
}

fn unescaped(text: &str) -> String {
    assert!(!text.contains(['<', '>']), "{text}");
    let mut parts = text.split('&');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (entity, rest) = part.split_once(';').unwrap();
        out.push(match entity {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            other => panic!("&{other};"),
        });
        out.push_str(rest);
    }
    out
}

/// The opening tags of a text, in order. Every tag must be closed, in order.
pub(crate) fn tags(text: &str) -> Vec<Tag> {
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
    let mut open: Vec<String> = Vec::new();
    let mut tags: Vec<Tag> = Vec::new();
    let mut pieces = text.split('<');
    assert_eq!(pieces.next(), Some(""));
    for piece in pieces {
        let (tag, text) = piece.split_once('>').unwrap();
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
            continue;
        }
        let (tag, alone) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
        let mut attributes = Vec::new();
        while let Some((key, after)) = rest.split_once("=\"") {
            let (value, after) = after.split_once('"').unwrap();
            attributes.push((key.trim().to_owned(), unescaped(value)));
            rest = after;
        }
        assert!(rest.trim().is_empty(), "{rest}");
        if !alone {
            open.push(name.to_owned());
        }
        let text = if name == "style" { text.to_owned() } else { unescaped(text) };
        tags.push(Tag { name: name.to_owned(), attributes, text });
    }
    assert!(open.is_empty(), "{open:?}");
    tags
}
