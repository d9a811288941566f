-- Only a cluster that is lost can be said to be over: one that reports says so itself.
update cluster_total
set finished_mark_micros = iif(:finished, :now, null)
where
    cluster_id in (select value from json_each(:ids))
    and (not :finished or (stop_at_micros is null and silent_after_micros < :now))
