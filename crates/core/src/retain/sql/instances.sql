-- The instances of a cluster, the first record of each that neither is from before :before nor came before it (none if all
-- are; all of them go if :before is null), and its latest sample.
select
    i.id,
    (
        select b.first_seq
        from batch as b
        where b.instance_id = i.id and max(b.last_at_micros, b.received_micros) >= :before
        order by b.first_seq
        limit 1
    ) as from_seq,
    (select max(s.seq) from sample as s where s.instance_id = i.id) as last_sample_seq
from instance as i
where i.cluster_id = :cluster_id
