//! `--exclude GLOB`: files and folders that are not read.

use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::report::{Notice, Result};

/// Patterns of paths. One without a slash matches the name of a file or of a folder at any depth, as in
/// `.gitignore`; one with a slash matches a path as it is shown in messages, or a folder around it.
#[derive(Debug, Default)]
pub(crate) struct Exclude {
    names: GlobSet,
    paths: GlobSet,
}

impl Exclude {
    pub(crate) fn new(patterns: &[String]) -> Result<Exclude> {
        let (paths, names): (Vec<&String>, Vec<&String>) =
            patterns.iter().partition(|pattern| pattern.contains('/'));
        Ok(Exclude { names: globs(&names)?, paths: globs(&paths)? })
    }

    pub(crate) fn matches(&self, path: &Path) -> bool {
        let path = path.strip_prefix("./").unwrap_or(path);
        // A name excludes everything below a folder of that name.
        path.components().any(|part| self.names.is_match(part.as_os_str()))
            || path.ancestors().any(|around| self.paths.is_match(around))
    }
}

fn globs(patterns: &[&String]) -> Result<GlobSet> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = GlobBuilder::new(pattern.trim_end_matches('/')).literal_separator(true).build();
        set.add(glob.map_err(|error| Notice::error(format!("bad pattern {pattern}: {}", error.kind())))?);
    }
    set.build().map_err(|error| Notice::error(error.to_string()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_at_any_depth_and_paths_from_the_start() {
        let check = |pattern: &str, path: &str, expected: bool| {
            let exclude = Exclude::new(&[pattern.to_owned()]).unwrap();
            assert_eq!(exclude.matches(Path::new(path)), expected, "{pattern} {path}");
        };
        check("templates", "charts/web/templates/a.yaml", true);
        check("*.tpl.yaml", "./charts/a.tpl.yaml", true);
        check("charts/*/templates", "charts/web/templates/a.yaml", true);
        check("charts/", "charts/web/templates/a.yaml", true);
        check("web/templates", "charts/web/templates/a.yaml", false);
        check("**/templates/**", "charts/web/templates/a.yaml", true);
        check("a.yaml", "b.yaml", false);
        assert!(Exclude::new(&["[".to_owned()]).is_err());
    }
}
