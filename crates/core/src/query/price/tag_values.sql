-- The values of one tag, each once.
select distinct value from tag where name = :name order by value limit 100000
