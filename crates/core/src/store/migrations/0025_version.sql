-- The number of the schema once more: the one in SQLite's head of the file may be damaged. Each later step makes it anew.
create view schema_version as select 25 as number;
