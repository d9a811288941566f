-- What was counted before is counted again, unless the samples that it was counted from were removed.
delete from stalled_hour
where
    cluster_id = :cluster_id
    and not exists (select 1 from instance as i where i.cluster_id = :cluster_id and i.samples_from_seq is not null)
