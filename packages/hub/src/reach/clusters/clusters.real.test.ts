import { createMovableClock } from "@fairlead/kernel/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Store } from "../../platform/store/index.ts";
import { openMemoryStore } from "../../platform/store/memory-store.fixture.ts";
import { type Clusters, openClusters, type PresentLink } from "./index.ts";
import { createPresence } from "./presence.fixture.ts";

const clock = createMovableClock(Date.UTC(2030, 0, 1));
const links: PresentLink[] = [];
let store: Store;
let clusters: Clusters;
let count = 0;
beforeAll(async () => {
  store = await openMemoryStore();
  clusters = await openClusters({ db: store.db, clock, links: createPresence(() => links) });
});
afterAll(async () => {
  await clusters[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

async function createOne(): Promise<string> {
  return (await clusters.create({ name: `c-${++count}`, roles: ["proxy"] })).name;
}

function connect(cluster: string, rest: Partial<PresentLink> = {}): () => void {
  const link: PresentLink = {
    id: crypto.randomUUID(),
    cluster,
    roles: ["proxy"],
    connectedAt: clock.now(),
    notAfter: clock.now() + 1000,
    remoteAddress: "192.0.2.1",
    ...rest,
  };
  links.push(link);
  return () => links.splice(links.indexOf(link), 1);
}

describe("the registry of clusters", () => {
  it.each(["", "East", "a_b", "-a", "a-", "a.b", "x".repeat(64), "ä", "a/b", "..", "a\n"])(
    "refuses the name %j",
    async (name) => {
      await expect(clusters.create({ name, roles: ["proxy"] })).rejects.toMatchObject({
        code: "CLUSTER_NAME_INVALID",
        httpStatus: 422,
      });
    },
  );

  it("refuses a name that the hub or Argo CD has, and never one that a cluster has already", async () => {
    const reserved = { namespaces: [] as string[], isRobot: () => false };
    await using own = await openClusters({ db: store.db, clock, links: createPresence(() => links), reserved });
    for (const name of ["in-cluster", "argocd", "default", "kube-system"])
      await expect(own.create({ name, roles: ["proxy"] })).rejects.toMatchObject({
        code: "CLUSTER_NAME_RESERVED",
        httpStatus: 422,
      });
    await own.create({ name: "hub-space", roles: ["proxy"] });
    reserved.namespaces.push("hub-space", "hub-other");
    await expect(own.create({ name: "hub-other", roles: ["proxy"] })).rejects.toMatchObject({
      code: "CLUSTER_NAME_RESERVED",
    });
    await expect(own.create({ name: "hub-space", roles: ["proxy"] })).rejects.toMatchObject({ code: "CLUSTER_EXISTS" });
    expect(own.exists("hub-space")).toBe(true);
  });

  it("refuses a name that is taken, also when two ask at once", async () => {
    const outcomes = await Promise.allSettled([1, 2].map(() => clusters.create({ name: "twice", roles: ["proxy"] })));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await expect(clusters.create({ name: "twice", roles: ["proxy"] })).rejects.toMatchObject({
      code: "CLUSTER_EXISTS",
      httpStatus: 409,
    });
  });

  it("says 404 for what isn't there, whatever is asked of it", async () => {
    const notFound = { code: "CLUSTER_NOT_FOUND", httpStatus: 404 };
    expect(() => clusters.get("nobody")).toThrow(expect.objectContaining(notFound));
    await expect(clusters.revoke("nobody")).rejects.toMatchObject(notFound);
    await expect(clusters.remove("nobody")).rejects.toMatchObject(notFound);
    await expect(clusters.recordHello("nobody", {})).rejects.toMatchObject(notFound);
    expect(clusters.exists("nobody")).toBe(false);
    await clusters.recordDisconnect("nobody", "gone");
    await clusters.recordEvent("nobody", { type: "connected", message: "nothing" });
    expect(await clusters.listEvents("nobody", 10)).toEqual([]);
  });

  it("keeps labels, and finds everything again when it is opened anew", async () => {
    const { name } = await clusters.create({ name: "kept", labels: { env: "prod" }, roles: ["observe", "proxy"] });
    await clusters.recordHello(name, { agentVersion: "0.1.0", kubernetesVersion: "v1.34.0", clockSkewMs: -12.4 });
    await using again = await openClusters({ db: store.db, clock, links: createPresence(() => links) });
    expect(again.exists(name)).toBe(true);
    expect(again.get(name)).toMatchObject({ labels: { env: "prod" }, roles: ["observe", "proxy"], clockSkewMs: -12 });
    expect(again.get(name)).toEqual(clusters.get(name));
  });

  it("derives the state from what happened and from the links there are", async () => {
    const name = await createOne();
    const at = () => new Date(clock.now()).toISOString();
    expect(clusters.get(name)).toMatchObject({ state: "never-connected", stateSince: at() });
    expect(clusters.get(name).lastSeenAt).toBeUndefined();

    clock.move(1000);
    const disconnect = connect(name);
    await clusters.recordHello(name, { agentVersion: "0.1.0" });
    const connectedAt = at();
    clock.move(5000);
    expect(clusters.get(name)).toMatchObject({ state: "connected", stateSince: connectedAt, lastSeenAt: at() });

    disconnect();
    await clusters.recordDisconnect(name, "The agent's process ended.");
    const lostAt = at();
    clock.move(5000);
    expect(clusters.get(name)).toMatchObject({ state: "offline", stateSince: lostAt, lastSeenAt: lostAt });

    await clusters.revoke(name, "compromised");
    expect(clusters.get(name)).toMatchObject({ state: "revoked", stateSince: at() });
    expect(clusters.list().find((each) => each.name === name)).toEqual(clusters.get(name));
  });

  it("tells at once since when a cluster is away, whatever becomes of the record", async () => {
    const name = await createOne();
    expect(clusters.absence(name)).toEqual({ state: "never-connected", sinceMs: clock.now(), lostMs: undefined });
    const disconnect = connect(name);
    await clusters.recordHello(name, {});
    clock.move(3_600_000);
    disconnect();
    const recorded = clusters.recordDisconnect(name, "gone");
    expect(clusters.absence(name)).toEqual({ state: "offline", sinceMs: clock.now(), lostMs: clock.now() });
    await recorded;
    clock.move(60_000);
    const lost = { state: "offline", sinceMs: clock.now() - 60_000, lostMs: clock.now() - 60_000 };
    expect(clusters.absence(name)).toEqual(lost);
    // A hub that starts has lost no link itself, but its agents are on their way back.
    await using later = await openClusters({ db: store.db, clock, links: createPresence(() => links) });
    expect(later.absence(name)).toEqual({ ...lost, lostMs: clock.now() });
  });

  it("counts a link whose agent leaves as lost from now on", async () => {
    const name = await createOne();
    const disconnect = connect(name, { isDraining: true });
    await clusters.recordHello(name, {});
    clock.move(60_000);
    expect(clusters.absence(name)).toMatchObject({ state: "connected", lostMs: clock.now() });
    disconnect();
  });

  it("notes once a minute that a connected cluster lives, for when the hub itself is killed", async () => {
    const name = await createOne();
    const own = createMovableClock(clock.now());
    await using first = await openClusters({ db: store.db, clock: own, links: createPresence(() => links) });
    const disconnect = connect(name);
    await first.recordHello(name, {});
    own.move(60_000);
    await expect
      .poll(async () => {
        await using later = await openClusters({ db: store.db, clock: own, links: createPresence() });
        return later.get(name).lastSeenAt;
      })
      .toBe(new Date(own.now()).toISOString());
    disconnect();
  });

  it("raises an alarm when another cluster answers to the name", async () => {
    const name = await createOne();
    await clusters.recordHello(name, { kubeSystemUid: "uid-1" });
    await clusters.recordHello(name, { kubeSystemUid: "uid-1" });
    expect((await clusters.listEvents(name, 1))[0]?.level).toBe("info");
    await clusters.recordHello(name, { kubeSystemUid: "uid-2" });
    expect((await clusters.listEvents(name, 1))[0]).toMatchObject({ type: "cluster-replaced", level: "alarm" });
  });

  it("keeps the newest 200 events of each cluster, newest first", async () => {
    const [name, other] = [await createOne(), await createOne()];
    for (let index = 0; index < 230; index++) {
      await clusters.recordEvent(name, { type: "connected", message: `event ${index}` });
    }
    const events = await clusters.listEvents(name, 1000);
    expect(events).toHaveLength(200);
    expect(events[0]?.message).toBe("event 229");
    expect(events.at(-1)?.message).toBe("event 30");
    expect(await clusters.listEvents(other, 1000)).toHaveLength(1);
  });
});
