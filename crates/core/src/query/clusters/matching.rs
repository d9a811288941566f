//! Which clusters match a filter: a page of them, and how many.

use rusqlite::{Connection, ToSql, named_params};

use super::super::filter::{Compiled, Filter, Moment, ORDERS, Tables, compile, halves};
use super::super::page::{limit, offset};
use super::super::price::CostSql;
use super::super::types::{ClusterOrder, ClustersRequest, Direction};
use crate::Result;

/// As many are put in order by themselves; of more, an index of the order soon has a page.
const FEW: usize = 4_000;

/// Of no more than these, the rows of the other table are looked up one by one: to read all of it takes longer.
const LOOKED_UP: usize = 20_000;

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
        None if compiled.dear => Some(all(db, &compiled)?),
        None => few(db, &compiled)?,
    };
    if let Some(mut found) = found {
        let ids = match found.len() <= FEW {
            true => in_order(db, &found, &compiled, page)?,
            false => {
                found.sort_unstable();
                along(db, &found, &compiled, page)?
            }
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

/// The clusters of a filter that asks both tables, if what it asks of one leaves many: each table is read once then, where
/// otherwise a row of one were looked up for each of the many of the other.
fn both(db: &Connection, halves: Option<[Compiled; 2]>) -> Result<Option<Vec<i64>>> {
    let Some([of_cluster, of_total]) = halves else {
        return Ok(None);
    };
    let mut found = all(db, &of_cluster)?;
    if found.len() <= FEW {
        return Ok(None);
    }
    found.sort_unstable();
    if found.len() <= LOOKED_UP {
        return Ok(Some(of_these(db, &found, &of_total)?));
    }
    let mut others = all(db, &of_total)?;
    others.sort_unstable();
    found.retain(|id| others.binary_search(id).is_ok());
    Ok(Some(found))
}

/// Those of some clusters that match what is asked of `cluster_total`.
fn of_these(db: &Connection, found: &[i64], of_total: &Compiled) -> Result<Vec<i64>> {
    let tables = of_total.tables;
    let sql = format!(
        "select {id} from json_each(:found) as wanted cross join cluster_total as t on t.cluster_id = wanted.value {}",
        of_total.condition(tables),
        id = tables.id(),
    );
    let found = serde_json::to_string(found)?;
    let part = named_params! { ":found": found };
    ids(db, &sql, &of_total.parameters(&sql, part))
}

/// The clusters that match, in no order.
fn all(db: &Connection, compiled: &Compiled) -> Result<Vec<i64>> {
    let sql = compiled.finding();
    ids(db, &sql, &compiled.parameters(&sql, &[]))
}

/// The clusters that match, in no order, if they are few: then one look at all clusters is enough for the page and their
/// number, and no index of an order is walked past all those that do not match.
fn few(db: &Connection, compiled: &Compiled) -> Result<Option<Vec<i64>>> {
    if compiled.condition(compiled.tables).is_empty() {
        return Ok(None);
    }
    let sql = format!("{} limit :limit", compiled.finding());
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
fn along(db: &Connection, found: &[i64], compiled: &Compiled, page: &Page) -> Result<Vec<i64>> {
    let sql = whole(page.by, page.direction, compiled.cost());
    let mut statement = db.prepare_cached(&sql)?;
    let parameters = compiled.parameters_of_order(&sql, &[]);
    let ids = statement.query_map(&*parameters, |row| row.get::<_, i64>(0))?;
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
/// an order without a filter is read from its index alone, however far down the page is.
fn selection(compiled: &Compiled, by: ClusterOrder, direction: Direction) -> (String, String) {
    let sql = match figure(by, compiled.cost()) {
        Some(figure) => by_figure(&figure, compiled.tables, direction, &|tables| {
            compiled.also(tables)
        }),
        None => by_column(compiled, by, direction),
    };
    (
        format!("{sql} limit :limit offset :offset"),
        compiled.counting(),
    )
}

fn by_column(compiled: &Compiled, by: ClusterOrder, direction: Direction) -> String {
    let (tables, mut order) = order(by, direction, compiled.cost());
    let mut tables = tables.and(compiled.tables);
    if by == ClusterOrder::Started && !compiled.tables.cluster && compiled.tables.total {
        // It is there, too.
        tables = compiled.tables;
        order = order.replace("c.started_micros", "t.started_micros");
    }
    let id = tables.id();
    format!(
        "select {id} {} {} {}",
        tables.from(),
        compiled.condition(tables),
        order.replace("{id}", id),
    )
}

/// All clusters, in order.
fn whole(by: ClusterOrder, direction: Direction, cost: &CostSql) -> String {
    if let Some(figure) = figure(by, cost) {
        return by_figure(&figure, Tables::default(), direction, &|_| String::new());
    }
    let (tables, order) = order(by, direction, cost);
    let id = tables.id();
    format!(
        "select {id} {} {}",
        tables.from(),
        order.replace("{id}", id)
    )
}

/// What the list is sorted by and `cluster_total` has, and the index that knows it of clusters that are over.
struct Figure<'a> {
    expression: &'a str,
    index: &'static str,
}

fn figure(by: ClusterOrder, cost: &CostSql) -> Option<Figure<'_>> {
    // Not in order there, and read from there all the same: it is narrow.
    if by == ClusterOrder::Cost && cost.along.is_none() && !cost.cluster {
        return Some(Figure {
            expression: &cost.expression,
            index: "cluster_total_figures",
        });
    }
    let columns = columns(by, cost);
    let known = ORDERS.iter().find(|(column, _)| columns == [*column]);
    known.map(|(expression, index)| Figure { expression, index })
}

/// In the order of a figure: clusters that are over, which an index of those has in order, and between them the few others.
/// No batch of a cluster that lives changes these indexes.
fn by_figure(
    figure: &Figure<'_>,
    also_named: Tables,
    direction: Direction,
    also: &dyn Fn(Tables) -> String,
) -> String {
    let Figure { expression, index } = figure;
    let tables = Tables {
        cluster: also_named.cluster,
        total: true,
    };
    let joined = match tables.cluster {
        true => "cross join cluster as c on c.id = t.cluster_id",
        false => "",
    };
    let part = |index: &str, over: &str, also: &str| {
        format!(
            "select t.cluster_id, {expression} from cluster_total as t indexed by {index} {joined} \
             where t.stop_at_micros {over} {also}"
        )
    };
    let also = also(tables);
    // A condition on the figure itself is a range of the index.
    let within = also.replace(&format!("+{expression} "), &format!("{expression} "));
    let way = way(direction);
    format!(
        "{} union all {} order by 2 {way}, 1 {way}",
        part(index, "is not null", &within),
        part("cluster_total_alive", "is null", &also),
    )
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

/// What the list is sorted by: a fixed text for each choice, and an index for each but the cost.
fn columns(by: ClusterOrder, cost: &CostSql) -> Vec<&str> {
    match by {
        // What was heard of no thread has no cost, and stands where a cost of nothing would.
        ClusterOrder::Cost => vec![cost.along.unwrap_or(&cost.expression)],
        ClusterOrder::Started => vec!["c.started_micros"],
        ClusterOrder::Name => vec!["c.shown_name collate nocase"],
        ClusterOrder::User => vec!["c.user collate nocase", "c.started_micros"],
        ClusterOrder::Host => vec!["c.host collate nocase", "c.started_micros"],
        ClusterOrder::Project => vec!["c.project collate nocase", "c.started_micros"],
        ClusterOrder::Seen => vec!["t.seen_micros"],
        ClusterOrder::LastWork => vec!["t.last_completed_micros"],
        ClusterOrder::Duration => vec!["t.lasted_micros"],
        ClusterOrder::WorkersPeak => vec!["t.workers_peak"],
        ClusterOrder::ThreadsPeak => vec!["t.threads_peak"],
        ClusterOrder::MemoryPeak => vec!["t.memory_peak_bytes"],
        ClusterOrder::TasksCompleted => vec!["t.tasks_completed"],
        ClusterOrder::ComputeSeconds => vec!["t.compute_micros"],
        ClusterOrder::ThreadSeconds => vec!["t.thread_micros"],
        ClusterOrder::StalledSeconds => vec!["t.stalled_micros"],
        ClusterOrder::Efficiency => vec!["t.efficiency"],
        ClusterOrder::Exceptions => vec!["t.exceptions"],
    }
}

/// The order of the list, and the table that has it. Equal rows are ordered by number, so that pages never overlap.
fn order(by: ClusterOrder, direction: Direction, cost: &CostSql) -> (Tables, String) {
    let columns = columns(by, cost);
    let way = way(direction);
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

fn way(direction: Direction) -> &'static str {
    match direction {
        Direction::Ascending => "asc",
        Direction::Descending => "desc",
    }
}

#[cfg(test)]
mod tests;
