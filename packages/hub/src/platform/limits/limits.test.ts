import { isFairleadError } from "@fairlead/kernel";
import { createMovableClock } from "@fairlead/kernel/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLimits, type LimitLease, type LimitSettings, type Limits } from "./service.ts";

const settings: LimitSettings = {
  userRequests: 3,
  userStreams: 2,
  userBytesPerSecond: 0,
  clusterRequests: 4,
  clusterStreams: 3,
  clusterBytesPerSecond: 0,
  hubRequests: 1_000,
  userApiRequests: 2,
  addressApiRequests: 1,
};

function codeOf(limits: Limits, principal: string, cluster: string, isLong = false): string {
  try {
    limits.admit({ principal, cluster, isLong });
    return "admitted";
  } catch (error) {
    if (!isFairleadError(error)) throw error;
    expect([error.httpStatus, error.retryable]).toEqual([429, true]);
    return error.code;
  }
}

describe("limits", () => {
  it("bound the requests of a user over all clusters, and of a cluster over all users", () => {
    const limits = createLimits(settings);
    expect(["a", "b", "c"].map((cluster) => codeOf(limits, "alice", cluster))).toEqual(Array(3).fill("admitted"));
    expect(codeOf(limits, "alice", "d")).toBe("LIMIT_USER_REQUESTS");
    expect(["u1", "u2", "u3"].map((user) => codeOf(limits, user, "a"))).toEqual(Array(3).fill("admitted"));
    expect(codeOf(limits, "bob", "a")).toBe("LIMIT_CLUSTER_REQUESTS");
    expect(codeOf(limits, "bob", "b")).toBe("admitted");
    expect(limits.refused).toEqual(
      new Map([
        ["LIMIT_USER_REQUESTS", 1],
        ["LIMIT_CLUSTER_REQUESTS", 1],
      ]),
    );
  });

  it("are others from one moment to the next, for who is there and for who comes", () => {
    const clock = createMovableClock();
    const limits = createLimits(settings, { clock });
    const lease = limits.admit({ principal: "alice", cluster: "a", isLong: false });
    limits.settle({ ...settings, userRequests: 1, userApiRequests: 1, clusterBytesPerSecond: 16_384 });
    expect(codeOf(limits, "alice", "b")).toBe("LIMIT_USER_REQUESTS");
    limits.admitApi({ kind: "user", uid: "u", name: "alice" });
    expect(() => limits.admitApi({ kind: "user", uid: "u", name: "alice" })).toThrow(/1/);
    expect(lease.pace(10 * 16_384)).toBeGreaterThan(0);
    limits.settle(settings);
    expect(lease.pace(10 * 16_384)).toBe(0);
    expect(codeOf(limits, "alice", "b")).toBe("admitted");
  });

  it("count long streams apart, so that watches don't keep requests out", () => {
    const limits = createLimits(settings);
    expect([1, 2].map(() => codeOf(limits, "alice", "a", true))).toEqual(["admitted", "admitted"]);
    expect(codeOf(limits, "alice", "a", true)).toBe("LIMIT_USER_STREAMS");
    expect(codeOf(limits, "bob", "a", true)).toBe("admitted");
    expect(codeOf(limits, "carol", "a", true)).toBe("LIMIT_CLUSTER_STREAMS");
    expect(codeOf(limits, "alice", "a")).toBe("admitted");
  });

  it("are shared by the hubs that there are at the moment, each of which grants its part", () => {
    const clock = createMovableClock(0);
    let hubs = 2;
    const limits = createLimits({ ...settings, userBytesPerSecond: 1_000 }, { clock, hubs: () => hubs });
    expect([1, 2, 3].map(() => codeOf(limits, "alice", "a"))).toEqual(["admitted", "admitted", "LIMIT_USER_REQUESTS"]);
    expect([1, 2].map(() => codeOf(limits, "alice", "a", true))).toEqual(["admitted", "LIMIT_USER_STREAMS"]);
    expect(["bob", "carol"].map((user) => codeOf(limits, user, "a", true))).toEqual([
      "admitted",
      "LIMIT_CLUSTER_STREAMS",
    ]);
    const lease = limits.admit({ principal: "carol", cluster: "b", isLong: false });
    expect([lease.pace(500), lease.pace(500)]).toEqual([0, 1_000]);
    clock.move(1_000);
    hubs = 1;
    expect(codeOf(limits, "alice", "a", true)).toBe("admitted");
    expect([lease.pace(0), lease.pace(1_000)]).toEqual([0, 500]);
    hubs = 1_000;
    expect(codeOf(limits, "dora", "c")).toBe("admitted");
    expect(codeOf(limits, "dora", "c")).toBe("LIMIT_USER_REQUESTS");
  });

  it("leave room for quiet clusters when a busy one would take the whole hub", () => {
    const limits = createLimits({ ...settings, userRequests: 1_000, clusterRequests: 1_000, hubRequests: 100 });
    let busy = 0;
    while (codeOf(limits, "alice", "busy") === "admitted") busy += 1;

    const quiet = Array.from({ length: 40 }, (_, index) => codeOf(limits, "bob", `quiet-${index % 4}`));

    expect(busy).toBe(50);
    expect(new Set(quiet)).toEqual(new Set(["admitted"]));
    expect(codeOf(limits, "alice", "busy")).toBe("LIMIT_HUB_BUSY");
  });

  it("slow bytes down to the rate, over all streams of a user and of a cluster together", () => {
    const clock = createMovableClock(0);
    const limits = createLimits({ ...settings, userBytesPerSecond: 1_000, clusterBytesPerSecond: 1_500 }, { clock });
    const first = limits.admit({ principal: "alice", cluster: "a", isLong: false });
    const second = limits.admit({ principal: "alice", cluster: "a", isLong: true });
    const other = limits.admit({ principal: "bob", cluster: "a", isLong: true });

    expect(first.pace(1_000)).toBe(0);
    expect(second.pace(500)).toBe(500);
    expect(other.pace(150)).toBe(100);
    clock.move(500);
    expect(second.pace(0)).toBe(0);
    clock.move(60_000);
    expect(second.pace(1_001)).toBe(1);
  });

  it("remember a debt although its stream has ended", () => {
    const limits = createLimits({ ...settings, userBytesPerSecond: 1_000 }, { clock: createMovableClock(0) });
    const lease = limits.admit({ principal: "alice", cluster: "a", isLong: false });
    lease.pace(10_000);
    lease.release();

    expect(limits.admit({ principal: "alice", cluster: "a", isLong: false }).pace(0)).toBe(9_000);
  });

  it("bound the memory for large heads of a user, of a cluster and of the hub, and let usual ones pass meanwhile", () => {
    const limits = createLimits({ ...settings, userRequests: 100, clusterRequests: 100 });
    const headBytes = 1_048_576;
    const open = (principal: string, cluster: string) => () =>
      limits.admit({ principal, cluster, isLong: false, headBytes });
    const leases = Array.from({ length: 16 }, open("alice", "a"));
    expect(open("alice", "b")).toThrow(expect.objectContaining({ code: "LIMIT_USER_HEADERS", httpStatus: 429 }));
    expect(codeOf(limits, "alice", "a")).toBe("admitted");
    Array.from({ length: 16 }, open("bob", "a"));
    expect(open("carol", "a")).toThrow(expect.objectContaining({ code: "LIMIT_CLUSTER_HEADERS" }));
    for (const [user, cluster] of [1, 2, 3, 4, 5, 6].map((at) => [`u${at}`, `c${at}`] as const))
      Array.from({ length: 16 }, open(user, cluster));
    expect(open("carol", "z")).toThrow(expect.objectContaining({ code: "LIMIT_HUB_BUSY" }));
    expect(codeOf(limits, "carol", "z")).toBe("admitted");
    leases[0]?.release();
    leases[0]?.release();
    open("alice", "b")();
    expect(open("alice", "b")).toThrow(expect.objectContaining({ code: "LIMIT_USER_HEADERS" }));
  });

  it("bound what a user has in flight on the hub's own API, and an address without a sign-in", () => {
    const limits = createLimits(settings);
    const alice = { kind: "user", uid: "1", name: "alice" } as const;
    const ends = [limits.admitApi(alice), limits.admitApi(alice)];
    expect(() => limits.admitApi(alice)).toThrow(/alice has 2 requests/);
    limits.admitApi({ ...alice, uid: "2" })();
    const stranger = { kind: "stranger", remoteAddress: "2001:db8::1" } as const;
    const end = limits.admitApi(stranger);
    expect(() => limits.admitApi({ ...stranger, remoteAddress: "2001:db8::2" })).toThrow(/from this address/);
    limits.admitApi({ ...stranger, remoteAddress: "192.0.2.1" })();
    end();
    end();
    limits.admitApi(stranger)();
    for (const each of ends) each();
    ends[0]?.();
    expect([limits.admitApi(alice), limits.admitApi(alice)]).toHaveLength(2);
    expect(() => limits.admitApi(alice)).toThrow();
    expect([...limits.refused]).toEqual([
      ["LIMIT_USER_API_REQUESTS", 2],
      ["LIMIT_ADDRESS_REQUESTS", 1],
    ]);
  });

  it("leak nothing, whatever comes and goes in which order, twice over", () => {
    const action = fc.record({
      user: fc.constantFrom("u1", "u2", "u3"),
      cluster: fc.constantFrom("c1", "c2", "c3"),
      isLong: fc.boolean(),
      releases: fc.array(fc.nat(20), { maxLength: 3 }),
    });
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const limits = createLimits({ ...settings, hubRequests: 8 });
        const leases: (LimitLease & { isLong: boolean; user: string; cluster: string })[] = [];
        for (const { user, cluster, isLong, releases } of actions) {
          const open = leases.filter((lease) => lease.isLong === isLong);
          const ofUser = open.filter((lease) => lease.user === user).length;
          const ofCluster = open.filter((lease) => lease.cluster === cluster).length;
          try {
            leases.push({ ...limits.admit({ principal: user, cluster, isLong }), isLong, user, cluster });
            expect(ofUser).toBeLessThan(isLong ? settings.userStreams : settings.userRequests);
            expect(ofCluster).toBeLessThan(isLong ? settings.clusterStreams : settings.clusterRequests);
          } catch (error) {
            if (!isFairleadError(error)) throw error;
          }
          for (const index of releases) {
            const [lease] = leases.splice(index, 1);
            lease?.release();
            lease?.release();
          }
          expect(limits.inFlight).toBe(leases.length);
        }
        for (const lease of leases) lease.release();
        expect(limits.inFlight).toBe(0);
        // All is free again.
        for (let count = 0; count < 3; count += 1) expect(codeOf(limits, "u1", "c1")).toBe("admitted");
      }),
    );
  });
});
