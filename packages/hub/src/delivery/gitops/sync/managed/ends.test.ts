import { untilAbort } from "@fairlead/kernel";
import { createMovableClock } from "@fairlead/kernel/testing";
import {
  type GitopsKind,
  type GitopsMapping,
  type GitopsObject,
  gitopsKinds,
  type ReplicaSource,
} from "@fairlead/protocol";
import { afterEach, expect, test } from "vitest";
import { createMemoryHolds, createMemoryOperations } from "../../memory-holds.fixture.ts";
import { createSharedObjects } from "../../shared/index.ts";
import type { HubObjects, HubObjectsHandler } from "../../types.ts";
import { createManagedEnds } from "./ends.ts";

const ending: AbortController[] = [];
afterEach(() => {
  for (const controller of ending.splice(0)) controller.abort();
});

test("a cluster with the name of Argo CD's own namespace gets nothing", () => {
  expect(() => open("argocd")).toThrow(expect.objectContaining({ code: "GITOPS_NAMESPACE_ARGO" }));
});

test("nothing is said of repositories before it is known which projects the cluster has", () => {
  const { handlers, sourceOf } = open("east");
  const repositories = sourceOf("repositories");
  repositories.connect();
  handlers.get("repositories")?.listed([repository("r", "shop")]);
  expect(repositories.status().state).toBe("listing");
  handlers.get("projects")?.unavailable("forbidden");
  expect(repositories.status().state).toBe("listing");
  handlers.get("projects")?.listed([project("shop", "east")]);
  expect(repositories.status()).toMatchObject({ state: "comparing", objects: 1 });
});

test("projects that can't be read any more take nothing away", () => {
  const { handlers, sourceOf } = open("east");
  handlers.get("projects")?.listed([project("shop", "east"), project("bank", "west")]);
  handlers.get("repositories")?.listed([repository("r", "shop"), repository("s", "bank")]);
  handlers.get("projects")?.unavailable("forbidden");
  expect([sourceOf("projects").status().objects, sourceOf("repositories").status().objects]).toEqual([1, 1]);
});

test("of clusters that share what the hub reads, each gets what is for it", () => {
  const { handlers, sourceOf, another } = open("east");
  const west = another("west");
  handlers.get("projects")?.listed([project("shop", "east"), project("bank", "west"), project("all", "*")]);
  handlers.get("repositories")?.listed([repository("r", "shop"), repository("s", "all"), repository("t", undefined)]);
  const counts = (of: typeof sourceOf) => [of("projects").status().objects, of("repositories").status().objects];
  expect([counts(sourceOf), counts(west)]).toEqual([
    [2, 2],
    [2, 1],
  ]);
});

test("a hub that can't keep Secrets offers no flow of them", () => {
  const { flows } = open("east", { kinds: gitopsKinds.filter((kind) => kind !== "repositories") });
  expect(flows).toEqual(["applications", "gpg-keys", "known-hosts", "projects", "tls-certs"]);
});

test("by destination a hub without an Argo CD gives nothing", () => {
  expect(() => open("east", { mapping: "destination" })).toThrow(
    expect.objectContaining({ code: "GITOPS_MAPPING_NEEDS_ARGO" }),
  );
});

function open(
  cluster: string,
  {
    kinds = gitopsKinds,
    mapping = "namespace",
  }: { readonly kinds?: readonly GitopsKind[]; readonly mapping?: GitopsMapping } = {},
) {
  const handlers = new Map<GitopsKind, HubObjectsHandler>();
  const objects = {
    kinds: new Set(kinds),
    watch({ kind, handler, signal }: Parameters<HubObjects["watch"]>[0]) {
      handlers.set(kind, handler);
      return untilAbort(signal);
    },
    get: () => Promise.resolve(undefined),
  } as unknown as HubObjects;
  const ignore = (): void => undefined;
  const log = { warn: ignore, info: ignore };
  const clock = createMovableClock();
  const sharing = { argoNamespace: "argocd", sharesGlobalRepositories: false, publicUrl: undefined };
  const shared = createSharedObjects({ objects, namespace: sharing.argoNamespace, clock, log });
  const openOne = (name: string) => {
    const controller = new AbortController();
    ending.push(controller);
    const { sources } = createManagedEnds({
      objects,
      shared,
      sharing,
      clock,
      log,
      namespace: name,
      fence: { cluster: name, term: 1n },
      mapping,
      destined: undefined,
      onWork: ignore,
      onFenced: ignore,
      random: () => 0.5,
      signal: controller.signal,
      limits: { maxUnackedEntries: 64, maxUnackedBytes: 1_000_000, maxEntryBytes: 1_000_000 },
      rules: { guardPercent: 20, guardMin: 5 },
      holds: createMemoryHolds(),
      keptOperations: createMemoryOperations(),
    });
    return sources;
  };
  const sources = openOne(cluster);
  const readerOf =
    (of: ReadonlyMap<string, ReplicaSource>) =>
    (flow: string): ReplicaSource => {
      const source = of.get(flow);
      if (source === undefined) throw new Error(`there is no flow ${flow}`);
      return source;
    };
  return {
    handlers,
    flows: [...sources.keys()].sort(),
    sourceOf: readerOf(sources),
    another: (name: string) => readerOf(openOne(name)),
  };
}

function project(name: string, destination: string): GitopsObject {
  const spec = { destinations: [{ name: destination, namespace: "*" }], sourceNamespaces: ["*"] };
  const metadata = { name, namespace: "argocd", uid: `project-${name}` };
  return { apiVersion: "argoproj.io/v1alpha1", kind: "AppProject", metadata, spec };
}

function repository(name: string, projectName: string | undefined): GitopsObject {
  const data = projectName === undefined ? {} : { project: Buffer.from(projectName).toString("base64") };
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "argocd", uid: `secret-${name}` }, data };
}
