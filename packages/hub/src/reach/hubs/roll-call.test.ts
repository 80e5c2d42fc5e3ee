import { expect, it } from "vitest";
import { describeMembers } from "./roll-call.ts";

const since = new Date(Date.UTC(2030, 0, 1));

it("says of each hub which links it has, from how many agents, and whether it is reached from here", () => {
  const links = {
    hub_a: [{ hello: { agentInstanceId: "one" } }, {}],
    hub_b: [{ hello: { agentInstanceId: "two" } }, { hello: { agentInstanceId: "two" } }],
    hub_c: [],
  };
  const rows = Object.keys(links).map((id) => ({ id, address: `${id}:1`, version: "1.0.0", since, silentMs: 9 }));
  const members = describeMembers({
    self: "hub_a",
    rows,
    linksOf: (hub) => links[hub as keyof typeof links],
    isLinked: (hub) => hub === "hub_b",
  });
  const common = { version: "1.0.0", since: since.toISOString(), silentMs: 9 };
  expect(members).toEqual([
    { id: "hub_a", address: "hub_a:1", ...common, links: 1, agents: 1, reach: "self" },
    { id: "hub_b", address: "hub_b:1", ...common, links: 2, agents: 1, reach: "linked" },
    { id: "hub_c", address: "hub_c:1", ...common, links: 0, agents: 0, reach: "unlinked" },
  ]);
});
