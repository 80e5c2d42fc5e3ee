import type { Link, Role } from "@fairlead/protocol";
import { expect, it } from "vitest";
import { createLinkRegistry } from "./index.ts";
import type { LinkRecord } from "./registry.ts";

it("gives the newest link that takes streams, keeps older ones as a second choice, and forgets what left", () => {
  const registry = createLinkRegistry();
  const first = createRecord("one", ["proxy"]);
  const second = createRecord("two", ["proxy", "observe"]);
  registry.add(first);
  registry.add(second);
  expect(registry.connection("east", "proxy")?.id).toBe("two");
  expect(registry.connections("east", "proxy").map(({ id }) => id)).toEqual(["two", "one"]);
  expect(registry.connection("east", "observe")?.id).toBe("two");
  expect(registry.connection("east", "gitops")).toBeUndefined();
  expect(registry.connection("west", "proxy")).toBeUndefined();
  second.isDraining = true;
  registry.refresh("east");
  expect(registry.connections("east", "proxy").map(({ id }) => id)).toEqual(["one"]);
  expect(registry.list()).toHaveLength(2);
  registry.remove(first);
  expect(registry.connection("east", "proxy")).toBeUndefined();
});

function createRecord(id: string, roles: readonly Role[]): LinkRecord {
  const link = { state: "up" } as Link;
  return {
    ...{ id, cluster: "east", roles, link, connectedAt: 0, notAfter: 0, remoteAddress: "" },
    keyThumbprints: new Set(),
    hello: undefined,
    isDraining: false,
  };
}
