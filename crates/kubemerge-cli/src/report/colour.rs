//! Whether output is coloured, and with what.

use std::io::IsTerminal;
use std::sync::OnceLock;

/// Whether text is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colours {
    On,
    Off,
}

/// `--color`, once for the run: errors before and after all layers need it.
static CHOICE: OnceLock<Colours> = OnceLock::new();

/// Sets what `--color always` or `never` say; `auto` sets nothing.
pub(crate) fn choose_colours(colours: Colours) {
    CHOICE.get_or_init(|| colours);
}

/// The choice of the user, else colours on terminals. `NO_COLOR` and `CLICOLOR_FORCE` are the usual variables.
pub(crate) fn colours_of(stream: &impl IsTerminal) -> Colours {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
    match CHOICE.get() {
        Some(choice) => *choice,
        // no-color.org; it wins over a terminal and over CLICOLOR_FORCE.
        None if is_set("NO_COLOR") => Colours::Off,
        None if is_set("CLICOLOR_FORCE") || stream.is_terminal() => Colours::On,
        None => Colours::Off,
    }
}

/// The colour of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    Plain,
    Red,
    Green,
    Yellow,
    Cyan,
}

impl Ink {
    /// The text in this colour.
    pub(crate) fn paint(self, text: &str, colours: Colours) -> String {
        let code = match self {
            Ink::Plain => return text.to_owned(),
            _ if colours == Colours::Off => return text.to_owned(),
            Ink::Red => "31",
            Ink::Green => "32",
            Ink::Yellow => "33",
            Ink::Cyan => "36",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}
