-- Removes texts in (:behind, :last] that nothing refers to. A prefix of groups is in `cluster_prefix`, and what metrics use in
-- `metric_word`.
delete from name
where
    id > :behind
    and id <= :last
    and not exists (select 1 from cluster_prefix where prefix_id = name.id)
    and not exists (select 1 from exception where type_id = name.id)
    and not exists (select 1 from event where topic_id = name.id)
    and not exists (select 1 from topic where topic_id = name.id)
    and not exists (select 1 from metric_word where name_id = name.id)
    and not exists (select 1 from profile where prefix_id = name.id)
