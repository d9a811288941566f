-- Clusters whose deletion was begun.
select cluster_id from deletion where begun = 1
