import { readFile } from "node:fs/promises";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Store } from "../store/index.ts";
import { openMemoryStore } from "../store/memory-store.fixture.ts";
import { createAlarmStore } from "./alarm-store.ts";
import { openClusters } from "./service.ts";

let store: Store;
beforeAll(async () => {
  store = await openMemoryStore();
}, 120_000);
afterAll(() => store[Symbol.asyncDispose]());

describe("alarms", () => {
  it("stay through reconnects without end", async () => {
    await using clusters = await openClusters({ db: store.db, links: { list: () => [] } });
    await clusters.create({ name: "replaced", roles: ["proxy"] });
    await clusters.recordHello("replaced", { kubeSystemUid: "uid-1" });
    await clusters.recordHello("replaced", { kubeSystemUid: "uid-2" });
    for (let index = 0; index < 110; index += 1) {
      await clusters.recordHello("replaced", { kubeSystemUid: "uid-2" });
      await clusters.recordDisconnect("replaced", "gone");
    }
    expect((await clusters.listEvents("replaced", 1_000)).some(({ level }) => level === "alarm")).toBe(false);
    expect(await clusters.listAlarms("replaced")).toMatchObject([{ type: "connected", count: 1 }]);
    expect(clusters.get("replaced").alarmCount).toBe(1);
  });

  it("of a message without end keep its beginning", async () => {
    await using clusters = await openClusters({ db: store.db, links: { list: () => [] } });
    await clusters.create({ name: "wordy", roles: ["proxy"] });
    await clusters.recordEvent("wordy", { type: "link-misused", level: "alarm", message: "x".repeat(100_000) });
    expect((await clusters.listAlarms("wordy"))[0]?.message).toHaveLength(1_024);
    expect((await clusters.listEvents("wordy", 1))[0]?.message).toHaveLength(1_024);
  });

  it("go with their cluster, and aren't raised for one that is gone", async () => {
    await using clusters = await openClusters({ db: store.db, links: { list: () => [] } });
    await clusters.create({ name: "gone", roles: ["proxy"] });
    await clusters.recordEvent("gone", { type: "link-misused", level: "alarm", message: "m" });
    await clusters.remove("gone");
    await clusters.recordEvent("gone", { type: "link-misused", level: "alarm", message: "m" });
    await clusters.create({ name: "gone", roles: ["proxy"] });
    expect(clusters.get("gone").alarmCount).toBe(0);
    expect(await clusters.listAlarms("gone")).toEqual([]);
  });

  it("of data folders of the version before are found among their events", async () => {
    await sql`insert into cluster (name, labels, roles, created_at) values ('old', '{}', '{proxy}', now())`.execute(
      store.db,
    );
    await sql`delete from cluster_event`.execute(store.db);
    await sql`delete from cluster_alarm`.execute(store.db);
    const at = new Date(Date.UTC(2030, 0, 1));
    for (let index = 0; index < 60; index += 1) {
      const [level, message] = index % 2 === 0 ? ["alarm", `from ${Math.min(index, 50)}`] : ["info", "noise"];
      await sql`insert into cluster_event (cluster, at, level, type, message)
        values ('old', ${new Date(at.getTime() + index)}, ${level}, 'token-misused', ${message})`.execute(store.db);
    }
    const text = await readFile(new URL("../store/migrations/0010-cluster-alarms.sql", import.meta.url), "utf8");
    const [, taking = ""] = /(insert into cluster_alarm[^;]+);/.exec(text) ?? [];
    await sql.raw(taking).execute(store.db);
    const alarms = await createAlarmStore(store.db).list("old");
    expect(alarms).toHaveLength(21);
    expect(alarms[0]).toMatchObject({ isSum: true, message: "from 50", count: 10 });
    expect(alarms.at(-1)).toMatchObject({ isSum: false, message: "from 0", count: 1, firstAt: at.toISOString() });
  });
});
