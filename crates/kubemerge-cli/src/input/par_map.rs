//! Works on many texts in parallel, with a progress bar on a terminal.

use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;

use super::Source;

/// With fewer texts no bar is shown.
const MIN_TEXTS_FOR_BAR: usize = 200;

/// The results of all texts, in their order.
pub(crate) fn par_map<'s, T: Send>(
    sources: &'s [Arc<Source>],
    work: impl Fn(&'s Source) -> T + Sync,
) -> Vec<T> {
    // One text needs no threads, and starting them takes longer than reading a small one.
    if let [only] = sources {
        return vec![work(only)];
    }
    let bar = bar(sources.len());
    let results = sources.par_iter().map(|source| {
        let result = work(source);
        bar.inc(1);
        result
    });
    let results = results.collect();
    bar.finish_and_clear();
    results
}

fn bar(texts: usize) -> ProgressBar {
    let shown = texts >= MIN_TEXTS_FOR_BAR && std::io::stderr().is_terminal();
    let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(texts as u64), target);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} files") {
        bar.set_style(style);
    }
    if shown {
        // A single large file would leave the bar where it is.
        bar.enable_steady_tick(Duration::from_millis(200));
    }
    bar
}
