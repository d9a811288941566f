-- Records of an instance that never arrived.
select missing_records, from_micros, to_micros
from gap
where cluster_id = :cluster_id and instance_id = :instance_id
order by first_seq
