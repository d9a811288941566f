-- The numbers of the clusters that match, one page of them. The line of the order is replaced by another of a fixed list.
select c.id
from cluster as c
join cluster_total as t on t.cluster_id = c.id
where
    (:text is null or (
        c.name like :text escape '\' or c.scheduler_id like :text escape '\' or c.user like :text escape '\'
        or c.host like :text escape '\' or c.project like :text escape '\' or c.tags like :text escape '\'
    ))
    and (:label is null or c.label = :label)
    and (:user is null or c.user = :user)
    and (:from_micros is null or coalesce(t.sample_at_micros, c.started_micros) >= :from_micros)
    and (:to_micros is null or c.first_at_micros < :to_micros)
    and (:states is null or case
        when t.stop_at_micros is not null then :states & 1
        when t.silent_after_micros < :now then :states & 2
        when t.idle_since_micros is not null then :states & 4
        else :states & 8
    end)
order by c.started_micros desc, c.id desc
limit :limit offset :offset
