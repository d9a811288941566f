-- Of which kind the file was that a cluster was read from; null for one that a plugin told of.
select source_format from imported where cluster_id = :cluster_id
