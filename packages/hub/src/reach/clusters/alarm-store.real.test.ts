import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Store } from "../../platform/store/index.ts";
import { openMemoryStore } from "../../platform/store/memory-store.fixture.ts";
import { createPresence } from "./presence.fixture.ts";
import { openClusters } from "./service.ts";

let store: Store;
beforeAll(async () => {
  store = await openMemoryStore();
}, 120_000);
afterAll(() => store[Symbol.asyncDispose]());

describe("alarms", () => {
  it("stay through reconnects without end", async () => {
    await using clusters = await openClusters({ db: store.db, links: createPresence() });
    await clusters.create({ name: "replaced", roles: ["proxy"] });
    await clusters.recordHello("replaced", { kubeSystemUid: "uid-1" });
    await clusters.recordHello("replaced", { kubeSystemUid: "uid-2" });
    for (let index = 0; index < 110; index += 1) {
      await clusters.recordHello("replaced", { kubeSystemUid: "uid-1" });
      await clusters.recordDisconnect("replaced", "gone");
    }
    expect((await clusters.listEvents("replaced", 1_000)).some(({ level }) => level === "alarm")).toBe(false);
    expect(await clusters.listAlarms("replaced")).toMatchObject([{ type: "cluster-replaced", count: 1 }]);
    expect(clusters.get("replaced").alarmCount).toBe(1);
  });

  it("of a message without end keep its beginning", async () => {
    await using clusters = await openClusters({ db: store.db, links: createPresence() });
    await clusters.create({ name: "wordy", roles: ["proxy"] });
    await clusters.recordEvent("wordy", { type: "link-misused", level: "alarm", message: "x".repeat(100_000) });
    expect((await clusters.listAlarms("wordy"))[0]?.message).toHaveLength(1_024);
    expect((await clusters.listEvents("wordy", 1))[0]?.message).toHaveLength(1_024);
  });

  it("go with their cluster, and aren't raised for one that is gone", async () => {
    await using clusters = await openClusters({ db: store.db, links: createPresence() });
    await clusters.create({ name: "gone", roles: ["proxy"] });
    await clusters.recordEvent("gone", { type: "link-misused", level: "alarm", message: "m" });
    await clusters.remove("gone");
    await clusters.recordEvent("gone", { type: "link-misused", level: "alarm", message: "m" });
    await clusters.create({ name: "gone", roles: ["proxy"] });
    expect(clusters.get("gone").alarmCount).toBe(0);
    expect(await clusters.listAlarms("gone")).toEqual([]);
  });
});
