-- Code of computations from before :before that did not come later. Which report brought it is told by its number.
delete from computation_code
where
    cluster_id = :cluster_id
    and computation_id in (
        select c.computation_id
        from computation_code as c
        where
            c.cluster_id = :cluster_id
            and c.at_micros < :before
            and not exists (
                select 1
                from instance as i
                where
                    i.cluster_id = c.cluster_id
                    and i.rank = c.rank
                    and (
                        select b.received_micros
                        from batch as b
                        where b.instance_id = i.id and b.first_seq <= c.seq
                        order by b.first_seq desc
                        limit 1
                    ) >= :before
            )
        limit :limit
    )
