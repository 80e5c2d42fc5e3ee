import { expect, test } from "vitest";
import { roomsOf, selectTests } from "./select-tests.ts";

test("a file belongs to a room of its wing, and elsewhere to a room of its package", () => {
  expect(
    roomsOf([
      "packages/hub/src/work/schedules/service.ts",
      "packages/hub/src/work/schedules/cron.test.ts",
      "packages/agent/src/execute/helm/run.ts",
      "packages/hub/src/hub.ts",
      "docs/errors.md",
    ]),
  ).toEqual(["packages/agent/src/execute", "packages/hub/src/work/schedules"]);
});

test("a change selects its room's tests, fast tests that import it, and no hub of another room", () => {
  const [own, importing, hub, changedOne, unrelated, rules] = [
    { moduleId: "/repo/packages/hub/src/work/schedules/schedules.real.test.ts", project: { name: "hub" } },
    { moduleId: "/repo/packages/hub/src/work/runs/service.test.ts", project: { name: "unit" } },
    { moduleId: "/repo/packages/hub/src/hub.real.test.ts", project: { name: "hub" } },
    { moduleId: "/repo/test/e2e/get.real.test.ts", project: { name: "real" } },
    { moduleId: "/repo/packages/kube/src/paths.test.ts", project: { name: "unit" } },
    { moduleId: "/repo/test/architecture/circles.test.ts", project: { name: "unit" } },
  ] as const;
  expect(
    selectTests({
      all: [own, importing, hub, changedOne, unrelated, rules],
      related: new Set([own, importing, hub]),
      changed: ["packages/hub/src/work/schedules/service.ts", "test/e2e/get.real.test.ts"],
      root: "/repo",
    }),
  ).toEqual({ selected: [own, importing, changedOne, rules], leftOut: 1 });
});
