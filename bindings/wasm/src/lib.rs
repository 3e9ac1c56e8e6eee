//! The engine as three functions for JavaScript.
//!
//! `allocate` gives room for a request, `answer` reads it and returns the address of the answer, whose first four
//! bytes are its length, and `release` gives memory back. All texts are UTF-8. A WebAssembly instance has one
//! thread, so the engine is a thread-local.

use std::cell::RefCell;

use kubemerge_bindings::Engine;

thread_local! {
    static ENGINE: RefCell<Engine> = RefCell::new(Engine::new());
}

/// Room for this many bytes. It is freed by [`answer`], or by [`release`].
#[unsafe(no_mangle)]
pub extern "C" fn allocate(length: usize) -> *mut u8 {
    Box::into_raw(vec![0_u8; length].into_boxed_slice()).cast()
}

/// Answers the request of this length at this address, and frees it.
///
/// # Safety
/// The address must come from [`allocate`] with the same length, and be used once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn answer(request: *mut u8, length: usize) -> *mut u8 {
    // SAFETY: by the contract of this function the pair describes a boxed slice with no other owner.
    let request = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(request, length)) };
    let answer = ENGINE.with_borrow_mut(|engine| engine.answer(&String::from_utf8_lossy(&request)));
    // The memory of an instance has 32-bit addresses, so no answer is longer.
    let length = u32::try_from(answer.len()).unwrap_or(u32::MAX).to_le_bytes();
    Box::into_raw([&length, answer.as_bytes()].concat().into_boxed_slice()).cast()
}

/// Frees what [`answer`] returned: its length and four bytes.
///
/// # Safety
/// The address must come from [`answer`] or [`allocate`], the length must be that of the whole, and both be used
/// once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn release(address: *mut u8, length: usize) {
    // SAFETY: as for `answer`.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(address, length)) });
}
