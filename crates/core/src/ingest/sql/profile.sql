insert or ignore into profile (
    instance_id, seq, from_micros, to_micros, prefix_id, samples, sample_micros, unattributed
)
select
    :instance_id, :seq, :from_micros, :to_micros, :prefix_id, :samples, :sample_micros, :unattributed
where not exists (select 1 from profile_merged where instance_id = :instance_id and seq = :seq)
