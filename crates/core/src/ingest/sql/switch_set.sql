insert or replace into cluster_switch (
    cluster_id, code_off_micros, profile_off_micros, exceptions_off_micros, names_off_micros, user_off_micros,
    host_off_micros, paths_off_micros, events_off_micros, events_allow
)
values (
    :cluster_id, :code_off_micros, :profile_off_micros, :exceptions_off_micros, :names_off_micros, :user_off_micros,
    :host_off_micros, :paths_off_micros, :events_off_micros, :events_allow
)
