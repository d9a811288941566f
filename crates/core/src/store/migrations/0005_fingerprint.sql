-- A keyed hash of the normalised code, by which the same computation is recognised in other runs. The key is the file
-- `fingerprint_key` beside this store: from this column alone nothing can be learned of the code but where it is the same.
alter table computation_code add column fingerprint blob;

create index computation_code_fingerprint on computation_code (fingerprint) where fingerprint is not null;
