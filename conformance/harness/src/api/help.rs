//! `--help` of the modes of this module.

/// Whether help is asked for, which is printed then.
pub(super) fn printed_help(arguments: &[String], help: &str) -> bool {
    let asked = arguments.iter().any(|word| word == "--help" || word == "-h");
    if asked {
        print!("{help}");
    }
    asked
}
