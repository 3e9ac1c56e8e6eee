//! A step of a store that may have to wait and may fail: done at once if it can be, a future if not.

use std::{
    fmt,
    future::Future,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
};

/// Why a store cannot be read or written: for people, and complete with its cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreError {
    text: Arc<str>,
    cause: Cause,
}

/// What an error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    Store,
    Size,
}

impl StoreError {
    /// An error with this text.
    pub fn new(text: impl Into<String>) -> Self {
        StoreError { text: text.into().into(), cause: Cause::Store }
    }

    /// The store works, but does not take objects of this size. The text is that of etcd's error.
    pub fn too_large(text: impl Into<String>) -> Self {
        StoreError { text: text.into().into(), cause: Cause::Size }
    }

    /// Whether the object is too large, and the store works.
    pub fn is_too_large(&self) -> bool {
        self.cause == Cause::Size
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for StoreError {}

/// The result of a step, now or later. Most steps do not wait, and they allocate nothing.
pub enum StoreStep<'a, T> {
    /// The step is done.
    Done(Result<T, StoreError>),
    /// The step waits for a disk or a network.
    Later(Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>),
}

impl<T> StoreStep<'_, T> {
    /// Waits for the result and stops the thread meanwhile; needs no runtime. What the step waits for must not run on
    /// this thread.
    pub fn wait(self) -> Result<T, StoreError> {
        match self {
            StoreStep::Done(result) => result,
            StoreStep::Later(future) => block_on(future),
        }
    }

    /// Waits for the result.
    pub async fn result(self) -> Result<T, StoreError> {
        match self {
            StoreStep::Done(result) => result,
            StoreStep::Later(future) => future.await,
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(result) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return result;
        }
        thread::park();
    }
}
