// Anybody may set a machine's clock, forwards and back. What is waited for, leased or paced goes by the steady clock.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSources, root } from "./sources.ts";

/** These show, record or compare a time, or know how far the wall clock is off. */
const mayReadWallClock: Readonly<Record<string, string>> = {
  "packages/kernel/src/clock.ts": "is the clock",
  "packages/kernel/src/log-lines.ts": "records",
  "packages/protocol/src/link/lane/liveness.ts": "says the time with a ping",
  "packages/protocol/src/x509/authority.ts": "issues certificates",
  "packages/kube/src/access/exec-plugin.ts": "compares with a credential's end",
  "packages/agent/src/audit/service.ts": "records",
  "packages/agent/src/doctor/examine.ts": "compares with times of objects",
  "packages/agent/src/execute/carry-out.ts": "knows the hub's time",
  "packages/agent/src/execute/flow/play-step.ts": "records by the hub's time",
  "packages/agent/src/execute/flow/time-left.ts": "compares with a record by the hub's time",
  "packages/agent/src/execute/flow/wait/run.ts": "records by the hub's time",
  "packages/agent/src/execute/helm/kept/kept-rendering.ts": "records by the hub's time",
  "packages/agent/src/execute/outbox.ts": "compares with a record by the hub's time",
  "packages/agent/src/execute/perform.ts": "records by the hub's time",
  "packages/agent/src/execute/task.ts": "knows the hub's time",
  "packages/agent/src/execute/tofu/state/kept-plan.ts": "records by the hub's time",
  "packages/agent/src/execute/tofu/state/lock.ts": "shows who has a lock since when",
  "packages/agent/src/gitops/sync.ts": "says the time with a greeting",
  "packages/agent/src/inventory/call.ts": "says the time with a greeting",
  "packages/agent/src/lead/lease-lead.ts": "shows since when it leads",
  "packages/agent/src/lead/sole-lead.ts": "numbers its term",
  "packages/agent/src/link/hub-clock.ts": "knows the hub's time",
  "packages/agent/src/link/introduce.ts": "says the time with a greeting",
  "packages/hub/src/people/audit/api-hook.ts": "records",
  "packages/hub/src/people/audit/journal-left.ts": "names files",
  "packages/hub/src/platform/store/folder/lock.ts": "records",
  "packages/hub/src/platform/store/folder/succession.ts": "compares with a file's time",
  "packages/hub/src/platform/store/transfer/read-store.ts": "records",
  "packages/hub/src/reach/proxy/describe-call.ts": "records",
  "packages/hub/src/reach/proxy/errors.ts": "shows",
  "packages/hub/src/reach/proxy/handler.ts": "records",
  "packages/hub/src/reach/proxy/status.ts": "shows",
  "packages/hub/src/work/commands/signing.ts": "compares with the database's time",
  "packages/hub/src/work/schedules/service.ts": "shows when a schedule is due",
};

/** In the hub's other rooms a clock that is passed in may be read: most of what they read is shown or kept. */
const steadyFolders = ["kernel/src", "protocol/src", "kube/src", "agent/src", "hub/src/work"].map(
  (folder) => `packages/${folder}/`,
);
const ofMachine = /\bDate\.now\b|\bnew Date\(\)/;
const ofClock = /[cC]lock\.now\b/;

test("only what shows, records or compares a time reads the wall clock", () => {
  const readers = readSources([
    "packages/kernel",
    "packages/protocol",
    "packages/kube",
    "packages/agent",
    "packages/hub",
  ])
    .map(({ path }) => path)
    .filter((path) => path.includes("/src/") && !/(?:\.test|\.fixture)\.ts$|\/testing\//.test(path))
    .filter((path) => {
      const text = readFileSync(join(root, path), "utf8");
      const isSteady = steadyFolders.some((folder) => path.startsWith(folder));
      return ofMachine.test(text) || (isSteady && ofClock.test(text));
    });
  expect(readers.sort()).toEqual(Object.keys(mayReadWallClock).sort());
});
