//! A connection to etcd that can be cut.

use std::{
    io,
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use kubemerge_server::store::{EtcdOptions, EtcdStore};

/// Passes connections on to a port.
pub(crate) struct Proxy {
    port: u16,
    line: Arc<Line>,
}

struct Line {
    target: u16,
    is_open: AtomicBool,
    streams: Mutex<Vec<TcpStream>>,
}

impl Proxy {
    pub(crate) fn start(target: u16) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let line = Arc::new(Line { target, is_open: AtomicBool::new(true), streams: Mutex::default() });
        let passing = line.clone();
        // It ends with the process.
        thread::spawn(move || listener.incoming().flatten().for_each(|client| passing.pass(client)));
        Proxy { port, line }
    }

    pub(crate) fn open(&self, prefix: &str) -> EtcdStore {
        let address = format!("etcd://127.0.0.1:{}/{prefix}", self.port);
        crate::stores::etcd::open(|| EtcdOptions::new(&address).unwrap())
    }

    /// Cuts all connections and accepts no others, or accepts them again.
    pub(crate) fn set_open(&self, is_open: bool) {
        self.line.is_open.store(is_open, Ordering::SeqCst);
        if !is_open {
            let mut streams = self.line.streams.lock().unwrap();
            streams.drain(..).for_each(|stream| drop(stream.shutdown(Shutdown::Both)));
        }
    }
}

impl Line {
    fn pass(&self, client: TcpStream) {
        let mut streams = self.streams.lock().unwrap();
        if !self.is_open.load(Ordering::SeqCst) {
            return;
        }
        let Ok(server) = TcpStream::connect(("127.0.0.1", self.target)) else { return };
        for (from, to) in [(&client, &server), (&server, &client)] {
            let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
            thread::spawn(move || {
                drop(io::copy(&mut from, &mut to));
                drop(to.shutdown(Shutdown::Both));
            });
        }
        streams.extend([client, server]);
    }
}
