-- Clusters that were there in a stretch of time are found in one index: those seen since its beginning, and of each there
-- when it began, without its row.
drop index cluster_total_seen;
create index cluster_total_seen on cluster_total (seen_micros, first_at_micros);

-- Those without code and those without exceptions, as those with them.
create index cluster_total_no_codes on cluster_total (started_micros) where codes = 0;
create index cluster_total_no_exceptions on cluster_total (started_micros) where exceptions = 0;
