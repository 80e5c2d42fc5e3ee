import { createMovableClock } from "@fairlead/kernel/testing";
import type { Link, Role } from "@fairlead/protocol";
import { expect, it } from "vitest";
import { createLinkRegistry } from "./index.ts";
import { LinkRecord } from "./record.ts";
import type { RemoteLink } from "./types.ts";

it("gives the link with the fewest streams first, the newest among equals, and forgets what left", () => {
  const registry = createLinkRegistry();
  const first = createRecord("one", ["proxy"]);
  const second = createRecord("two", ["proxy", "observe"]);
  registry.add(first);
  registry.add(second);
  const order = (): string[] => registry.connections("east", "proxy").map(({ id }) => id);
  expect(order()).toEqual(["two", "one"]);
  second.link.streamCount = 3;
  first.link.streamCount = 2;
  expect(order()).toEqual(["one", "two"]);
  expect(registry.connections("east", "proxy")[0]?.id).toBe("one");
  expect(registry.connections("east", "observe")[0]?.id).toBe("two");
  expect(registry.connections("east", "gitops")[0]).toBeUndefined();
  expect(registry.connections("west", "proxy")[0]).toBeUndefined();
  second.enter({ type: "drains" });
  registry.refresh("east");
  expect(order()).toEqual(["one"]);
  expect(registry.list()).toHaveLength(2);
  registry.remove(first);
  expect(registry.connections("east", "proxy")[0]).toBeUndefined();
});

it("gives no link whose connection is lost, until it is back", () => {
  const registry = createLinkRegistry();
  const record = createRecord("one", ["proxy"]);
  registry.add(record);
  record.link.state = "resuming";
  registry.refresh("east");
  expect(registry.connections("east", "proxy")).toEqual([]);
  record.link.state = "up";
  registry.refresh("east");
  expect(registry.connections("east", "proxy")).toEqual([record]);
});

it("waits for a link that was lost a moment ago, and for no other", async () => {
  const clock = createMovableClock(0);
  const registry = createLinkRegistry({ clock });
  const record = createRecord("one", ["proxy"]);
  const wait = (timeoutMs = 5_000, signal?: AbortSignal) => registry.whenUsable("east", "proxy", { timeoutMs, signal });
  clock.move(30_000);
  expect(await wait()).toBe(false);
  registry.add(record);
  expect(await wait()).toBe(true);
  registry.remove(record);
  const isBack = wait();
  const isLate = wait(1_000);
  const stop = new AbortController();
  const isGone = wait(5_000, stop.signal);
  stop.abort();
  clock.move(2_000);
  registry.add(createRecord("two", ["proxy"]));
  expect(await Promise.all([isBack, isLate, isGone])).toEqual([true, false, false]);
  expect(clock.pendingCount).toBe(0);
  for (const one of registry.list()) registry.remove(one);
  clock.move(30_000);
  expect(await wait()).toBe(false);
});

it("finds a link's record and a cluster's links without a look at the others", () => {
  const registry = createLinkRegistry();
  const record = createRecord("one", ["proxy"]);
  const other = createRecord("two", ["proxy"]);
  registry.add(record);
  expect(registry.find(record.link)).toBe(record);
  expect(registry.find(other.link)).toBeUndefined();
  registry.add(other);
  registry.putRemote({ ...createRemote("three"), cluster: "east" });
  registry.putRemote({ ...createRemote("four"), cluster: "west" });
  expect(registry.presentOf("east").map(({ id }) => id)).toEqual(["one", "two", "three"]);
  expect(registry.presentOf("north")).toEqual([]);
  registry.remove(record);
  expect(registry.find(record.link)).toBeUndefined();
  expect(registry.presentOf("east").map(({ id }) => id)).toEqual(["two", "three"]);
});

function createRemote(id: string): RemoteLink {
  return { id, roles: ["proxy"], isUp: true, isDraining: false, refusal: undefined } as unknown as RemoteLink;
}

type Changeable = LinkRecord & { link: { state: Link["state"]; streamCount: number } };

function createRecord(id: string, roles: Role[]): Changeable {
  const link = { state: "up" as const, streamCount: 0 } as Changeable["link"];
  const peer = { cluster: "east", roles, keyThumbprint: "", serial: "", notAfter: 0, issuer: "" };
  return new LinkRecord({ id, peer, link, remoteAddress: "", clock: createMovableClock(0) }) as Changeable;
}
