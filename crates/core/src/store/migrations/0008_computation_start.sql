-- The last computations of a cluster are found without walking all of them.
create index computation_start on computation (cluster_id, start_micros);
