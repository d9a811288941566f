-- Code is not stored again.
insert into code_forgotten (fingerprint, at_micros) values (:fingerprint, :now) on conflict do nothing
