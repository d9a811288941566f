-- How many clusters there are.
select count(*) from cluster
