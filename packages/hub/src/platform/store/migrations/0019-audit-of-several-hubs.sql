-- Several hubs write audit records to this database, each a chain of its own. The first chain has no name, and stays where
-- it is: in audit_block and audit_head, where a hub that knows no other one finds its own records alone.
create table audit_chain (
  chain text collate "C" primary key check (chain <> ''),
  hub text collate "C" not null,
  last_seq bigint not null,
  last_hash text collate "C" not null,
  last_at timestamptz not null,
  act_seq bigint not null,
  anchor_seq bigint not null,
  anchor_hash text collate "C" not null
);

-- `act_seq` is the newest record that isn't about other chains alone: hubs that only name each other's heads would go on
-- with that for ever.
create table audit_chain_block (
  chain text collate "C" not null,
  first_seq bigint not null,
  last_seq bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  users text[] collate "C" not null,
  clusters text[] collate "C" not null,
  last_hash text collate "C" not null,
  lines bytea not null,
  primary key (chain, first_seq)
);

alter table audit_chain_block alter column lines set storage external;

-- The records of all chains are read by their time.
create index audit_chain_block_time on audit_chain_block (last_at, first_at);

create index audit_block_time on audit_block (last_at, first_at);
