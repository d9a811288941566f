//! What a person asks first, each question answered in a sentence with a number and a way to its proof: of a period
//! (`overview`), and of one cluster (`cluster`).

mod cluster;
mod overview;

pub(crate) use cluster::{KnownCluster, cluster_answers};
pub(crate) use overview::{Known, Largest, answers};

use super::words;
use crate::query::types::{Answer, Cost, Money, Proof, Tone};

/// Where threads that did nothing took more of a cost than this, that is a warning.
const IDLE_SHARE: f64 = 0.5;

fn said(question: &str, answer: String, because: String, tone: Tone, proof: Proof) -> Answer {
    Answer {
        question: question.into(),
        answer,
        because,
        tone,
        proof,
    }
}

/// What was paid for threads that did nothing.
struct Idleness {
    /// Of the whole cost.
    share: f64,
    money: Money,
    /// `idle`, or what else they were.
    threads: &'static str,
    tone: Tone,
}

/// None where it cost nothing.
fn idleness(cost: &Cost) -> Option<Idleness> {
    let Cost {
        total,
        idle,
        stalled,
        ..
    } = cost;
    let money = Money {
        low_nanos: idle.low_nanos + stalled.low_nanos,
        high_nanos: idle.high_nanos + stalled.high_nanos,
    };
    let share =
        (total.high_nanos > 0).then(|| money.high_nanos as f64 / total.high_nanos as f64)?;
    Some(Idleness {
        share,
        money,
        threads: match stalled.high_nanos {
            0 => "idle",
            _ => "idle and stalled",
        },
        tone: match share > IDLE_SHARE {
            true => Tone::Warn,
            false => Tone::Calm,
        },
    })
}

/// What the evidence of a state says first; the rest is on the cluster's page.
fn first_clause(evidence: &str) -> &str {
    evidence
        .split_once([',', ';'])
        .map_or(evidence, |(first, _)| first)
}

fn plural(n: u64, one: &str) -> String {
    words::count(n, one, &format!("{one}s"))
}

/// Neither none nor all where it is not.
fn percent(share: f64) -> String {
    match share * 100.0 {
        p if p > 0.0 && p < 1.0 => "< 1 %".into(),
        p if p > 99.0 && p < 100.0 => "> 99 %".into(),
        p => format!("{p:.0} %"),
    }
}
