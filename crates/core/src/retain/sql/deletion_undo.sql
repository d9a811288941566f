delete from deletion where begun = 0 and cluster_id in (select value from json_each(:ids))
