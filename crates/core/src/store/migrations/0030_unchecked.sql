-- Reports that came again once they were folded: whether their bytes were the same is not known. What came first stands.
alter table instance add column unchecked integer not null default 0;

drop view schema_version;
create view schema_version as select 30 as number;
