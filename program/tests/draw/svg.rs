//! The SVG picture.

use pullback_program::DynProgram;
use pullback_program::draw::DrawError;
use pullback_program::random::{self, Options};

use crate::programs::{named, network, recurrence, shared};
use crate::xml::{Tag, tags};

/// A rectangle, with its edges.
#[derive(Clone, Copy, Debug)]
struct Rectangle {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

fn rectangles(tags: &[Tag], class: &str) -> Vec<Rectangle> {
    let wanted =
        |tag: &&Tag| tag.name == "rect" && tag.get("class").is_some_and(|c| c.split(' ').next() == Some(class));
    let rectangle = |tag: &Tag| {
        let (left, top) = (tag.number("x"), tag.number("y"));
        Rectangle { left, top, right: left + tag.number("width"), bottom: top + tag.number("height") }
    };
    tags.iter().filter(wanted).map(rectangle).collect()
}

fn apart(all: &[Rectangle], by: f64) {
    for (k, a) in all.iter().enumerate() {
        for b in &all[k + 1..] {
            let beside = a.right + by <= b.left || b.right + by <= a.left;
            let over = a.bottom + by <= b.top || b.bottom + by <= a.top;
            assert!(beside || over, "{a:?} and {b:?}");
        }
    }
}

/// The upright and level parts of a line, and the ends of its curves.
fn parts(path: &str) -> Vec<Rectangle> {
    let spaced: String =
        path.chars().flat_map(|c| if c.is_ascii_alphabetic() { vec![' ', c, ' '] } else { vec![c] }).collect();
    let mut words = spaced.split_whitespace();
    let (mut x, mut y) = (0.0, 0.0);
    let mut out = Vec::new();
    while let Some(command) = words.next() {
        let mut next = || words.next().unwrap().parse::<f64>().unwrap();
        let (x0, y0) = (x, y);
        match command {
            "M" => {
                (x, y) = (next(), next());
                continue;
            }
            "V" => y = next(),
            "H" => x = next(),
            "C" => {
                let all: Vec<f64> = (0..6).map(|_| next()).collect();
                (x, y) = (all[4], all[5]);
            }
            "h" => x += next(),
            other => panic!("{other}"),
        }
        out.push(Rectangle { left: x0.min(x), right: x0.max(x), top: y0.min(y), bottom: y0.max(y) });
    }
    out
}

/// No box over another, no text over another, no line through a box, everything on the page.
fn sound(program: &DynProgram) {
    let text = program.to_svg().unwrap();
    assert_eq!(text, program.to_svg().unwrap());
    let tags = tags(&text);
    let (width, height) = (tags[0].number("width"), tags[0].number("height"));
    let (boxes, pills) = (rectangles(&tags, "box"), rectangles(&tags, "pill"));
    apart(&boxes, 4.0);
    apart(&pills, 3.0);
    for r in boxes.iter().chain(&pills) {
        assert!(r.left >= 0.0 && r.top >= 0.0 && r.right <= width && r.bottom <= height, "{r:?}");
    }
    for tag in tags.iter().filter(|tag| tag.name == "path" && tag.get("class").unwrap().starts_with("edge")) {
        for part in parts(tag.get("d").unwrap()) {
            for b in &boxes {
                let beside = part.right <= b.left || b.right <= part.left;
                let over = part.bottom <= b.top + 0.2 || b.bottom - 0.2 <= part.top;
                assert!(beside || over, "{part:?} runs through {b:?}");
            }
            assert!(part.right <= width && part.bottom <= height && part.left >= 0.0);
        }
    }
}

/// `PULLBACK_PICTURES=FOLDER` in the environment keeps them, to be looked at.
#[test]
fn pictures() {
    let all = [("network", network()), ("shared", shared()), ("recurrence", recurrence(5)), ("named", named("x", "y"))];
    let random = |seed| random::sample(seed, &Options { instructions: 30, ..Options::default() }).unwrap().program;
    let all = all.into_iter().chain([("random", random(4)), ("second", random(9).reverse().unwrap())]);
    for (name, program) in all {
        sound(&program);
        if let Some(folder) = std::env::var_os("PULLBACK_PICTURES") {
            let folder = std::path::PathBuf::from(folder);
            std::fs::write(folder.join(format!("{name}.svg")), program.to_svg().unwrap()).unwrap();
            std::fs::write(folder.join(format!("{name}.dot")), program.to_dot().unwrap()).unwrap();
        }
    }
}

#[test]
fn random_programs() {
    for seed in 0..150 {
        let options = Options { instructions: 1 + (seed % 16) as usize, ..Options::default() };
        if let Some(sample) = random::sample(seed, &options) {
            sound(&sample.program);
            sample.program.reverse().iter().for_each(sound);
        }
    }
}

#[test]
fn what_is_saved_is_marked() {
    let tags = tags(&network().to_svg().unwrap());
    let saved = tags.iter().filter(|tag| tag.get("class") == Some("pill saved")).count();
    // images, hidden.weight, output.weight, the outputs of tanh and log_softmax.
    assert_eq!(saved, 5);
    let lines = tags.iter().filter(|tag| tag.get("class") == Some("edge saved")).count();
    assert_eq!(lines, 5 + 1, "one line each, and the legend's");
}

#[test]
fn names_from_files_are_text() {
    let name = "</title><script>alert(1)</script>&amp;\"'\u{1b}]0;\u{202e}x\u{ffff}";
    let text = named(name, name).to_svg().unwrap();
    let tags = tags(&text);
    assert!(!tags.iter().any(|tag| tag.name == "script"));
    assert!(tags.iter().any(|tag| tag.text.contains("</title><script>")));
    sound(&named(&"漢".repeat(100), &"x".repeat(1000)));
}

#[test]
fn large_programs() {
    sound(&recurrence(50));
    let found = recurrence(251).to_svg().unwrap_err();
    assert_eq!(found, DrawError::TooLarge { instructions: 502, limit: 500 });
    assert!(recurrence(251).to_dot().is_err());
}
