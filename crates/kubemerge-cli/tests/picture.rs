//! The picture of the README is what the command prints: it is drawn anew and compared. With `KUBEMERGE_BLESS` set
//! the file is rewritten.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What the picture shows.
const ARGUMENTS: [&str; 5] =
    ["explain", "-f", "examples/service.yaml", "--patch-file", "examples/patches/service.yaml"];
const LINE_HEIGHT: usize = 20;
const CHARACTER_WIDTH: f64 = 8.43;
const MARGIN: usize = 16;
/// Longer lines continue on the next one, as in a terminal.
const COLUMNS: usize = 104;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

#[test]
fn the_picture_shows_a_real_run() {
    let run = Command::new(env!("CARGO_BIN_EXE_kubemerge"))
        .args(ARGUMENTS)
        .args(["--color", "always"])
        .current_dir(repository())
        .output()
        .unwrap();
    let printed = String::from_utf8(run.stdout).unwrap();
    let drawn = svg(&format!("$ kubemerge {}\n{printed}", ARGUMENTS.join(" ")));
    let file = repository().join("docs/images/explain.svg");
    if std::env::var_os("KUBEMERGE_BLESS").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, drawn).unwrap();
    } else {
        assert!(
            std::fs::read_to_string(&file).unwrap() == drawn,
            "run with KUBEMERGE_BLESS=1 to draw it anew"
        );
    }
}

/// A terminal with this text.
fn svg(text: &str) -> String {
    let lines: Vec<Vec<Run>> = text.lines().flat_map(|line| wrap(runs(line))).collect();
    let width = 2 * MARGIN + (COLUMNS as f64 * CHARACTER_WIDTH).ceil() as usize;
    let height = 2 * MARGIN + lines.len() * LINE_HEIGHT;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"Output of kubemerge {}\">\n<rect width=\"{width}\" height=\"{height}\" rx=\"8\" \
         fill=\"#16181d\"/>\n<g font-family=\"ui-monospace,Menlo,Consolas,monospace\" font-size=\"14\" \
         fill=\"#e6e6e6\">\n",
        ARGUMENTS[0]
    );
    for (number, line) in lines.iter().enumerate() {
        let y = MARGIN + number * LINE_HEIGHT + 14;
        let spans: String = line.iter().map(Run::span).collect();
        svg += &format!("<text x=\"{MARGIN}\" y=\"{y}\">{spans}</text>\n");
    }
    svg + "</g>\n</svg>\n"
}

/// Text of one colour.
struct Run {
    text: String,
    colour: Option<&'static str>,
    is_bold: bool,
}

impl Run {
    fn span(&self) -> String {
        // Spaces that do not break: browsers drop others at the start of a line.
        let text =
            self.text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace(' ', "\u{a0}");
        let colour = self.colour.map(|colour| format!(" fill=\"{colour}\"")).unwrap_or_default();
        let weight = if self.is_bold { " font-weight=\"bold\"" } else { "" };
        format!("<tspan{colour}{weight}>{text}</tspan>")
    }
}

/// A line as lines that fit.
fn wrap(runs: Vec<Run>) -> Vec<Vec<Run>> {
    let (mut lines, mut room) = (vec![Vec::new()], COLUMNS);
    for run in runs {
        for letter in run.text.chars() {
            if room == 0 {
                lines.push(Vec::new());
                room = COLUMNS;
            }
            room -= 1;
            lines.last_mut().unwrap().push(Run { text: letter.to_string(), ..run });
        }
    }
    lines.into_iter().map(join).collect()
}

/// Neighbours of one style as one run.
fn join(letters: Vec<Run>) -> Vec<Run> {
    let mut joined: Vec<Run> = Vec::new();
    for letter in letters {
        match joined.last_mut() {
            Some(last) if last.colour == letter.colour && last.is_bold == letter.is_bold => {
                last.text += &letter.text;
            }
            _ => joined.push(letter),
        }
    }
    joined
}

/// The runs of a line with terminal codes.
fn runs(line: &str) -> Vec<Run> {
    let (mut colour, mut is_bold) = (None, false);
    let mut runs = Vec::new();
    for (place, part) in line.split("\u{1b}[").enumerate() {
        let text = match part.split_once('m').filter(|_| place > 0) {
            Some((codes, text)) => {
                for code in codes.split(';') {
                    match code {
                        "" | "0" => (colour, is_bold) = (None, false),
                        "1" => is_bold = true,
                        "2" => colour = Some("#9aa0aa"),
                        "31" | "91" => colour = Some("#ff7b72"),
                        "32" | "92" => colour = Some("#7ee787"),
                        "33" | "93" => colour = Some("#f2cc60"),
                        "34" | "94" => colour = Some("#79c0ff"),
                        "35" | "95" => colour = Some("#d2a8ff"),
                        "36" | "96" => colour = Some("#76e3ea"),
                        other => panic!("no colour for code {other}"),
                    }
                }
                text
            }
            None => part,
        };
        if !text.is_empty() {
            runs.push(Run { text: text.to_owned(), colour, is_bold });
        }
    }
    runs
}
