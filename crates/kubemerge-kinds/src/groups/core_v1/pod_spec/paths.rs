//! Paths and modes of files in containers and volumes.

use crate::field::Field;

/// No part of the path leads to a parent folder.
pub(crate) fn no_backsteps(path: Field<'_>) {
    if path.str().split('/').any(|part| part == "..") {
        path.invalid("must not contain '..'");
    }
}

/// A path that stays inside a folder.
pub(super) fn descending_path(path: Field<'_>) {
    if path.str().starts_with('/') {
        path.invalid("must be a relative path");
    }
    no_backsteps(path);
}

/// A path inside a volume; names that start with two dots are used by the kubelet.
pub(super) fn local_path(path: Field<'_>) {
    descending_path(path);
    if path.str().starts_with("..") && !path.str().starts_with("../") {
        path.invalid("must not start with '..'");
    }
}

/// The mode of a file.
pub(super) fn file_mode(mode: Field<'_>) {
    if !(0..=0o777).contains(&mode.int()) {
        mode.invalid("must be a number between 0 and 0777 (octal), both inclusive");
    }
}

/// The owner of a file.
pub(super) fn user(user: Field<'_>) {
    if user.is_set() {
        user.check_range(0, i64::from(i32::MAX));
    }
}
