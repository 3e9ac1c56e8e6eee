//! Flags as Go programs read them: `--name=value`, `--name value` and `--switch`.

/// The flags of a command line, in their order. Nothing is refused: kube-apiserver has more flags than are of use.
#[derive(Debug, Default)]
pub(super) struct Flags(Vec<(String, String)>);

impl Flags {
    pub(super) fn read(words: impl IntoIterator<Item = String>) -> Flags {
        let mut words = words.into_iter().peekable();
        let mut flags = Vec::new();
        while let Some(word) = words.next() {
            let Some(name) = word.strip_prefix("--").or_else(|| word.strip_prefix('-')) else { continue };
            if let Some((name, value)) = name.split_once('=') {
                flags.push((name.to_owned(), value.to_owned()));
            } else {
                // Switches have no value, and no value begins like a flag.
                let value = words.next_if(|next| !next.starts_with('-'));
                flags.push((name.to_owned(), value.unwrap_or_default()));
            }
        }
        Flags(flags)
    }

    /// The value of a flag; the last one counts.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().rev().find(|(flag, _)| flag == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// The values of a flag that may be repeated and has lists with commas.
    pub(super) fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let found = self.0.iter().filter(move |(flag, _)| flag == name);
        found.flat_map(|(_, value)| value.split(',')).filter(|value| !value.is_empty())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(flag, _)| flag == name)
    }

    /// The flags that are not among these.
    pub(super) fn others<'a>(&'a self, known: &[&str]) -> Vec<&'a str> {
        let names = self.0.iter().map(|(name, _)| name.as_str());
        names.filter(|name| !known.contains(name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read_as_go_programs_do() {
        let words = ["--secure-port=1", "--cert-dir", "/tmp", "--allow-privileged", "--a=x", "-a", "y,z"];
        let flags = Flags::read(words.map(str::to_owned));
        assert_eq!(flags.value("secure-port"), Some("1"));
        assert_eq!(flags.value("cert-dir"), Some("/tmp"));
        assert!(flags.has("allow-privileged") && flags.value("allow-privileged").is_none());
        assert_eq!(flags.values("a").collect::<Vec<_>>(), ["x", "y", "z"]);
        assert_eq!(flags.others(&["a", "cert-dir"]), ["secure-port", "allow-privileged"]);
    }
}
