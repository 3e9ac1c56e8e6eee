//! Guesses what a unknown_names word was meant to be.

/// The known word that is most like this one, if any is like it.
#[must_use]
pub fn nearest<'w>(word: &str, known: &[&'w str]) -> Option<&'w str> {
    // Favours a common start, which typing errors rarely hit.
    let likeness = |one: &str| strsim::jaro_winkler(&one.to_lowercase(), &word.to_lowercase());
    let best = known.iter().map(|one| (likeness(one), *one)).max_by(|one, two| one.0.total_cmp(&two.0))?;
    // Below 0.9 suggestions are more often wrong than right.
    (best.0 > 0.9).then_some(best.1)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_are_recognised() {
        let fields = ["ports", "selector", "clusterIP", "externalIPs"];
        assert_eq!(nearest("port", &fields), Some("ports"));
        assert_eq!(nearest("selectors", &fields), Some("selector"));
        assert_eq!(nearest("clusterip", &fields), Some("clusterIP"));
        assert_eq!(nearest("externalIps", &fields), Some("externalIPs"));
        assert_eq!(nearest("replicas", &fields), None);
        assert_eq!(nearest("x", &[]), None);
    }
}
