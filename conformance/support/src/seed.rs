//! Seeds of tests with random inputs: a fresh one for each run, unless `KUBEMERGE_SEED` has it.
//!
//! The seed is printed, which shows it where a test fails: `KUBEMERGE_SEED=… cargo test …` repeats the failure.
//! Packages are tested without this one when they are unpacked, so tests inside `src` have fixed seeds.

const VARIABLE: &str = "KUBEMERGE_SEED";

/// The seed of a test, printed.
///
/// # Panics
///
/// If the variable holds no number.
pub fn seed() -> u64 {
    let seed = std::env::var(VARIABLE).map_or_else(
        |_| fastrand::u64(..),
        |given| given.parse().unwrap_or_else(|_| panic!("{VARIABLE} is a number below 2^64, not {given:?}")),
    );
    println!("{VARIABLE}={seed}");
    seed
}

/// Random choices that the seed repeats.
pub fn rng() -> fastrand::Rng {
    fastrand::Rng::with_seed(seed())
}

/// The settings of a law of proptest with this many random cases, which the seed repeats.
#[cfg(feature = "proptest")]
pub fn proptest_config(cases: u32) -> proptest::test_runner::Config {
    use proptest::test_runner::{Config, RngSeed};
    // A seed needs no file in the repository to be repeated.
    Config { cases, rng_seed: RngSeed::Fixed(seed()), failure_persistence: None, ..Config::default() }
}
