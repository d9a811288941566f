//! Words that arguments take: states, orders, spans, sizes and days.

use bobbin_core::api::ClusterOrder;
use bobbin_core::model::ClusterState;
use clap::ValueEnum;

/// [`ClusterState`] as a word on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum StateArg {
    Running,
    Stalled,
    Idle,
    Finished,
    Lost,
}

impl From<StateArg> for ClusterState {
    fn from(state: StateArg) -> Self {
        match state {
            StateArg::Running => ClusterState::Running,
            StateArg::Stalled => ClusterState::Stalled,
            StateArg::Idle => ClusterState::Idle,
            StateArg::Finished => ClusterState::Finished,
            StateArg::Lost => ClusterState::Lost,
        }
    }
}

/// [`ClusterOrder`] as a word on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum OrderArg {
    Started,
    Name,
    User,
    Host,
    Project,
    Seen,
    LastWork,
    Duration,
    Workers,
    Threads,
    Memory,
    Tasks,
    Compute,
    ThreadTime,
    Stalled,
    Efficiency,
    Exceptions,
    Cost,
}

impl From<OrderArg> for ClusterOrder {
    fn from(order: OrderArg) -> Self {
        match order {
            OrderArg::Started => ClusterOrder::Started,
            OrderArg::Name => ClusterOrder::Name,
            OrderArg::User => ClusterOrder::User,
            OrderArg::Host => ClusterOrder::Host,
            OrderArg::Project => ClusterOrder::Project,
            OrderArg::Seen => ClusterOrder::Seen,
            OrderArg::LastWork => ClusterOrder::LastWork,
            OrderArg::Duration => ClusterOrder::Duration,
            OrderArg::Workers => ClusterOrder::WorkersPeak,
            OrderArg::Threads => ClusterOrder::ThreadsPeak,
            OrderArg::Memory => ClusterOrder::MemoryPeak,
            OrderArg::Tasks => ClusterOrder::TasksCompleted,
            OrderArg::Compute => ClusterOrder::ComputeSeconds,
            OrderArg::ThreadTime => ClusterOrder::ThreadSeconds,
            OrderArg::Stalled => ClusterOrder::StalledSeconds,
            OrderArg::Efficiency => ClusterOrder::Efficiency,
            OrderArg::Exceptions => ClusterOrder::Exceptions,
            OrderArg::Cost => ClusterOrder::Cost,
        }
    }
}

/// Reads `90s`, `15m`, `24h` or `7d` into microseconds.
pub fn parse_span(text: &str) -> Result<i64, String> {
    let wanted = || format!("{text:?} is not a duration; write one like 90m, 24h or 7d");
    let unit = text.chars().last().ok_or_else(wanted)?;
    let seconds: i64 = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return Err(wanted()),
    };
    let count: i64 = text[..text.len() - 1].parse().map_err(|_| wanted())?;
    if count < 0 {
        return Err(wanted());
    }
    count.checked_mul(seconds * 1_000_000).ok_or_else(wanted)
}

/// Reads `500MiB`, `5GiB`, `1.5TiB` or `none`.
pub fn parse_cap(text: &str) -> Result<Limit<u64>, String> {
    if text == "none" {
        return Ok(Limit(None));
    }
    let wanted = || format!("{text:?} is not a size; write one like 500MiB or 5GiB, or `none`");
    let (number, unit) = ["MiB", "GiB", "TiB"]
        .into_iter()
        .zip([1_u64 << 20, 1 << 30, 1 << 40])
        .find_map(|(word, unit)| Some((text.strip_suffix(word)?, unit)))
        .ok_or_else(wanted)?;
    let number: f64 = number.trim().parse().map_err(|_| wanted())?;
    if !(0.0..1e6).contains(&number) {
        return Err(wanted());
    }
    Ok(Limit(Some((number * unit as f64) as u64)))
}

/// Reads `30`, `30d` or `ever`.
pub fn parse_days(text: &str) -> Result<Limit<u32>, String> {
    if text == "ever" {
        return Ok(Limit(None));
    }
    let days = text.strip_suffix('d').unwrap_or(text).parse();
    days.map(|days| Limit(Some(days)))
        .map_err(|_| format!("{text:?} is not a number of days; write one like 30, or `ever`"))
}

/// A limit that can be taken away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit<T>(pub Option<T>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_have_a_unit_and_can_be_taken_away() {
        assert_eq!(parse_cap("1.5GiB"), Ok(Limit(Some(3 << 29))));
        assert_eq!(parse_cap("none"), Ok(Limit(None)));
        assert_eq!(parse_days("30d"), Ok(Limit(Some(30))));
        assert_eq!(parse_days("ever"), Ok(Limit(None)));
        for bad in ["", "5", "5GB", "-1GiB", "NaNGiB", "none "] {
            assert!(parse_cap(bad).is_err(), "{bad}");
        }
        for bad in ["", "d", "-1", "1.5"] {
            assert!(parse_days(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn spans_have_a_unit() {
        assert_eq!(parse_span("90m"), Ok(5_400_000_000));
        assert_eq!(parse_span("7d"), Ok(604_800_000_000));
        for bad in ["", "7", "d", "-1d", "99999999999999999d", "7ß"] {
            assert!(parse_span(bad).is_err(), "{bad}");
        }
    }
}
