// Compares declarations with the things that there are. Pure.

import type { DeclarationItem, DeclarationList } from "@fairlead/contract";
import type { FairleadError } from "@fairlead/kernel";
import type { Finding } from "./part.ts";
import type { Declarations, DeclaredKind, OwnedThing } from "./types.ts";

export type DeclarationsStatus = DeclarationList;

export interface Drift {
  readonly atMs: number;
  readonly detail: string;
}

export function describeStatus(options: {
  readonly folder: string;
  readonly readMs: number;
  readonly keepsNothing: boolean;
  readonly problem: { readonly error: FairleadError; readonly sinceMs: number } | undefined;
  readonly wanted: Declarations;
  readonly owned: readonly OwnedThing[];
  readonly kept: readonly Finding[];
  readonly drifts: ReadonlyMap<string, Drift>;
  readonly present: readonly { readonly kind: DeclaredKind; readonly name: string }[];
}): DeclarationList {
  const { folder, readMs, keepsNothing, problem, wanted, owned, kept, drifts, present } = options;
  const files = new Map(listDocuments(wanted).map(({ kind, name, file }) => [`${kind} ${name}`, file]));
  const things = new Map(owned.map((thing) => [`${thing.kind} ${thing.name}`, thing]));
  const there = new Set(present.map(({ kind, name }) => `${kind} ${name}`));
  const keys = new Set([...files.keys(), ...things.keys(), ...there]);
  return {
    folder,
    keepsNothing,
    readAt: toText(readMs),
    ...(problem && { problem: toProblem(problem) }),
    items: [...keys].sort().map(toItem),
  };

  function toItem(key: string): DeclarationItem {
    const [kind = "", name = ""] = key.split(" ");
    const file = files.get(key);
    const drift = drifts.get(key);
    return {
      kind: kind as DeclaredKind,
      name,
      ...judge(key),
      ...(file === undefined ? {} : { file }),
      ...(drift && { drift: { at: toText(drift.atMs), detail: drift.detail } }),
    };
  }

  function judge(key: string): Pick<DeclarationItem, "state" | "detail"> {
    const thing = things.get(key);
    if (files.has(key)) {
      const isInForce =
        key === "Limits hub" || (there.has(key) && thing?.withdrawnMs === undefined && thing !== undefined);
      return isInForce ? { state: "declared" } : { state: "missing", detail: "it is declared, and isn't there yet" };
    }
    const finding = kept.find(({ kind, name }) => `${kind} ${name}` === key);
    if (finding) return { state: "kept", detail: finding.detail };
    if (thing === undefined) return { state: "undeclared" };
    return { state: "withdrawn", detail: `it was declared in ${thing.file}, and isn't any more` };
  }
}

function listDocuments(wanted: Declarations): Pick<OwnedThing, "kind" | "name" | "file">[] {
  const of = (kind: DeclaredKind, all: readonly { readonly name: string; readonly file: string }[]) =>
    all.map(({ name, file }) => ({ kind, name, file }));
  return [
    ...of("Cluster", wanted.clusters),
    ...of("Role", wanted.roles),
    ...of("Binding", wanted.bindings),
    ...of("Robot", wanted.robots),
    ...(wanted.limits ? of("Limits", [{ name: "hub", file: wanted.limits.file }]) : []),
  ];
}

function toProblem({ error, sinceMs }: { readonly error: FairleadError; readonly sinceMs: number }) {
  const { code, message, hint } = error;
  return { code, message, ...(hint === undefined ? {} : { hint }), since: toText(sinceMs) };
}

function toText(atMs: number): string {
  return new Date(atMs).toISOString();
}
