-- The samples of an instance.
select s.*, w.each, w.bands
from sample as s
left join sample_worker as w on w.instance_id = s.instance_id and w.seq = s.seq
where s.instance_id = :instance_id
order by s.seq
