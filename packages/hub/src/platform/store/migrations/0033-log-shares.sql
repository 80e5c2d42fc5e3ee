-- What a command's log takes as it is kept, compressed; null for one that a hub of before began.
alter table command_log add column stored_bytes bigint;
-- When it grew last: a long log may still come when its command has ended.
alter table command_log add column grown_at timestamptz;
