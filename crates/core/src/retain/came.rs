//! Whether a row came in a report that was received later than what it tells of: the one rule of what is removed by a time of
//! its own, and of what is said beforehand about it.

/// Which report brought a row is told by its number.
const LATER: &str = "exists (
    select 1
    from instance as i
    where
        i.cluster_id = {row}.cluster_id
        and i.rank = {row}.rank
        and (
            select b.received_micros
            from batch as b
            where b.instance_id = i.id and b.first_seq <= {row}.seq
            order by b.first_seq desc
            limit 1
        ) >= {before}
)";

/// A statement with the rule where it names it: `'{c came later}'` of code, `'{x came later}'` of exceptions.
pub(super) fn with_rule(sql: &str, before: &str) -> String {
    ["c", "x"].into_iter().fold(sql.to_owned(), |sql, row| {
        let rule = LATER.replace("{row}", row).replace("{before}", before);
        sql.replace(&format!("'{{{row} came later}}'"), &rule)
    })
}
