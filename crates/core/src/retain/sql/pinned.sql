-- Clusters that are pinned, of which there are few.
select id from cluster indexed by cluster_pinned where pinned_micros is not null order by id
