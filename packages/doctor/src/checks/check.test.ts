import { expect, test } from "vitest";
import { fairlead } from "../profiles/index.ts";
import { Snapshot } from "../snapshot/index.ts";
import { type Check, judgeCheck } from "./check.ts";
import { pass } from "./verdict.ts";

const check: Check = {
  id: "some.check",
  title: "Nodes are listed",
  why: "",
  severity: "required",
  features: [],
  judge: ({ snapshot }) => pass(`${snapshot.list("nodes").length} nodes`),
};

test("a check that isn't allowed to see all is unknown, and says what it could not see", () => {
  const parts = { configMaps: new Map(), sightings: new Map([["nodes", { is: "hidden", why: "forbidden" } as const]]) };
  const verdict = judgeCheck(check, {
    snapshot: new Snapshot(parts),
    profile: fairlead,
    clusterType: "generic",
    installation: { presence: { is: "installed" }, components: [] },
    now: new Date(0),
  });
  expect(verdict).toMatchObject({ is: "unknown", message: "Not all nodes could be read: forbidden." });
});
