-- What makes two failures the same one, whatever cluster they happened in: a keyed hash, with the key of
-- `computation_code.fingerprint`, in hexadecimal.
alter table exception add column fingerprint text not null default '';

-- What was stored before is of one kind each until it is heard of again: their tracebacks are sealed.
update exception set fingerprint = printf('%032x', id);

create index exception_kind on exception (fingerprint, last_seen_micros);
