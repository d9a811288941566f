//! Prices that many pay, to begin a price of one's own with: public list prices, each as of a month. None is in force by itself,
//! and nobody is asked for newer ones.

use crate::query::types::{KnownPrice, Range, Rate};

/// Of Linux on demand, without discounts, disks and traffic.
const KNOWN: [Known; 2] = [
    Known {
        name: "AWS EC2, general purpose",
        provenance: "List price of June 2026 on demand, Linux, us-east-1, in dollars: m7g.large 0.0816 an hour, with 2 cores and 8 GiB. The core price includes memory. Disks, traffic and discounts are not included.",
        core: 0.0408,
        memory: 0.0,
    },
    Known {
        name: "AWS Fargate",
        provenance: "List prices of March 2026, Linux on x86, us-east-1, in dollars: 0.04048 a core-hour and 0.004445 a GB-hour. Spot, savings plans and storage are not included.",
        core: 0.04048,
        memory: 0.004445,
    },
];

struct Known {
    name: &'static str,
    provenance: &'static str,
    core: f64,
    memory: f64,
}

pub(crate) fn known() -> Vec<KnownPrice> {
    let range = |price| Range {
        low: price,
        high: price,
    };
    KNOWN
        .iter()
        .map(|known| KnownPrice {
            name: known.name.into(),
            provenance: known.provenance.into(),
            currency: "USD".into(),
            rate: Rate::Rented {
                core_hour: range(known.core),
                memory_gib_hour: range(known.memory),
                machine_hour: Range::default(),
                workers_per_machine: 1,
            },
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::insight::cost::check;
    use crate::model::Micros;
    use crate::query::types::{AppliesTo, PriceTerms};

    #[test]
    fn each_can_be_written_as_it_stands_and_says_of_when_it_is() {
        for KnownPrice {
            name,
            provenance,
            rate,
            ..
        } in known()
        {
            assert!(provenance.contains("2026"), "{name}");
            let terms = PriceTerms {
                name,
                provenance,
                from_micros: Micros(0),
                to_micros: None,
                applies_to: AppliesTo::Everything,
                rate,
            };
            assert_eq!(check(terms.clone()).unwrap(), terms);
        }
    }
}
