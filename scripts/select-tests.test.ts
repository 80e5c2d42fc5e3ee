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
      distances: new Map([
        ["packages/hub/src/work/schedules/schedules.real.test.ts", 3],
        ["packages/hub/src/work/runs/service.test.ts", 2],
        ["packages/hub/src/hub.real.test.ts", 4],
      ]),
      changed: ["packages/hub/src/work/schedules/service.ts", "test/e2e/get.real.test.ts"],
      root: "/repo",
    }),
  ).toEqual({ selected: [own, importing, changedOne, rules], leftOut: 1 });
});

test("of more fast tests than two minutes have time for, the nearest ones are selected", () => {
  const all = Array.from({ length: 400 }, (_, index) => fast(`packages/hub/src/work/runs/${index}.test.ts`));
  const beside = fast("packages/kernel/src/wait.test.ts");
  const distances = new Map(all.map(({ moduleId }, index) => [moduleId.slice("/repo/".length), 400 - index]));
  distances.set("packages/kernel/src/wait.test.ts", 1);
  const { selected, leftOut } = selectTests({
    all: [...all, beside],
    distances,
    changed: ["packages/kernel/src/wait.ts"],
    root: "/repo",
  });
  expect(selected).toEqual([...all.slice(-149), beside]);
  expect(leftOut).toBe(251);
});

test("of more slow tests of a room than two minutes have time for, those of the nearest folders are selected", () => {
  const room = "packages/agent/src/execute";
  const far = Array.from({ length: 20 }, (_, index) => slow(`${room}/tofu/${index}.real.test.ts`));
  const near = slow(`${room}/helm/chart/archives.real.test.ts`);
  const changedOne = slow(`${room}/tofu/x/changed.real.test.ts`);
  const { selected, leftOut } = selectTests({
    all: [...far, near, changedOne],
    distances: new Map(),
    changed: [`${room}/helm/chart/read.ts`, `${room}/tofu/x/changed.real.test.ts`],
    root: "/repo",
  });
  expect(selected).toContain(near);
  expect(selected).toContain(changedOne);
  expect([selected.length, leftOut]).toEqual([9, 13]);
});

function fast(path: string): { moduleId: string; project: { name: string } } {
  return { moduleId: `/repo/${path}`, project: { name: "unit" } };
}

function slow(path: string): { moduleId: string; project: { name: string } } {
  return { moduleId: `/repo/${path}`, project: { name: "real" } };
}
