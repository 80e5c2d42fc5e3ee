-- Until somebody has used the admin token of the first start, each start makes another one. What an older hub made may have
-- been used.
alter table admin_token add column used_at timestamptz;

update admin_token set used_at = created_at;
