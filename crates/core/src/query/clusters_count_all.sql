-- How many clusters there are, without those whose deletion was begun.
select (select count(*) from cluster) - (select count(*) from deletion where begun = 1)
