insert into pruned (cluster_id, category, at_micros, rule_days, records)
values (:cluster_id, :category, :now, :rule_days, :records)
on conflict (cluster_id, category) do update set
    at_micros = excluded.at_micros,
    rule_days = excluded.rule_days,
    records = records + excluded.records
