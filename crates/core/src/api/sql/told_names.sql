-- Every name of a user as clusters said it, or of a host.
select distinct iif(:host, host, said_user) as name from cluster where iif(:host, host, said_user) is not null order by name
