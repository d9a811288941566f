select
    (select count(*) from cluster_switch) as clusters,
    (select count(*) from code_forgotten) as forgotten_codes
