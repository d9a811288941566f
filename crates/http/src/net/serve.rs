//! One connection: HTTP/1 with deadlines, ended gracefully when the door closes.

use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{sleep, timeout};

use super::connections::Place;
use super::{Deadlines, Handler, Line, Stop, Way};
use crate::answer::Response;

/// The most that a header block may be.
const HEADER_BYTES: usize = 16 * 1024;
/// How long bytes still on their way are taken off the wire after the last answer.
const LINGER: Duration = Duration::from_secs(2);
/// The same when the door closes and somebody waits for that.
const LINGER_AT_STOP: Duration = Duration::from_millis(100);

/// Serves requests until the peer goes, a deadline passes, the place is needed by another, or the door closes. Gives
/// whether there was any.
pub async fn serve<S>(
    stream: S,
    way: Way,
    place: &Place,
    handler: Arc<dyn Handler>,
    deadlines: Deadlines,
    mut stop: Stop,
) -> bool
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let line = Arc::new(Line {
        way,
        peer: place.peer,
        proven: place.proven.clone(),
    });
    let asked = Arc::new(AtomicBool::new(false));
    let noted = Arc::clone(&asked);
    let service = service_fn(
        move |request| -> Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>> {
            noted.store(true, Ordering::Relaxed);
            let answer = handler.clone().answer(request, line.clone());
            Box::pin(async move { Ok(answer.await) })
        },
    );
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(deadlines.header)
        .max_header_size(HEADER_BYTES)
        .max_buf_size(4 * HEADER_BYTES)
        .serve_connection(TokioIo::new(stream), service);

    let mut stopping = false;
    let result = loop {
        tokio::select! {
            result = poll_fn(|cx| connection.poll_without_shutdown(cx)) => break result,
            () = stop.requested(), if !stopping => {
                stopping = true;
                Pin::new(&mut connection).graceful_shutdown();
            }
            () = place.evicted.notified() => return asked.load(Ordering::Relaxed),
        }
    };
    match result {
        Ok(()) => linger(connection.into_parts().io.into_inner(), stop).await,
        Err(error) if error.is_parse() => {
            tracing::debug!(%error, "not HTTP");
            linger(connection.into_parts().io.into_inner(), stop).await;
        }
        Err(error) => tracing::debug!(%error, "a connection ended"),
    }
    asked.load(Ordering::Relaxed)
}

/// Ends a connection so that the last answer is read. Closing with bytes unread would reset the connection, and the
/// peer would never see why it was refused.
async fn linger(mut stream: impl AsyncRead + AsyncWrite + Unpin, mut stop: Stop) {
    let mut rest = pin!(async move {
        stream.shutdown().await?;
        let mut unread = vec![0; 64 * 1024];
        while stream.read(&mut unread).await? > 0 {}
        Ok::<(), std::io::Error>(())
    });
    // Whoever is not done by then may be cut off, and an error means that there is nobody to tell.
    tokio::select! {
        _ = &mut rest => return,
        () = sleep(LINGER) => return,
        () = stop.requested() => {}
    }
    let _ = timeout(LINGER_AT_STOP, rest).await;
}
