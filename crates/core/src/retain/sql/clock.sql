-- What is believed of the clock.
select trusted_micros, ahead_micros from retention_clock
