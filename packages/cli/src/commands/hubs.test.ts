import type { HubList } from "@fairlead/contract";
import { expect, test } from "vitest";
import { createCli } from "../testing/cli.fixture.ts";
import { hubNow, startContractHub } from "../testing/hub.fixture.ts";

const since = new Date(hubNow - 300_000).toISOString();
const body: HubList = {
  items: [
    {
      id: "hub_a",
      address: "192.0.2.11:8444",
      version: "0.2.0",
      since,
      silentMs: 700,
      links: 12,
      agents: 8,
      reach: "self",
    },
    {
      id: "hub_b",
      address: "192.0.2.12:8444",
      version: "0.1.0",
      since,
      silentMs: 5_100,
      links: 0,
      agents: 0,
      reach: "unlinked",
    },
    { id: "hub_c\u001b[31m", version: "0.2.0", since, silentMs: 0, links: 1, agents: 1, reach: "linked" },
  ],
};

test("hubs are a table, and a document in JSON", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  hub.routes.set("GET /api/v1/hubs", () => ({ status: 200, body }));

  const { code, stdout } = await cli.run(["hub", "list"]);
  expect(code).toBe(0);
  expect(stdout.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
    ["HUB", "ADDRESS", "VERSION", "SINCE", "SILENT", "LINKS", "AGENTS", "REACHED"],
    ["hub_a", "192.0.2.11:8444", "0.2.0", "5m", "1s", "12", "8", "answers"],
    ["hub_b", "192.0.2.12:8444", "0.1.0", "5m", "5s", "0", "0", "no"],
    ["hub_c\ufffd[31m", "-", "0.2.0", "5m", "0s", "1", "1", "yes"],
    [""],
  ]);
  for (const json of [["--json"], ["-o", "json"]]) {
    expect(JSON.parse((await cli.run(["hub", "list", ...json])).stdout)).toEqual(body);
  }
});
