-- Whether more computations than this have this fingerprint.
select count(*) > :stored
from (select 1 from computation_code where fingerprint = :fingerprint limit :stored + 1)
