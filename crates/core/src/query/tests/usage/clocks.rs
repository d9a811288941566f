//! Days and hours of a zone whose clocks change.

use chrono::{TimeZone as _, Timelike as _};
use chrono_tz::Europe::Berlin;

use super::*;

#[test]
fn the_night_in_which_the_clocks_change_has_each_of_its_hours_once() {
    for (days, expected, at_two) in [
        ([(3, 30), (3, 31), (4, 1), (4, 2)], [24.0, 23.0, 24.0], 2.0),
        (
            [(10, 26), (10, 27), (10, 28), (10, 29)],
            [24.0, 25.0, 24.0],
            4.0,
        ),
    ] {
        let midnights = days.map(|(month, day)| {
            let midnight = Berlin.with_ymd_and_hms(2024, month, day, 0, 0, 0);
            Micros(midnight.unwrap().timestamp_micros())
        });
        let [from, .., to] = midnights;
        let edges: Vec<Micros> = (from.0..=to.0)
            .step_by(Micros::HOUR as usize)
            .map(Micros)
            .collect();
        let hours = &edges[..edges.len() - 1];
        let seconds = |at: Micros| (at.0 - START) / SECOND;
        // One thread, all the time.
        let mut records = vec![with(facts(seconds(from)), json!({"started_micros": from}))];
        for (hour, begins) in hours.iter().enumerate() {
            records.push(with(
                sample(seconds(*begins) + HOUR / 2, 0.0),
                json!({"totals": {"thread_seconds": (hour as f64 + 1.0) * 3_600.0}}),
            ));
        }
        let bench = Bench::new();
        bench.at(seconds(to)).send(batch(1, &records));
        let map = |edges: &[Micros], columns: Vec<u32>| {
            let request = HeatMapRequest {
                by: Some(HeatRows::User),
                measure: Measure::Cluster,
                edges: edges.to_vec(),
                columns,
                order: HeatOrder::Total,
                rows: 0,
            };
            let rows = heat_map(&bench.app, request).unwrap().rows;
            let values = rows[0].values.iter().map(|value| value.unwrap() / 3_600.0);
            values.collect::<Vec<f64>>()
        };
        assert_eq!(map(&midnights, vec![]), expected);
        let columns = hours.iter().map(|at| {
            let there = Berlin.timestamp_micros(at.0).unwrap();
            there.hour()
        });
        let mut by_hour = [3.0; 24];
        by_hour[2] = at_two;
        assert_eq!(map(&edges, columns.collect()), by_hour);
    }
}
