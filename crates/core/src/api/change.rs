//! Telling those who watch that something was stored. It says only what changed; they ask again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::lock::lock;

/// Something was stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Change {
    /// Rises with every change since this Bobbin started.
    pub revision: u64,
    /// Bobbin's numbers of the clusters that changed, in order; none where any may have.
    pub cluster_ids: Vec<i64>,
}

impl Change {
    /// Both as one. Where one of them may be about any cluster, so may what they are together.
    pub fn and(&self, other: &Self) -> Self {
        let any = self.cluster_ids.is_empty() || other.cluster_ids.is_empty();
        let named: BTreeSet<i64> = self
            .cluster_ids
            .iter()
            .chain(&other.cluster_ids)
            .copied()
            .collect();
        Self {
            revision: self.revision.max(other.revision),
            cluster_ids: if any {
                Vec::new()
            } else {
                named.into_iter().collect()
            },
        }
    }
}

type Listener = Arc<dyn Fn(&Change) + Send + Sync>;

#[derive(Default)]
struct Table {
    next: u64,
    revision: u64,
    listeners: BTreeMap<u64, Listener>,
}

/// Who watches.
#[derive(Clone, Default)]
pub(crate) struct Listeners(Arc<Mutex<Table>>);

impl Listeners {
    /// Calls `listener` for each change until the subscription is dropped.
    pub(crate) fn subscribe(&self, listener: Box<dyn Fn(&Change) + Send + Sync>) -> Subscription {
        let mut table = self.lock();
        let id = table.next;
        table.next += 1;
        table.listeners.insert(id, Arc::from(listener));
        Subscription {
            id,
            table: Arc::downgrade(&self.0),
        }
    }

    /// Tells everybody. Listeners run without the lock, so they may subscribe and unsubscribe.
    pub(crate) fn tell(&self, cluster_ids: Vec<i64>) {
        let (change, listeners) = {
            let mut table = self.lock();
            table.revision += 1;
            let change = Change {
                revision: table.revision,
                cluster_ids,
            };
            (
                change,
                table.listeners.values().cloned().collect::<Vec<_>>(),
            )
        };
        for listener in listeners {
            listener(&change);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        lock(&self.0)
    }
}

/// Keeps a listener listening; dropping it ends that.
#[must_use = "dropping it unsubscribes"]
pub struct Subscription {
    id: u64,
    table: Weak<Mutex<Table>>,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(table) = self.table.upgrade() {
            lock(&table).listeners.remove(&self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listener_hears_changes_until_its_subscription_is_dropped() {
        let listeners = Listeners::default();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let ear = Arc::clone(&heard);
        let subscription = listeners.subscribe(Box::new(move |change| {
            ear.lock().unwrap().push(change.clone())
        }));
        listeners.tell(vec![3]);
        drop(subscription);
        listeners.tell(vec![4]);
        assert_eq!(
            *heard.lock().unwrap(),
            [Change {
                revision: 1,
                cluster_ids: vec![3]
            }]
        );
    }
}
