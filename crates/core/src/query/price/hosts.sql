-- The machines of all schedulers, each once.
select distinct host collate nocase as host from cluster where host is not null order by host collate nocase limit 100000
