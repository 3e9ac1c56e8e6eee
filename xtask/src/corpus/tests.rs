//! The corpus itself is sound.

use super::load;

#[test]
fn every_file_can_be_read_and_names_are_unique_in_it() {
    for file in load().expect("the corpus can be read") {
        let mut names: Vec<_> = file.cases.iter().filter_map(|case| case.get("name")).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "{}: a name occurs twice", file.path.display());
    }
}
