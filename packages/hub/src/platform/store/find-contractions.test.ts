import { expect, it } from "vitest";
import { findContractions } from "./find-contractions.fixture.ts";
import { loadMigrations } from "./migrations.ts";

/** Hubs know of floors since this one. Older migrations never ran beside a hub of another version. */
const firstWithFloors = 24;
/** The first of hubs that share a database. */
const firstShared = 14;

it("a migration that hubs of the version before could mind says which hubs can do without what it takes away", async () => {
  for (const { name, text, floor } of await loadMigrations()) {
    if (Number.parseInt(name, 10) < firstShared) continue;
    const found = floor === undefined ? findContractions(text) : [];
    expect(found, `${name} must begin with "-- contract NNNN" (CONTRIBUTING.md, Migrations)`).toEqual([]);
  }
});

it("a floor is an older migration that knows of floors", async () => {
  for (const { name, text, floor } of await loadMigrations()) {
    if (/^--\s*contract/im.test(text)) expect(floor, `${name}: its first line must be -- contract NNNN`).toBeDefined();
    if (floor === undefined) continue;
    expect(floor, name).toBeGreaterThanOrEqual(firstWithFloors);
    expect(floor, name).toBeLessThan(Number.parseInt(name, 10));
  }
});

it.each([
  ["alter table robot drop column uid", ["drop"]],
  ["DROP TABLE robot", ["drop"]],
  ["alter table robot rename column uid to id", ["rename"]],
  ["alter table robot\n  alter column uid type uuid using uid::uuid", ["alter the type of a column"]],
  ["alter table robot alter uid set data type uuid", ["alter the type of a column"]],
  ["alter table robot alter column description set not null", ["set not null"]],
  ["alter table robot add column a text not null", ["add a column not null without a default"]],
  [
    "alter table robot add column a text default '', add b integer not null",
    ["add a column not null without a default"],
  ],
  ["alter table robot add constraint short check (length(name) < 9)", ["add a constraint"]],
  ["alter table robot add column cluster text references cluster (name)", ["add a constraint"]],
  ["create unique index robot_description on robot (description)", ["a unique index"]],
  ["create or replace function f() returns text language sql as $$ select 'x' $$", ["replace a function"]],
  ["delete from robot", ["delete rows"]],
  ["create table a (id text);\ntruncate robot;", ["delete rows"]],
])("%s is found", (text, expected) => {
  expect(findContractions(text)).toEqual(expected);
});

it.each([
  "create table a (id text primary key, b text not null check (b <> ''), unique (b));\ncreate unique index a_b on a (b);",
  "create table a (id text);\nalter table a add column b text not null;",
  "alter table robot add column a text",
  "alter table robot add column a text not null default 'x'",
  "alter table robot add column a bigint not null generated always as identity",
  "-- This would drop nothing; rename nothing.\ncreate index robot_a on robot (name)",
  "insert into robot (name) values ('drop it; rename it')",
  "create function f() returns trigger language plpgsql as $$ begin delete from robot; drop table x; end $$",
  "update robot set description = null",
])("%s is fine", (text) => {
  expect(findContractions(text)).toEqual([]);
});
