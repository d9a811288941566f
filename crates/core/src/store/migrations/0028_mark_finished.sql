-- When a reader said of a silent cluster that it is over. It holds for as long as nothing more is heard of it.
alter table cluster_total add column finished_mark_micros integer;

drop view schema_version;
create view schema_version as select 28 as number;
