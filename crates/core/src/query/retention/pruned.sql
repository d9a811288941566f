-- What was removed of a cluster.
select category, at_micros, rule_days, records from pruned where cluster_id = :id order by category
