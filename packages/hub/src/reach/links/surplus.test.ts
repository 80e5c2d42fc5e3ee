import type { LinkState, Role } from "@fairlead/protocol";
import { describe, expect, it } from "vitest";
import type { LinkRecord } from "./record.ts";
import { findSurplus, makeRoom } from "./surplus.ts";

const proxies = { cluster: "east", roles: ["proxy"] as const };
const observers = { cluster: "east", roles: ["observe"] as const };

describe("links that wait for their next connection", () => {
  it("are too many at 17 of a kind: the oldest goes, and no others are counted", () => {
    const cut = many(16, { state: "resuming" });
    const others = [
      record("first", {}),
      record("elsewhere", { cluster: "west", state: "resuming" }),
      record("observer", { roles: ["observe"], state: "resuming" }),
    ];
    expect(findSurplus([...others, ...cut], proxies)).toBeUndefined();
    expect(findSurplus([...others, ...cut, record("last", { state: "resuming" })], proxies)?.id).toBe("0");
  });
});

describe("a new link", () => {
  it("has room until there are 32 of its kind", () => {
    expect(makeRoom(many(31, {}), proxies)).toBeUndefined();
    expect(() => makeRoom(many(32, {}), proxies)).toThrow(expect.objectContaining(tooMany));
  });

  it("isn't kept out by agents of another kind or cluster", () => {
    const others = [...many(32, { roles: ["observe"] }), ...many(40, { cluster: "west" })];
    expect(makeRoom(others, proxies)).toBeUndefined();
  });

  it("takes the place of one that is cut, or else of one that its agent has given up", () => {
    const links = many(31, {});
    const old = record("old", { isGivenUp: true });
    const cut = record("cut", { state: "resuming" });
    expect(makeRoom([old, ...links, cut], proxies)?.id).toBe("cut");
    expect(makeRoom([...links, old], proxies)?.id).toBe("old");
  });

  it("never takes the place of another kind's, however many links the cluster has", () => {
    const free = { state: "resuming", isGivenUp: true } as const;
    const full = [...many(32, free), ...many(32, { roles: ["execute"], ...free })];
    expect(() => makeRoom(full, observers)).toThrow(expect.objectContaining(tooMany));
  });
});

const tooMany = { code: "LINK_TOO_MANY_LINKS" };

interface About {
  readonly cluster?: string;
  readonly roles?: readonly Role[];
  readonly state?: LinkState;
  readonly isGivenUp?: boolean;
}

function many(count: number, about: About): LinkRecord[] {
  return Array.from({ length: count }, (_, index) => record(String(index), about));
}

function record(id: string, about: About): LinkRecord {
  const { cluster = "east", roles = ["proxy"], state = "up", isGivenUp = false } = about;
  return { id, cluster, roles, link: { state }, isGivenUp } as unknown as LinkRecord;
}
