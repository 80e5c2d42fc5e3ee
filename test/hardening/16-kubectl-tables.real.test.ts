// Every kind that Kubernetes itself has, observed by default or not, in kubectl's columns and with kubectl's blanks.
import { createKubeClient, Fields, type KubeClient, loadKubeconfig } from "@fairlead/kube";
import { startCluster, type TestCluster } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findBuiltIn, findPrinter } from "../../packages/hub/src/picture/tables/index.ts";
import { builtInObjects } from "./built-in-objects.ts";

let cluster: TestCluster;
let client: KubeClient;
let kinds: readonly ServedKind[];

beforeAll(async () => {
  const gates = ["--runtime-config=api/all=true", "--feature-gates=AllAlpha=true,AllBeta=true"];
  cluster = await startCluster({ name: "columns", nodes: 1, extraArgs: { "kube-apiserver": gates } });
  client = createKubeClient({ access: await loadKubeconfig({ path: cluster.adminKubeconfig }) });
  const input = JSON.stringify({ apiVersion: "v1", kind: "List", items: builtInObjects });
  await cluster.kubectl(["apply", "--server-side", "-f", "-"], { input });
  kinds = await discover();
}, 300_000);

afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

describe("16: tables of built-in kinds", () => {
  test("every kind is known by the names that the API server gives it", () => {
    expect(kinds.length).toBeGreaterThan(60);
    for (const { kind, namespaced, kindName, shortNames } of kinds) {
      expect(findBuiltIn(kind), kind).toMatchObject({ kind, namespaced, kindName, shortNames });
    }
  });

  test("have kubectl's columns and cells", { timeout: 120_000 }, async () => {
    const shownKinds: string[] = [];
    for (const { kind, path } of kinds) {
      const table = await client.request<Table>({
        path: `${path}?includeObject=Object`,
        headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
      });
      const printer = findPrinter(kind);
      const shape = (column: { name: string; priority: number }): string => `${column.name} ${column.priority}`;
      expect.soft(printer.columns.map(shape), kind).toEqual(table.columnDefinitions.map(shape));
      if ((table.rows ?? []).length > 0) shownKinds.push(kind);
      for (const { cells, object } of table.rows ?? []) {
        const ours = printer.cells(new Fields(object), Date.now());
        const theirs = cells.slice(0, printer.columns.length);
        const isAge = (index: number): boolean => printer.columns[index]?.type === "date";
        expect
          .soft(
            ours.map((cell, index) => toComparable(isAge(index) ? theirs[index] : cell)),
            kind,
          )
          .toEqual(theirs.map(toComparable));
      }
    }
    expect(shownKinds.length).toBeGreaterThan(45);
  });
});

interface ServedKind {
  readonly kind: string;
  readonly kindName: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly path: string;
}

interface Table {
  readonly columnDefinitions: { name: string; priority: number }[];
  readonly rows: { readonly cells: unknown[]; readonly object: unknown }[] | null;
}

/** Each kind once, in the version that its group prefers. */
async function discover(): Promise<ServedKind[]> {
  const { groups } = await client.request<{ groups: Group[] }>({ path: "/apis" });
  const versions = groups.flatMap(({ name, preferredVersion, versions: all }) =>
    [preferredVersion, ...all].map(({ groupVersion }) => ({ group: name, path: `/apis/${groupVersion}` })),
  );
  const found = new Map<string, ServedKind>();
  for (const { group, path } of [{ group: "", path: "/api/v1" }, ...versions]) {
    const { resources } = await client.request<{ resources: Resource[] }>({ path });
    for (const { name, kind: kindName, namespaced, shortNames = [], verbs } of resources) {
      const kind = group === "" ? name : `${name}.${group}`;
      if (name.includes("/") || !verbs.includes("list") || found.has(kind)) continue;
      found.set(kind, { kind, kindName, namespaced, shortNames, path: `${path}/${name}` });
    }
  }
  return [...found.values()];
}

interface Group {
  readonly name: string;
  readonly preferredVersion: { readonly groupVersion: string };
  readonly versions: readonly { readonly groupVersion: string }[];
}

interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** Spans run on between the two looks; nothing is a blank, and `<none>` isn't. */
function toComparable(cell: unknown): string {
  return String(cell ?? "").replace(/\b\d+s\b|\b\d+m\d*s?\b/g, "SPAN");
}
