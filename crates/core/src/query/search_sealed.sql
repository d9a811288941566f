-- How many sealed texts there are to look through.
select
    (
        select count(*) from exception
        where message_sealed is not null and cluster_id not in (select cluster_id from deletion where begun = 1)
    ) as messages,
    (select count(*) from computation_code where cluster_id not in (select cluster_id from deletion where begun = 1)) as code
