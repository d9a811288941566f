-- Whether a sample is the first of its cluster, and whether it is the latest of all its instances.
select
    samples = 0,
    sample_at_micros is null or (sample_at_micros, sample_seq, sample_rank) < (:at_micros, :seq, :rank)
from cluster_total
where cluster_id = :cluster_id
