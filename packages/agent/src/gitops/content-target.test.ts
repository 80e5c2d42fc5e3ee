import { setImmediate as turn } from "node:timers/promises";
import { systemClock } from "@fairlead/kernel";
import type { KubeClient, KubeRequest } from "@fairlead/kube";
import { type Application, type GitopsObject, toContent, toProjectPart, toSpecPart } from "@fairlead/protocol";
import pino from "pino";
import { expect, test } from "vitest";
import { type ClusterWriter, createClusterWriter, type WriteResult } from "./cluster-writer.ts";
import { createContentTarget } from "./content-target.ts";
import { createFollowedKind } from "./followed-kind.ts";
import { hubApplication } from "./scripted-hub.fixture.ts";
import type { HubSettings } from "./types.ts";

test("a hub that sends a thousand applications at once has sixteen written at a time, and all in the end", async () => {
  const waiting: (() => void)[] = [];
  let most = 0;
  let made = 0;
  const client = {
    async request({ body }: KubeRequest) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      most = Math.max(most, waiting.length);
      await promise;
      made++;
      const object = body as Application;
      return { ...object, metadata: { ...object.metadata, uid: `own-${made}`, resourceVersion: `${made}` } };
    },
  } as unknown as KubeClient;
  const common = { client, clock: systemClock, log: pino({ level: "silent" }), onWork: () => undefined };
  const { signal } = new AbortController();
  const followed = createFollowedKind({
    ...common,
    kind: "applications",
    namespaces: ["argocd"],
    onFailure: () => undefined,
  });
  followed.cache.list("argocd", []);
  const target = createContentTarget({
    ...common,
    followed,
    signal,
    argoNamespace: "argocd",
    usersOf: () => [],
    writer: createClusterWriter({ ...common, followed, signal }),
    settings,
  });
  target.connect();
  for (let index = 0; index < 1000; index++) {
    const application = hubApplication(`app-${index}`, `uid-${index}`);
    const content = toContent(application.metadata, toSpecPart(application));
    target.receive({ type: "entry", uid: `uid-${index}`, generation: index + 1, ...content });
  }
  while (made < 1000) {
    await turn();
    for (const release of waiting.splice(0)) release();
  }
  await turn();
  expect(most).toBe(16);
  expect(target.status()).toEqual({ objects: 1000, applying: 0, drifted: 0 });
});

test("a project that isn't the cluster's any more allows its applications nothing, isn't put back, and goes after them", async () => {
  const log = pino({ level: "silent" });
  const common = { client: {} as KubeClient, clock: systemClock, log, onWork: () => undefined };
  const followed = createFollowedKind({
    ...common,
    kind: "projects",
    namespaces: ["argocd"],
    onFailure: () => undefined,
  });
  const { cache } = followed;
  cache.list("argocd", []);
  let version = 0;
  const put = async (object: GitopsObject): Promise<WriteResult> => {
    const metadata = { ...object.metadata, uid: "own", resourceVersion: String(++version) };
    const written = { ...object, metadata };
    cache.take(written);
    return { is: "written", object: written };
  };
  const remove = async (object: GitopsObject): Promise<WriteResult> => {
    cache.drop(object);
    return { is: "conflict" };
  };
  const writer = { create: put, replace: put, remove } as unknown as ClusterWriter;
  const users = ["argocd/web"];
  const { signal } = new AbortController();
  const target = createContentTarget({
    ...common,
    followed,
    signal,
    argoNamespace: "argocd",
    usersOf: () => users,
    writer,
    settings,
  });
  target.connect();
  const project = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "AppProject",
    metadata: { name: "shop", namespace: "argocd" },
  };
  const part = toProjectPart({ ...project, spec: { destinations: [{ name: "in-cluster" }] } });
  target.receive({ type: "entry", uid: "u1", generation: 1, ...toContent(project.metadata, part) });
  await turn();
  const departure = { finalizers: [], isWithdrawn: true };
  target.receive({ type: "absent", uid: "u1", generation: 2, departure });
  for (let turns = 0; turns < 5; turns += 1) await turn();
  target.take();
  for (let turns = 0; turns < 5; turns += 1) await turn();
  expect(cache.copyOf("u1")?.["spec"]).toEqual({ destinations: [] });
  users.pop();
  target.receive({ type: "absent", uid: "u1", generation: 3, departure });
  for (let turns = 0; turns < 5; turns += 1) await turn();
  expect(cache.copyOf("u1")).toBeUndefined();
});

const settings: HubSettings = {
  mode: "managed",
  mapping: "namespace",
  hubNamespace: "east",
  remappedNamespaces: [],
  hubUid: "hub",
  flows: [],
  maxUnackedEntries: 1,
  maxUnackedBytes: 1,
  rules: { onUidMismatch: "recreate", adoption: "always", onRecreate: "ignore", createsNamespaces: false },
};
