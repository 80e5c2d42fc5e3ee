import { expect, it } from "vitest";
import { findContractions, findFaults } from "./find-contractions.fixture.ts";
import { loadMigrations, toMigration } from "./migrations.ts";

const firstLine = "its first line must be -- contract NNNN";
const olderFloor = "its floor must be the number of an older migration";

it("each migration lives with hubs of the previous version, or says which hubs can do without what it takes away", async () => {
  const migrations = await loadMigrations();
  expect(migrations.length).toBeGreaterThan(0);
  for (const migration of migrations) expect(findFaults(migration), `${migration.name} (CONTRIBUTING.md)`).toEqual([]);
});

it.each([
  ["takes away and says nothing", "drop table robot;\n", ["it must begin with -- contract NNNN: drop"]],
  ["takes away what hubs from 0006 on can do without", "-- contract 0006\ndrop table robot;\n", []],
  ["says so in another line than the first", "\n-- contract 0006\ndrop table robot;\n", [firstLine]],
  ["says so in words", "-- contract six\ndrop table robot;\n", [firstLine]],
  ["names itself", "-- contract 0007\ndrop table robot;\n", [olderFloor]],
  ["names one that is yet to come", "-- contract 0008\ndrop table robot;\n", [olderFloor]],
  ["adds", "alter table robot add column note text;\n", []],
])("a migration that %s", (_what, text, expected) => {
  expect(findFaults(toMigration("0007-example.sql", text))).toEqual(expected);
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
