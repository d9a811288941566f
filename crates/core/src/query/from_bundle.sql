-- Whether a cluster came in a bundle, and what became of its fields there.
select imported_micros, as_of_micros, choice ->> 'level' as level, choice ->> 'identities' as identities, fields,
    source_format
from imported
where cluster_id = :id
