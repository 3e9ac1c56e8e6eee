//! Goes through many files at once, with a progress bar on a terminal and bounded memory.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;

use crate::failure::Result;
use crate::input::Origin;

/// How many files are worked on before their results are taken.
const AT_ONCE: usize = 256;
/// With fewer files no bar is shown.
const MANY: usize = 200;

/// Works on every file in parallel and takes the results in order.
///
/// At most [`AT_ONCE`] results are in memory. The first failure, in the order of the files, ends it.
pub(crate) fn each_file<T: Send>(
    origins: &[Origin],
    work: impl Fn(&Origin) -> Result<T> + Sync,
    mut take: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    if let [only] = origins {
        return take(work(only)?);
    }
    let bar = bar(origins.len());
    for some in origins.chunks(AT_ONCE) {
        let results: Vec<Result<T>> = some
            .par_iter()
            .map(|origin| {
                let result = work(origin);
                bar.inc(1);
                result
            })
            .collect();
        for result in results {
            take(result?)?;
        }
    }
    bar.finish_and_clear();
    Ok(())
}

fn bar(files: usize) -> ProgressBar {
    let shown = files >= MANY && std::io::stderr().is_terminal();
    let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(files as u64), target);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} files") {
        bar.set_style(style);
    }
    if shown {
        bar.enable_steady_tick(Duration::from_millis(200));
    }
    bar
}
