//! More than one scheduler has to say: 200 busy clusters for some time, and 50 that wake up with eight hours to tell. What
//! was acknowledged is counted in the store afterwards.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    os::unix::net::UnixStream,
    path::Path,
    sync::Arc,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use bobbin_core::api::{self, App, ClustersRequest, OverviewRequest, Role, SqlRequest, SqlValue};
use bobbin_core::clock::SystemClock;

use super::{
    batches::{self, Shape},
    figure::Figure,
    folder::Folder,
    post::{Address, Door},
    promise::{self, Promise},
    server::Server,
    size::Size,
    written,
};
use crate::process::{Failure, Result};

const BUSY: usize = 200;
const HERD: usize = 50;
/// A busy cluster says something each ten seconds.
const BEAT: Duration = Duration::from_secs(10);
/// Eight hours of it.
const SLEPT_BEATS: usize = 2_880;
/// How often somebody who looks at the page asks.
const LOOK: Duration = Duration::from_millis(100);

/// The rows of the written table, in order.
const ROWS: [(&str, &str); 14] = [
    ("busy_batches", "200 busy clusters: reports"),
    ("busy_ack_p50", "… acknowledged, median, ms"),
    ("busy_ack_p99", "… acknowledged, p99, ms"),
    ("busy_ack_max", "… acknowledged, longest, ms"),
    ("busy_told_later", "… asked to retry later"),
    ("busy_lost", "… records lost"),
    ("busy_memory_peak", "… memory, MB"),
    (
        "herd_drained",
        "50 clusters with eight hours of reports: all stored after, s",
    ),
    ("herd_batches_per_s", "… reports per second"),
    ("herd_told_later", "… asked to retry later"),
    ("herd_lost", "… records lost"),
    (
        "herd_page_p50",
        "… queries of the overview meanwhile, median, ms",
    ),
    ("herd_page_p99", "… p99, ms"),
    ("herd_memory_peak", "… memory, MB"),
];

/// What is promised of any machine.
const PROMISES: [Promise; 4] = [
    Promise::most("busy_lost", 0.0),
    Promise::most("herd_lost", 0.0),
    // What the first questions and reports open stays open; one a report would be hundreds within seconds.
    Promise::most("busy_descriptors_more", 64.0),
    Promise::most("busy_threads_more", 64.0),
];
/// And of full length: seconds, milliseconds and megabytes mean nothing of a minute, or of an unoptimised build.
const AT_LENGTH: [Promise; 4] = [
    Promise::below("busy_ack_p99", 100.0),
    Promise::most("herd_drained", 300.0),
    // Somebody who looks meanwhile does not wait for an answer.
    Promise::most("herd_page_p99", 300.0),
    Promise::below("busy_memory_peak", 100.0),
];

/// What the senders met.
#[derive(Default)]
struct Met {
    /// Of each acknowledged batch, in milliseconds.
    waits: Vec<f64>,
    /// Answers that told to come again.
    later: u64,
}

/// Measures both; `minutes` is how long the 200 are busy. With `write_down`, writes the table down, too.
///
/// # Errors
/// The server does not start, or an answer is neither an acknowledgement nor "later".
pub fn measure(
    bobbin: &Path,
    size: Size,
    minutes: Option<f64>,
    write_down: bool,
) -> Result<Vec<Figure>> {
    let minutes = minutes.unwrap_or(match size {
        Size::Full => 60.0,
        Size::Quick => 1.0,
        Size::Smoke => 0.2,
    });
    let mut figures = busy(bobbin, Duration::from_secs_f64(60.0 * minutes))?;
    let beats = match size {
        Size::Full => SLEPT_BEATS,
        Size::Quick => SLEPT_BEATS / 10,
        Size::Smoke => 20,
    };
    figures.extend(herd(bobbin, beats)?);
    if write_down {
        written::write("overload", &written::table(&figures, &ROWS))?;
    }
    Ok(figures)
}

/// # Errors
/// A record was lost, or at full size another promise is broken.
pub fn promised(figures: &[Figure], size: Size) -> Result {
    promise::kept(figures, &PROMISES)?;
    promise::kept_at_full_size(figures, &AT_LENGTH, size)
}

/// 200 clusters that report on time.
fn busy(bobbin: &Path, time: Duration) -> Result<Vec<Figure>> {
    let folder = Folder::make("overload")?;
    let data = folder.0.join("busy");
    let server = Server::start(bobbin, data.clone())?;
    let door = server.socket()?;
    let shape = Shape {
        clusters: BUSY,
        groups: 8,
    };
    let beats = (time.as_secs_f64() / BEAT.as_secs_f64()).ceil() as usize;
    let before = server.holds();
    let start = Instant::now();
    let met = senders(BUSY, |cluster| {
        let mut met = Met::default();
        for beat in 0..beats {
            // Not all in the same moment.
            let due = start + BEAT.mul_f64(beat as f64 + cluster as f64 / BUSY as f64);
            thread::sleep(due.saturating_duration_since(Instant::now()));
            send(&door, &batches::one(shape, 0, cluster, beat), &mut met)?;
        }
        Ok(met)
    })?;
    let lost = lost(&data, BUSY * beats, shape.groups)?;
    let after = server.holds();
    let memory = server.memory_peak_mb();
    let mut figures = vec![
        figure("busy_ack_p50", "ms", vec![share(&met.waits, 0.5)]),
        figure("busy_ack_p99", "ms", vec![share(&met.waits, 0.99)]),
        figure("busy_ack_max", "ms", vec![share(&met.waits, 1.0)]),
        figure("busy_batches", "batches", vec![met.waits.len() as f64]),
        figure("busy_told_later", "answers", vec![met.later as f64]),
        figure("busy_lost", "records", vec![lost]),
    ];
    if memory.is_finite() {
        figures.push(figure("busy_memory_peak", "MB", vec![memory]));
    }
    if let (Some([open, threads]), Some([open_after, threads_after])) = (before, after) {
        let more = [
            ("busy_descriptors_more", open_after - open),
            ("busy_threads_more", threads_after - threads),
        ];
        figures.extend(more.map(|(metric, count)| figure(metric, "more", vec![count])));
    }
    Ok(figures)
}

/// 50 clusters that send as fast as they are acknowledged, while somebody looks.
fn herd(bobbin: &Path, beats: usize) -> Result<Vec<Figure>> {
    let folder = Folder::make("herd")?;
    let data = folder.0.join("herd");
    let server = Server::start(bobbin, data.clone())?;
    let door = server.socket()?;
    let shape = Shape {
        clusters: HERD,
        groups: 8,
    };
    let done = Arc::new(AtomicBool::new(false));
    let looking = {
        let (done, data) = (Arc::clone(&done), data.clone());
        thread::spawn(move || look(&data, &done))
    };
    let start = Instant::now();
    let met = senders(HERD, |cluster| {
        let mut met = Met::default();
        for beat in 0..beats {
            send(&door, &batches::one(shape, 1, cluster, beat), &mut met)?;
        }
        Ok(met)
    });
    let drained = start.elapsed().as_secs_f64();
    done.store(true, Ordering::Relaxed);
    let looks = looking
        .join()
        .map_err(|_| Failure::new("the one who looks panicked"))??;
    let met = met?;
    let lost = lost(&data, HERD * beats, shape.groups)?;
    let memory = server.memory_peak_mb();
    let mut figures = vec![
        figure("herd_drained", "s", vec![drained]),
        figure(
            "herd_batches_per_s",
            "1/s",
            vec![met.waits.len() as f64 / drained],
        ),
        figure("herd_told_later", "answers", vec![met.later as f64]),
        figure("herd_lost", "records", vec![lost]),
        figure("herd_page_p50", "ms", vec![share(&looks, 0.5)]),
        figure("herd_page_p99", "ms", vec![share(&looks, 0.99)]),
        figure("herd_page_max", "ms", vec![share(&looks, 1.0)]),
    ];
    if memory.is_finite() {
        figures.push(figure("herd_memory_peak", "MB", vec![memory]));
    }
    Ok(figures)
}

fn figure(metric: &str, unit: &str, values: Vec<f64>) -> Figure {
    Figure {
        bench: "overload",
        metric: metric.into(),
        unit: unit.into(),
        values,
        peer: None,
    }
}

/// One thread a cluster, together.
fn senders(count: usize, send: impl Fn(usize) -> io::Result<Met> + Sync) -> Result<Met> {
    let mut all = thread::scope(|scope| {
        let senders: Vec<_> = (0..count)
            .map(|cluster| {
                let send = &send;
                scope.spawn(move || send(cluster))
            })
            .collect();
        let mut all = Met::default();
        for sender in senders {
            let met = sender
                .join()
                .map_err(|_| io::Error::other("a sender panicked"))??;
            all.waits.extend(met.waits);
            all.later += met.later;
        }
        io::Result::Ok(all)
    })?;
    all.waits.sort_by(f64::total_cmp);
    Ok(all)
}

/// Posts until it is acknowledged, as the plugin does: a new connection each time, and later when it is told so. The wait
/// is that of the post that was acknowledged.
fn send(door: &Door, body: &[u8], met: &mut Met) -> io::Result<()> {
    loop {
        let begun = Instant::now();
        let (status, retry_after) = post(door, body)?;
        match status {
            200 => {
                met.waits.push(begun.elapsed().as_secs_f64() * 1e3);
                return Ok(());
            }
            429 | 503 => {
                met.later += 1;
                thread::sleep(Duration::from_secs_f64(retry_after));
            }
            other => return Err(io::Error::other(format!("the receiver answered {other}"))),
        }
    }
}

/// The status, and the seconds after which to come again.
fn post(door: &Door, body: &[u8]) -> io::Result<(u16, f64)> {
    let Address::Unix(path) = &door.address else {
        return Err(io::Error::other("the overload goes over the socket"));
    };
    let mut stream = UnixStream::connect(path)?;
    let mut request = Vec::with_capacity(body.len() + 256);
    write!(
        request,
        "POST /v1/batches HTTP/1.1\r\nHost: bobbin\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/x-ndjson\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
        door.token,
        body.len()
    )?;
    request.extend_from_slice(body);
    // An answer may come before the body is read; it is still there to be had.
    let _ = stream.write_all(&request);
    let mut reading = BufReader::new(stream);
    let mut line = String::new();
    reading.read_line(&mut line)?;
    let status = line
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .unwrap_or(0);
    let mut retry_after = 1.0;
    loop {
        line.clear();
        if reading.read_line(&mut line)? == 0 || line == "\r\n" {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("retry-after")
        {
            retry_after = value.trim().parse().unwrap_or(retry_after);
        }
    }
    reading.read_to_end(&mut Vec::new())?;
    Ok((status, retry_after))
}

/// Asks what the first page asks, again and again; gives how long each took, in milliseconds.
fn look(data: &Path, done: &AtomicBool) -> Result<Vec<f64>> {
    let app = open(data)?;
    let mut waits = Vec::new();
    while !done.load(Ordering::Relaxed) {
        let begun = Instant::now();
        let overview: OverviewRequest =
            serde_json::from_str("{}").map_err(|error| Failure::new(error.to_string()))?;
        api::overview(&app, overview).map_err(|error| Failure::new(error.to_string()))?;
        api::clusters(&app, ClustersRequest::default())
            .map_err(|error| Failure::new(error.to_string()))?;
        waits.push(begun.elapsed().as_secs_f64() * 1e3);
        thread::sleep(LOOK.saturating_sub(begun.elapsed()));
    }
    waits.sort_by(f64::total_cmp);
    Ok(waits)
}

fn open(data: &Path) -> Result<App> {
    App::open(data, Role::Reader, Arc::new(SystemClock))
        .map_err(|error| Failure::new(error.to_string()))
}

/// Acknowledged samples that are not in the store. Every batch has one, and every cluster all of its groups.
fn lost(data: &Path, batches: usize, groups: usize) -> Result<f64> {
    let app = open(data)?;
    let count = |sql: &str| -> Result<f64> {
        let answer = api::sql(
            &app,
            SqlRequest {
                sql: sql.into(),
                ..SqlRequest::default()
            },
        )
        .map_err(|error| Failure::new(error.to_string()))?;
        match answer.results[0].rows[0][0] {
            SqlValue::Integer(count) => Ok(count as f64),
            _ => Err(Failure::new("a count is a number")),
        }
    };
    let samples = batches as f64 - count("select count(*) from sample")?;
    let clusters = count("select count(*) from cluster")?;
    let all_groups = clusters * groups as f64 - count("select count(*) from task_group")?;
    Ok(samples + all_groups)
}

/// Of sorted values, the one that this share does not exceed.
fn share(sorted: &[f64], share: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    sorted
        .get((last as f64 * share).round() as usize)
        .copied()
        .unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(changed: &str, value: f64) -> Vec<Figure> {
        let good = [
            ("busy_lost", 0.0),
            ("herd_lost", 0.0),
            ("busy_ack_p99", 20.0),
            ("herd_drained", 120.0),
            ("herd_page_p99", 80.0),
            ("busy_memory_peak", 60.0),
            ("busy_descriptors_more", 20.0),
            ("busy_threads_more", -3.0),
        ];
        good.map(|(metric, good)| {
            let value = if metric == changed { value } else { good };
            figure(metric, "", vec![value])
        })
        .into()
    }

    #[test]
    fn a_lost_record_or_a_leak_fails_at_any_size_and_what_is_slow_at_full_size() {
        for size in [Size::Smoke, Size::Quick, Size::Full] {
            assert!(promised(&measured("", 0.0), size).is_ok());
            assert!(promised(&measured("busy_lost", 1.0), size).is_err());
            assert!(promised(&measured("herd_lost", 1.0), size).is_err());
            assert!(promised(&measured("herd_lost", f64::NAN), size).is_err());
            assert!(promised(&measured("busy_descriptors_more", 65.0), size).is_err());
            assert!(promised(&measured("busy_threads_more", 65.0), size).is_err());
        }
        for (metric, value) in [
            ("busy_ack_p99", 100.0),
            ("herd_drained", 301.0),
            ("herd_page_p99", 301.0),
            ("busy_memory_peak", 100.0),
        ] {
            assert!(promised(&measured(metric, value), Size::Full).is_err());
            assert!(promised(&measured(metric, value), Size::Smoke).is_ok());
        }
    }
}
