-- Names that counted as another go along with it.
update user_merge set person = :person where person = :user
