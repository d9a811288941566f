-- All projects, each once.
select distinct project collate nocase as project from cluster where project is not null order by project collate nocase limit 100000
