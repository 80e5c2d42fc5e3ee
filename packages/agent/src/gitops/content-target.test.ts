import { setImmediate as turn } from "node:timers/promises";
import { systemClock } from "@fairlead/kernel";
import type { KubeClient, KubeRequest } from "@fairlead/kube";
import { type Application, toContent, toSpecPart } from "@fairlead/protocol";
import pino from "pino";
import { expect, test } from "vitest";
import { createClusterWriter } from "./cluster-writer.ts";
import { createContentTarget } from "./content-target.ts";
import { createFollowedKind } from "./followed-kind.ts";
import { hubApplication } from "./scripted-hub.fixture.ts";

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
    writer: createClusterWriter({ ...common, followed, signal }),
    settings: {
      mode: "managed",
      mapping: "namespace",
      hubNamespace: "east",
      remappedNamespaces: [],
      hubUid: "hub",
      flows: [],
      maxUnackedEntries: 1,
      maxUnackedBytes: 1,
      rules: { onUidMismatch: "recreate", adoption: "always", onRecreate: "ignore", createsNamespaces: false },
    },
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
