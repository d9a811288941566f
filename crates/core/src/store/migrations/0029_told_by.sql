-- Which bundle tells a cluster where a team's hub took it, by its SHA-256, and for whom where that is another member.
alter table imported add column told_by text;

drop view schema_version;
create view schema_version as select 29 as number;
