-- How many spans of a cluster were going on in a time, or hold a task group.
select count(*) from span
where
    cluster_id = :id
    and (:to_micros is null or start_micros < :to_micros)
    and (:from_micros is null or (start_micros is not null and coalesce(stop_micros, :from_micros) >= :from_micros))
    and (:group_id is null or exists (select 1 from json_each(groups) where value = :group_id))
