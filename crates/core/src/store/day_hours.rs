//! The hours of a day that is over as they are stored in `usage_day`: some dozens of bytes each, so that years of them are
//! read in the time that SQLite takes for a month of rows.
//!
//! A version; the users, hosts and projects of clusters, each such three once (a text is one more than its length, and its
//! bytes; 0 is none); then the hours in the order of clusters: how far the cluster's number lies behind the one before, the
//! hour of the day, the place of its user, host and project, and what was used. Numbers are as [`numbers`](super::numbers)
//! has them.

use super::numbers::{read_number, read_signed, write_number, write_signed};
use crate::{Error, Result};

const VERSION: u64 = 1;

/// What is summed: see the columns of `cluster_hour`, in their order.
const SUMS: usize = 10;

/// How a cluster calls its user, host and project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Named {
    pub(crate) user: Option<String>,
    pub(crate) host: Option<String>,
    pub(crate) project: Option<String>,
}

/// One cluster in one hour.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct DayHour {
    pub(crate) cluster: i64,
    /// Of the day.
    pub(crate) hour: i64,
    /// Its place among [`DayHours::named`].
    pub(crate) named: u32,
    pub(crate) sums: [i64; SUMS],
    pub(crate) workers_peak: u64,
    pub(crate) memory_peak_bytes: Option<u64>,
}

/// The hours of one day. A pack has names as bytes, equal ones as equal bytes: the same few come back on every day of a year,
/// and are read ([`Named::unpack`]) only once.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct DayHours<N = Named> {
    pub(crate) named: Vec<N>,
    pub(crate) hours: Vec<DayHour>,
}

impl DayHours {
    /// Puts the hours in order.
    pub(crate) fn pack(&mut self) -> Vec<u8> {
        self.hours
            .sort_unstable_by_key(|one| (one.cluster, one.hour));
        let mut bytes = Vec::new();
        write_number(&mut bytes, VERSION);
        write_number(&mut bytes, self.named.len() as u64);
        for named in &self.named {
            for text in [&named.user, &named.host, &named.project] {
                let text = text.as_deref();
                write_number(&mut bytes, text.map_or(0, |text| text.len() as u64 + 1));
                bytes.extend_from_slice(text.unwrap_or_default().as_bytes());
            }
        }
        write_number(&mut bytes, self.hours.len() as u64);
        let mut before = 0;
        for one in &self.hours {
            write_signed(&mut bytes, one.cluster - before);
            before = one.cluster;
            write_signed(&mut bytes, one.hour);
            write_number(&mut bytes, u64::from(one.named));
            for sum in one.sums {
                write_signed(&mut bytes, sum);
            }
            write_number(&mut bytes, one.workers_peak);
            write_number(&mut bytes, one.memory_peak_bytes.map_or(0, |peak| peak + 1));
        }
        bytes
    }
}

impl<'a> DayHours<&'a [u8]> {
    /// # Errors
    /// [`Error::Invalid`] if it is not what [`DayHours::pack`] wrote.
    pub(crate) fn unpack(packed: &'a [u8]) -> Result<Self> {
        Self::read(packed).ok_or_else(not_ours)
    }

    fn read(mut bytes: &'a [u8]) -> Option<Self> {
        let bytes = &mut bytes;
        if read_number(bytes)? != VERSION {
            return None;
        }
        let mut named = Vec::new();
        for _ in 0..read_number(bytes)? {
            let from = *bytes;
            for _ in 0..3 {
                read_text(bytes)?;
            }
            named.push(&from[..from.len() - bytes.len()]);
        }
        let count = read_number(bytes)?;
        // Each takes more than a byte: no number that was tampered with makes room for more.
        let mut hours = Vec::with_capacity(usize::try_from(count).ok()?.min(bytes.len()));
        let mut cluster = 0i64;
        for _ in 0..count {
            cluster = cluster.checked_add(read_signed(bytes)?)?;
            let mut one = DayHour {
                cluster,
                hour: read_signed(bytes)?,
                named: u32::try_from(read_number(bytes)?).ok()?,
                ..DayHour::default()
            };
            if one.named as usize >= named.len() {
                return None;
            }
            for sum in &mut one.sums {
                *sum = read_signed(bytes)?;
            }
            one.workers_peak = read_number(bytes)?;
            one.memory_peak_bytes = read_number(bytes)?.checked_sub(1);
            hours.push(one);
        }
        Some(Self { named, hours })
    }
}

impl Named {
    /// # Errors
    /// [`Error::Invalid`] if it is not what [`DayHours::pack`] wrote.
    pub(crate) fn unpack(packed: &[u8]) -> Result<Self> {
        Self::read(packed).ok_or_else(not_ours)
    }

    fn read(mut bytes: &[u8]) -> Option<Self> {
        let mut text = || -> Option<Option<String>> {
            match read_text(&mut bytes)? {
                Some(text) => Some(Some(std::str::from_utf8(text).ok()?.to_owned())),
                None => Some(None),
            }
        };
        Some(Self {
            user: text()?,
            host: text()?,
            project: text()?,
        })
    }
}

fn read_text<'a>(bytes: &mut &'a [u8]) -> Option<Option<&'a [u8]>> {
    let Some(length) = read_number(bytes)?.checked_sub(1) else {
        return Some(None);
    };
    bytes.split_off(..usize::try_from(length).ok()?).map(Some)
}

fn not_ours() -> Error {
    Error::Invalid {
        what: "hours of a day",
        value: "stored".into(),
        reason: "they are not what this build writes".into(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::option;
    use proptest::prelude::*;

    use super::*;

    const MOST: i64 = 1 << 61;

    fn days() -> impl Strategy<Value = DayHours> {
        let named = (option::of(".{0,6}"), option::of(".{0,6}"), option::of("é?")).prop_map(
            |(user, host, project)| Named {
                user,
                host,
                project,
            },
        );
        let hour = (
            (1i64..1 << 40, 0i64..24, any::<u32>()),
            vec(-MOST..=MOST, SUMS),
            (0u64..1 << 53, option::of(0u64..1 << 53)),
        );
        (vec(named, 1..5), vec(hour, 0..30)).prop_map(|(named, hours)| DayHours {
            hours: hours
                .into_iter()
                .map(
                    |((cluster, hour, place), sums, (workers_peak, memory_peak_bytes))| DayHour {
                        cluster,
                        hour,
                        named: place % named.len() as u32,
                        sums: sums.try_into().unwrap(),
                        workers_peak,
                        memory_peak_bytes,
                    },
                )
                .collect(),
            named,
        })
    }

    #[test]
    fn a_name_may_be_empty_or_none_and_is_refused_where_it_is_no_text() {
        let named = Named {
            user: Some("a".into()),
            host: Some(String::new()),
            project: None,
        };
        assert_eq!(Named::unpack(&[2, b'a', 1, 0]).unwrap(), named);
        for packed in [&[2u8, 0xff, 1, 0][..], &[2, b'a', 1], &[3, b'a']] {
            assert!(Named::unpack(packed).is_err(), "{packed:?}");
        }
    }

    proptest! {
        #[test]
        fn what_was_packed_comes_back(mut day in days()) {
            let packed = day.pack();
            let DayHours { named, hours } = DayHours::unpack(&packed).unwrap();
            let named = named.into_iter().map(|named| Named::unpack(named).unwrap()).collect();
            prop_assert_eq!(DayHours { named, hours }, day);
        }

        #[test]
        fn nothing_else_brings_the_reader_down(bytes in vec(any::<u8>(), 0..200), mut day in days(), cut in any::<usize>()) {
            let _ = DayHours::unpack(&bytes);
            let _ = Named::unpack(&bytes);
            let mut packed = day.pack();
            packed.truncate(cut % packed.len());
            prop_assert!(DayHours::unpack(&packed).is_err());
        }
    }
}
