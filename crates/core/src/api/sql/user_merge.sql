-- A name counts as a person from now on.
insert into user_merge (user, person) values (:user, :person)
on conflict (user) do update set person = excluded.person
