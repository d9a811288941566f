//! Which clusters match a filter: a page of them, and how many.

use rusqlite::{Connection, ToSql, named_params};

use super::super::filter::{Compiled, Filter, Moment, Tables, compile, halves};
use super::super::page::{limit, offset};
use super::super::price::CostSql;
use super::super::types::{ClusterOrder, ClustersRequest, Direction};
use crate::Result;

/// As many are put in order by themselves; of more, an index of the order soon has a page.
const FEW: usize = 4_000;

/// The part of a list that is asked for.
pub(super) struct Page {
    pub(super) by: ClusterOrder,
    pub(super) direction: Direction,
    pub(super) limit: u32,
    pub(super) offset: i64,
}

impl Page {
    pub(super) fn of(request: &ClustersRequest) -> Self {
        Self {
            by: request.order,
            direction: request.direction,
            limit: limit(request.limit),
            offset: offset(request.offset),
        }
    }
}

/// The numbers of the clusters on a page, in its order, and how many match.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(super) fn matching(
    db: &Connection,
    filter: &Filter,
    moment: Moment,
    cost: &CostSql,
    page: &Page,
) -> Result<(Vec<i64>, u64)> {
    let compiled = compile(filter, moment, cost);
    let found = match both(db, halves(filter, moment, cost))? {
        Some(found) => Some(found),
        None => few(db, &compiled)?,
    };
    if let Some(found) = found {
        let ids = match found.len() <= FEW || page.by == ClusterOrder::Cost {
            true => in_order(db, &found, &compiled, page)?,
            false => along(db, &found, page, cost)?,
        };
        return Ok((ids, found.len() as u64));
    }
    let (sql, counting) = selection(&compiled, page.by, page.direction);
    let sql = by_index(sql, page.by);
    let part = named_params! { ":limit": page.limit, ":offset": page.offset };
    let ids = ids(db, &sql, &compiled.parameters(&sql, part))?;
    let total = db
        .prepare_cached(&counting)?
        .query_one(&*compiled.parameters(&counting, &[]), |row| row.get(0))?;
    Ok((ids, total))
}

fn ids(db: &Connection, sql: &str, parameters: &[(&str, &dyn ToSql)]) -> Result<Vec<i64>> {
    Ok(db
        .prepare_cached(sql)?
        .query_map(parameters, |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?)
}

/// The clusters of a filter that asks both tables, by number, if what it asks of one leaves many: each table is read once
/// then, where otherwise a row of one were looked up for each of the many of the other.
fn both(db: &Connection, halves: Option<[Compiled; 2]>) -> Result<Option<Vec<i64>>> {
    let Some([of_cluster, of_total]) = halves else {
        return Ok(None);
    };
    let mut found = all(db, &of_cluster)?;
    if found.len() <= FEW {
        return Ok(None);
    }
    let mut others = all(db, &of_total)?;
    others.sort_unstable();
    found.retain(|id| others.binary_search(id).is_ok());
    found.sort_unstable();
    Ok(Some(found))
}

/// The clusters that match, in no order.
fn all(db: &Connection, compiled: &Compiled) -> Result<Vec<i64>> {
    let tables = compiled.tables;
    let condition = compiled.condition(tables);
    let sql = format!("select {} {} {condition}", tables.id(), tables.from());
    ids(db, &sql, &compiled.parameters(&sql, &[]))
}

/// The clusters that match, in no order, if they are few: then one look at all clusters is enough for the page and their
/// number, and no index of an order is walked past all those that do not match.
fn few(db: &Connection, compiled: &Compiled) -> Result<Option<Vec<i64>>> {
    let tables = compiled.tables;
    let condition = compiled.condition(tables);
    if condition.is_empty() {
        return Ok(None);
    }
    let from = tables.from();
    let sql = format!("select {} {from} {condition} limit :limit", tables.id());
    let limit = FEW as u64 + 1;
    let limit = named_params! { ":limit": limit };
    let found = ids(db, &sql, &compiled.parameters(&sql, limit))?;
    Ok((found.len() <= FEW).then_some(found))
}

/// A page of those that were found, which are put in order.
fn in_order(db: &Connection, found: &[i64], compiled: &Compiled, page: &Page) -> Result<Vec<i64>> {
    let (tables, order) = order(page.by, page.direction, compiled.cost());
    let joined = |wanted: bool, table: &str| match wanted {
        true => format!("cross join {table} = wanted.value"),
        false => String::new(),
    };
    let sql = format!(
        "select wanted.value from json_each(:found) as wanted {} {} {} limit :limit offset :offset",
        joined(tables.cluster, "cluster as c on c.id"),
        joined(tables.total, "cluster_total as t on t.cluster_id"),
        order.replace("{id}", "wanted.value"),
    );
    let found = serde_json::to_string(found)?;
    let part = named_params! { ":limit": page.limit, ":offset": page.offset, ":found": found };
    ids(db, &sql, &compiled.parameters_of_order(&sql, part))
}

/// The same where they are many, by number: the order of all clusters is followed as far as the page.
fn along(db: &Connection, found: &[i64], page: &Page, cost: &CostSql) -> Result<Vec<i64>> {
    let (tables, order) = order(page.by, page.direction, cost);
    let id = tables.id();
    let sql = format!(
        "select {id} {} {}",
        tables.from(),
        order.replace("{id}", id)
    );
    let mut statement = db.prepare_cached(&sql)?;
    let ids = statement.query_map([], |row| row.get::<_, i64>(0))?;
    let wanted = ids.filter(|id| match id {
        Ok(id) => found.binary_search(id).is_ok(),
        Err(_) => true,
    });
    let (limit, offset) = (
        page.limit as usize,
        usize::try_from(page.offset).unwrap_or(usize::MAX),
    );
    Ok(wanted
        .skip(offset)
        .take(limit)
        .collect::<rusqlite::Result<_>>()?)
}

/// Which clusters match, a page of them, and how many. Only the tables that the filter and the order name are read: so
/// an order without a filter is read from its index alone, however far down the page is, and one by a figure that changes
/// with every batch from the narrow table of those.
fn selection(compiled: &Compiled, by: ClusterOrder, direction: Direction) -> (String, String) {
    let (tables, mut order) = order(by, direction, compiled.cost());
    let mut tables = tables.and(compiled.tables);
    if by == ClusterOrder::Started && !compiled.tables.cluster && compiled.tables.total {
        // It is there, too.
        tables = compiled.tables;
        order = order.replace("c.started_micros", "t.started_micros");
    }
    let id = tables.id();
    let sql = format!(
        "select {id} {} {} {} limit :limit offset :offset",
        tables.from(),
        compiled.condition(tables),
        order.replace("{id}", id),
    );
    (sql, compiled.counting())
}

/// The same where many match: an index that finds some of them would have all of those put in order, for one page.
fn by_index(sql: String, by: ClusterOrder) -> String {
    match by {
        ClusterOrder::Started => sql.replace(
            " from cluster_total as t ",
            " from cluster_total as t indexed by cluster_total_started ",
        ),
        _ => sql,
    }
}

/// The order of the list, and the table that has it: a fixed text for each choice, and an index for each. Equal rows are
/// ordered by number, so that pages never overlap.
fn order(by: ClusterOrder, direction: Direction, cost: &CostSql) -> (Tables, String) {
    let columns: &[&str] = match by {
        ClusterOrder::Cost => &[&cost.expression],
        ClusterOrder::Started => &["c.started_micros"],
        ClusterOrder::Name => &["c.shown_name collate nocase"],
        ClusterOrder::User => &["c.user collate nocase", "c.started_micros"],
        ClusterOrder::Host => &["c.host collate nocase", "c.started_micros"],
        ClusterOrder::Project => &["c.project collate nocase", "c.started_micros"],
        ClusterOrder::Seen => &["t.seen_micros"],
        ClusterOrder::LastWork => &["t.last_completed_micros"],
        ClusterOrder::Duration => &["t.lasted_micros"],
        ClusterOrder::WorkersPeak => &["t.workers_peak"],
        ClusterOrder::ThreadsPeak => &["t.threads_peak"],
        ClusterOrder::MemoryPeak => &["t.memory_peak_bytes"],
        ClusterOrder::TasksCompleted => &["t.tasks_completed"],
        ClusterOrder::ComputeSeconds => &["t.compute_micros"],
        ClusterOrder::ThreadSeconds => &["t.thread_micros"],
        ClusterOrder::Efficiency => &["t.efficiency"],
        ClusterOrder::Exceptions => &["t.exceptions"],
    };
    let way = match direction {
        Direction::Ascending => "asc",
        Direction::Descending => "desc",
    };
    let cluster = match by {
        ClusterOrder::Cost => cost.cluster,
        _ => columns.iter().any(|column| column.starts_with("c.")),
    };
    let total = by == ClusterOrder::Cost || !cluster;
    let columns: Vec<String> = columns
        .iter()
        .map(|column| format!("{column} {way}"))
        .collect();
    let tables = Tables { cluster, total };
    (
        tables,
        format!("order by {}, {{id}} {way}", columns.join(", ")),
    )
}

#[cfg(test)]
mod tests;
