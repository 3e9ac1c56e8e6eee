//! Lanes with the vector instructions of this machine, chosen at run time. The only module with `unsafe`.
//!
//! Every `unsafe` block here does one of two things. It calls a function that needs instructions which the
//! machine was found to have: the values [`Avx2`] and [`Avx512`] are made after that was tested, and nowhere
//! else. Or it loads a vector from a reference to an array of at least its size.
#![allow(unsafe_code)]

use super::lanes::BlockScan;

/// Runs a scan with the widest lanes of this machine.
#[inline]
pub(crate) fn dispatch<S: BlockScan>(scan: S) -> S::Output {
    #[cfg(target_arch = "x86_64")]
    return x86::dispatch(scan);
    #[cfg(not(target_arch = "x86_64"))]
    return scan.run(super::portable::Words);
}

/// Bit `n` says whether byte `n` is a quote or a backslash.
#[inline]
pub(crate) fn quotes_and_backslashes(chunk: &[u8; 16]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    return x86::quotes_and_backslashes(chunk);
    #[cfg(not(target_arch = "x86_64"))]
    return (0..16).filter(|n| matches!(chunk[*n], b'"' | b'\\')).fold(0, |mask, n| mask | 1 << n);
}

/// Bit `n` says whether byte `n` is not plain: it ends a string, is or would be escaped, or is not ASCII.
#[inline]
pub(crate) fn not_plain(chunk: &[u8; 16]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    return x86::not_plain(chunk);
    #[cfg(not(target_arch = "x86_64"))]
    return (0..16).filter(|n| !super::lanes::is_plain_ascii(chunk[*n])).fold(0, |mask, n| mask | 1 << n);
}

/// Runs a scan with all lanes that this machine has, the portable ones included.
#[cfg(test)]
pub(crate) fn on_all_levels<S: BlockScan>(scan: impl Fn() -> S) -> Vec<S::Output> {
    let mut answers = vec![scan().run(super::portable::Words)];
    #[cfg(target_arch = "x86_64")]
    answers.extend(x86::on_all_levels(scan));
    answers
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use crate::scan::lanes::{Block, BlockScan, Lanes};
    #[allow(clippy::wildcard_imports, reason = "Two dozen intrinsics; tests may import so anyway.")]
    use std::{arch::x86_64::*, sync::LazyLock};

    #[inline]
    pub(super) fn dispatch<S: BlockScan>(scan: S) -> S::Output {
        static LEVEL: LazyLock<Level> = LazyLock::new(Level::detect);
        LEVEL.run(scan)
    }

    #[cfg(test)]
    pub(super) fn on_all_levels<S: BlockScan>(scan: impl Fn() -> S) -> Vec<S::Output> {
        let levels = [Some(Level::Sse2), Level::avx2(), Level::avx512()];
        levels.into_iter().flatten().map(|level| level.run(scan())).collect()
    }

    /// What the machine was found to have.
    #[derive(Clone, Copy)]
    enum Level {
        Sse2,
        Avx2(Avx2),
        Avx512(Avx512),
    }

    impl Level {
        fn detect() -> Self {
            Level::avx512().or_else(Level::avx2).unwrap_or(Level::Sse2)
        }

        fn avx2() -> Option<Self> {
            let found = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("pclmulqdq")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("popcnt");
            found.then_some(Level::Avx2(Avx2(())))
        }

        fn avx512() -> Option<Self> {
            let found = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
            Level::avx2().filter(|_| found).map(|_| Level::Avx512(Avx512(())))
        }

        #[inline]
        fn run<S: BlockScan>(self, scan: S) -> S::Output {
            match self {
                Level::Sse2 => scan.run(Sse2),
                // SAFETY: the level tells what was detected.
                Level::Avx2(lanes) => unsafe { with_avx2(scan, lanes) },
                // SAFETY: as above.
                Level::Avx512(lanes) => unsafe { with_avx512(scan, lanes) },
            }
        }
    }

    #[target_feature(enable = "avx2,pclmulqdq,bmi1,bmi2,popcnt")]
    fn with_avx2<S: BlockScan>(scan: S, lanes: Avx2) -> S::Output {
        scan.run(lanes)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx2,pclmulqdq,bmi1,bmi2,popcnt")]
    fn with_avx512<S: BlockScan>(scan: S, lanes: Avx512) -> S::Output {
        scan.run(lanes)
    }

    #[inline(always)]
    pub(super) fn quotes_and_backslashes(chunk: &[u8; 16]) -> u32 {
        // SAFETY: every x86-64 machine has SSE2, and the chunk has 16 bytes.
        unsafe {
            let chunk = _mm_loadu_si128(chunk.as_ptr().cast());
            let quotes = _mm_cmpeq_epi8(chunk, _mm_set1_epi8(b'"' as i8));
            let backslashes = _mm_cmpeq_epi8(chunk, _mm_set1_epi8(b'\\' as i8));
            _mm_movemask_epi8(_mm_or_si128(quotes, backslashes)) as u32
        }
    }

    #[inline(always)]
    pub(super) fn not_plain(chunk: &[u8; 16]) -> u32 {
        // SAFETY: every x86-64 machine has SSE2, and the chunk has 16 bytes.
        unsafe {
            let chunk = _mm_loadu_si128(chunk.as_ptr().cast());
            let with = |bit: u8| _mm_or_si128(chunk, _mm_set1_epi8(bit as i8));
            let equal = |bytes: __m128i, byte: u8| _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte as i8));
            // Bytes are signed here: those that are not ASCII are less than a space as well.
            let low = _mm_cmplt_epi8(chunk, _mm_set1_epi8(b' ' as i8));
            let quotes_and_ampersands = equal(with(b'&' ^ b'"'), b'&');
            let angles = equal(with(b'<' ^ b'>'), b'>');
            let marks = _mm_or_si128(quotes_and_ampersands, _mm_or_si128(angles, equal(chunk, b'\\')));
            _mm_movemask_epi8(_mm_or_si128(low, marks)) as u32
        }
    }

    /// Four registers of 16 bytes: every x86-64 machine has them.
    #[derive(Clone, Copy)]
    struct Sse2;

    impl Lanes for Sse2 {
        type Register = [__m128i; 4];

        #[inline(always)]
        fn load(self, block: &Block) -> Self::Register {
            let (chunks, _) = block.as_chunks::<16>();
            // SAFETY: every x86-64 machine has SSE2, and a chunk has 16 bytes.
            let load = |chunk: &[u8; 16]| unsafe { _mm_loadu_si128(chunk.as_ptr().cast()) };
            let [a, b, c, d] = chunks else { return [load(&[0; 16]); 4] };
            [load(a), load(b), load(c), load(d)]
        }

        #[inline(always)]
        fn equal(self, register: Self::Register, byte: u8) -> u64 {
            // SAFETY: every x86-64 machine has SSE2.
            gather_4(register, |chunk| unsafe { _mm_cmpeq_epi8(chunk, _mm_set1_epi8(byte as i8)) })
        }

        #[inline(always)]
        fn at_most(self, register: Self::Register, byte: u8) -> u64 {
            // SAFETY: every x86-64 machine has SSE2.
            gather_4(register, |chunk| unsafe {
                let limit = _mm_set1_epi8(byte as i8);
                _mm_cmpeq_epi8(_mm_max_epu8(chunk, limit), limit)
            })
        }

        #[inline(always)]
        fn fold_brackets(self, register: Self::Register) -> Self::Register {
            // SAFETY: every x86-64 machine has SSE2.
            register.map(|chunk| unsafe { _mm_or_si128(chunk, _mm_set1_epi8(0x20)) })
        }
    }

    #[inline(always)]
    fn gather_4(register: [__m128i; 4], test: impl Fn(__m128i) -> __m128i) -> u64 {
        // SAFETY: every x86-64 machine has SSE2.
        let bits = |chunk: __m128i| u64::from(unsafe { _mm_movemask_epi8(test(chunk)) } as u32);
        let [a, b, c, d] = register;
        bits(a) | bits(b) << 16 | bits(c) << 32 | bits(d) << 48
    }

    /// Two registers of 32 bytes.
    #[derive(Clone, Copy)]
    struct Avx2(());

    impl Lanes for Avx2 {
        type Register = (__m256i, __m256i);

        #[inline(always)]
        fn load(self, block: &Block) -> Self::Register {
            // SAFETY: AVX was detected, and both halves of the block have 32 bytes.
            unsafe {
                let halves: *const __m256i = block.as_ptr().cast();
                (_mm256_loadu_si256(halves), _mm256_loadu_si256(halves.add(1)))
            }
        }

        #[inline(always)]
        fn equal(self, (low, high): Self::Register, byte: u8) -> u64 {
            // SAFETY: AVX2 was detected.
            unsafe {
                let byte = _mm256_set1_epi8(byte as i8);
                gather(_mm256_cmpeq_epi8(low, byte), _mm256_cmpeq_epi8(high, byte))
            }
        }

        #[inline(always)]
        fn at_most(self, (low, high): Self::Register, byte: u8) -> u64 {
            // SAFETY: AVX2 was detected.
            unsafe {
                let limit = _mm256_set1_epi8(byte as i8);
                gather(
                    _mm256_cmpeq_epi8(_mm256_max_epu8(low, limit), limit),
                    _mm256_cmpeq_epi8(_mm256_max_epu8(high, limit), limit),
                )
            }
        }

        #[inline(always)]
        fn fold_brackets(self, (low, high): Self::Register) -> Self::Register {
            // SAFETY: AVX2 was detected.
            unsafe {
                let bit = _mm256_set1_epi8(0x20);
                (_mm256_or_si256(low, bit), _mm256_or_si256(high, bit))
            }
        }

        #[inline(always)]
        fn prefix_xor(self, bits: u64) -> u64 {
            // SAFETY: PCLMULQDQ was detected.
            unsafe { carryless_prefix_xor(bits) }
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn gather(low: __m256i, high: __m256i) -> u64 {
        let bits = |half| u64::from(_mm256_movemask_epi8(half) as u32);
        bits(low) | bits(high) << 32
    }

    /// A product without carries by a number of all ones adds up all lower bits, modulo 2.
    #[target_feature(enable = "pclmulqdq")]
    #[inline]
    fn carryless_prefix_xor(bits: u64) -> u64 {
        let product = _mm_clmulepi64_si128(_mm_set_epi64x(0, bits as i64), _mm_set1_epi8(-1), 0);
        _mm_cvtsi128_si64(product) as u64
    }

    /// One register of 64 bytes, with comparisons that answer in masks.
    #[derive(Clone, Copy)]
    struct Avx512(());

    impl Lanes for Avx512 {
        type Register = __m512i;

        #[inline(always)]
        fn load(self, block: &Block) -> __m512i {
            // SAFETY: AVX-512 was detected, and the block has 64 bytes.
            unsafe { _mm512_loadu_si512(block.as_ptr().cast()) }
        }

        #[inline(always)]
        fn equal(self, register: __m512i, byte: u8) -> u64 {
            // SAFETY: AVX-512 was detected.
            unsafe { _mm512_cmpeq_epi8_mask(register, _mm512_set1_epi8(byte as i8)) }
        }

        #[inline(always)]
        fn at_most(self, register: __m512i, byte: u8) -> u64 {
            // SAFETY: AVX-512 was detected.
            unsafe { _mm512_cmple_epu8_mask(register, _mm512_set1_epi8(byte as i8)) }
        }

        #[inline(always)]
        fn fold_brackets(self, register: __m512i) -> __m512i {
            // SAFETY: AVX-512 was detected.
            unsafe { _mm512_or_si512(register, _mm512_set1_epi8(0x20)) }
        }

        #[inline(always)]
        fn prefix_xor(self, bits: u64) -> u64 {
            // SAFETY: PCLMULQDQ was detected.
            unsafe { carryless_prefix_xor(bits) }
        }
    }
}
