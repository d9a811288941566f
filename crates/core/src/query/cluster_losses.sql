-- What is missing from the record of a cluster.
select
    (select cast(total(missing_records) as integer) from gap where cluster_id = :id) as missing_records,
    (
        select coalesce(sum(b.refused), 0)
        from batch as b
        join instance as i on i.id = b.instance_id
        where i.cluster_id = :id
    ) as refused_records,
    (
        select coalesce(sum(b.kept), 0)
        from batch as b
        join instance as i on i.id = b.instance_id
        where i.cluster_id = :id
    ) as kept_unknown,
    (select coalesce(sum(conflicts), 0) from instance where cluster_id = :id) as conflicts,
    (select coalesce(sum(unchecked), 0) from instance where cluster_id = :id) as unchecked
