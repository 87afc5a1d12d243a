//! The connections of clients, each with a time limit, and never too many at once.
//!
//! A client that is connected and asks nothing costs a place. If all places are taken, the oldest connection
//! without a request is closed for the next one.
//!
//! Invariant: each wait for a client ends. No client keeps others out, unless it has requests in all places.
//! Never here: what is answered.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// The most connections at once.
const CONNECTIONS_MAX: usize = 256;
/// The time in which a client sends the header of its request.
const HEADER_WITHIN: Duration = Duration::from_secs(10);
/// The most bytes of a header.
const HEADER_BYTES_MAX: usize = 16 * 1024;
/// After this time a connection takes no further request.
const CONNECTION_MAX: Duration = Duration::from_secs(60);
/// The time in which a client then reads the last answer.
const LAST_ANSWER_WITHIN: Duration = Duration::from_secs(120);
/// The pause after a connection could not be accepted, such as without free file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// The time for requests that are being answered when the server ends.
const FINISH_WITHIN: Duration = Duration::from_secs(2);
const FINISH_STEP: Duration = Duration::from_millis(20);

/// An open connection.
struct Connection {
    task: JoinHandle<()>,
    /// The number of its requests that have no answer yet.
    asked: Arc<AtomicUsize>,
}

impl Connection {
    fn is_busy(&self) -> bool {
        self.asked.load(Ordering::Relaxed) > 0
    }
}

/// All open connections, in the order in which they were opened.
#[derive(Clone, Default)]
pub(super) struct Connections(Arc<Mutex<VecDeque<Connection>>>);

impl Connections {
    /// Takes clients and answers them with `router`, without an end.
    pub(super) async fn accept(self, listener: TcpListener, router: Router) {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => self.admit(stream, &router),
                Err(_) => sleep(ACCEPT_PAUSE).await,
            }
        }
    }

    /// Answers a client. If there is no place for it, its connection is closed.
    fn admit(&self, stream: TcpStream, router: &Router) {
        let mut open = self.open();
        open.retain(|one| !one.task.is_finished());
        if open.len() >= CONNECTIONS_MAX {
            let Some(waiting) = open.iter().position(|one| !one.is_busy()) else { return };
            open.remove(waiting).into_iter().for_each(|one| one.task.abort());
        }
        let asked = Arc::new(AtomicUsize::new(0));
        let task = tokio::spawn(answer(stream, router.clone(), Arc::clone(&asked)));
        open.push_back(Connection { task, asked });
    }

    /// Waits for the answers to requests, for a limited time, and closes all connections.
    pub(super) async fn finish(self) {
        let began = Instant::now();
        while began.elapsed() < FINISH_WITHIN && self.open().iter().any(Connection::is_busy) {
            sleep(FINISH_STEP).await;
        }
        // The last answers are still being sent.
        sleep(FINISH_STEP).await;
        self.open().drain(..).for_each(|one| one.task.abort());
    }

    fn open(&self) -> MutexGuard<'_, VecDeque<Connection>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request without an answer, which counts until it is dropped.
struct OpenRequest(Arc<AtomicUsize>);

impl OpenRequest {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Answers the requests of one client.
async fn answer(stream: TcpStream, router: Router, asked: Arc<AtomicUsize>) {
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |request| {
        let (asked, answer) = (OpenRequest::new(&asked), router.call(request));
        async move {
            let answer = answer.await;
            drop(asked);
            answer
        }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEADER_WITHIN).max_buf_size(HEADER_BYTES_MAX);
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    // What a client does wrong ends its connection, and needs no message.
    if timeout(CONNECTION_MAX, connection.as_mut()).await.is_err() {
        connection.as_mut().graceful_shutdown();
        let _ = timeout(LAST_ANSWER_WITHIN, connection).await;
    }
}
