// What a migration must not do to hubs of the previous version, which run on the same database.
import type { Migration } from "./migrations.ts";

/** What is wrong with a migration as a whole; empty for a good one. */
export function findFaults({ name, text, floor }: Migration): string[] {
  if (floor === undefined) {
    if (/^--\s*contract/im.test(text)) return ["its first line must be -- contract NNNN"];
    return findContractions(text).map((what) => `it must begin with -- contract NNNN: ${what}`);
  }
  if (floor < 1 || floor >= Number.parseInt(name, 10)) return ["its floor must be the number of an older migration"];
  return [];
}

/** Statements that take away or narrow what is there. Tables that the same migration makes are exempt. */
export function findContractions(text: string): string[] {
  const statements = text
    .replace(/--.*$/gm, "")
    .replace(/\$(\w*)\$.*?\$\1\$/gs, "''")
    .replace(/'(?:[^']|'')*'/g, "''")
    .toLowerCase()
    .split(";")
    .map((statement) => statement.replace(/\s+/g, " ").trim());
  const own = new Set(statements.flatMap((statement) => makesTable.exec(statement)?.[1] ?? []));
  return statements.flatMap((statement) => {
    if (own.has(touchesTable.exec(statement)?.[1] ?? "")) return [];
    const addsStrictColumn = addedColumns(statement).some(
      (column) => /not null/.test(column) && !hasValue.test(column),
    );
    return [
      ...(addsStrictColumn ? ["add a column not null without a default"] : []),
      ...rules.flatMap(([what, pattern]) => (pattern.test(statement) ? [what] : [])),
    ];
  });
}

const makesTable = /^create (?:unlogged )?table (?:if not exists )?([\w.]+)/;
const touchesTable = /^(?:alter table|create unique index .*? on|drop index .*? on) (?:if exists )?(?:only )?([\w.]+)/;
const hasValue = /\b(?:default|generated)\b/;

const rules: readonly (readonly [string, RegExp])[] = [
  ["drop", /\bdrop\b/],
  ["rename", /\brename\b/],
  ["set not null", /\bset not null\b/],
  ["alter the type of a column", /\balter (?:column )?\w+ (?:set data )?type\b/],
  [
    "add a constraint",
    /^alter table .*\b(?:add (?:constraint|check|unique|primary key|foreign key|exclude)|references|check \()/,
  ],
  ["a unique index", /^create unique index\b/],
  ["replace a function", /\bcreate or replace\b/],
  ["delete rows", /^(?:delete|truncate)\b/],
  ["take a right", /^revoke\b/],
];

function addedColumns(statement: string): string[] {
  if (!statement.startsWith("alter table")) return [];
  return statement.split(/\badd (?:column )?(?:if not exists )?/).slice(1);
}
