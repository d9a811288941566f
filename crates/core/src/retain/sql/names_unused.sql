-- Removes texts in (:behind, :last] that nothing refers to. A prefix of groups is in `cluster_prefix`.
delete from name
where
    id > :behind
    and id <= :last
    and not exists (select 1 from cluster_prefix where prefix_id = name.id)
    and not exists (select 1 from exception where type_id = name.id)
    and not exists (select 1 from event where topic_id = name.id)
    and not exists (select 1 from topic where topic_id = name.id)
    and not exists (select 1 from metric where prefix_id = name.id)
    and not exists (select 1 from metric where context_id = name.id)
    and not exists (select 1 from metric where activity_id = name.id)
    and not exists (select 1 from metric where unit_id = name.id)
    and not exists (select 1 from profile where prefix_id = name.id)
