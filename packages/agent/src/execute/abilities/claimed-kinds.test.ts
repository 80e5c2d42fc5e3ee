// Which kinds an agent asks its hub for.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@fairlead/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startExecuting } from "../../executing.ts";
import { StepsRunner } from "../executing.fixture.ts";
import { ScriptedHub } from "../scripted-hub.fixture.ts";
import { createTestSigner } from "../signing.fixture.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fairlead-kinds-"));
  mkdirSync(join(folder, "bin"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  ["no program", [], [], ["manifests"]],
  ["git alone", ["git"], [], ["manifests"]],
  ["all of one kind", ["helm"], [], ["manifests", "helm"]],
  ["all of both", ["helm", "tofu", "git"], [], ["manifests", "helm", "tofu"]],
  ["all, one of which the policy leaves out", ["helm", "tofu", "git"], ["helm"], ["manifests", "tofu"]],
])("an agent with %s claims what it can run", async (_, programs, denied: readonly string[], kinds) => {
  for (const name of programs) install(name);
  await using hub = await new ScriptedHub().start();
  const signer = await createTestSigner();
  const runner = new StepsRunner();
  const allowed = { allowed: true } as const;
  const executing = await startExecuting({
    config: { stateDir: folder, execute: { folder: join(folder, "spool"), parallel: 4, fence: { is: "unfenced" } } },
    client: {},
    instanceId: "agent_1",
    links: await hub.connect(),
    clock: systemClock,
    askForKeys: async () => undefined,
    cluster: () => "east",
    clockSkewMs: () => 0,
    policy: { judgeCommand: () => allowed, allowsKind: (kind: string) => !denied.includes(kind) },
    runners: { manifests: runner, helm: runner, tofu: runner },
    environment: { PATH: join(folder, "bin") },
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  } as unknown as Parameters<typeof startExecuting>[0]);
  await executing.learnKeys([signer.jwk]);
  await expect.poll(() => hub.kindsAsked).toEqual(kinds);
  await executing.stop({ drainMs: 1_000 });
});

const answers: Readonly<Record<string, string>> = {
  helm: "v4.3.1",
  tofu: "OpenTofu v1.12.6",
  git: "git version 2.39.5",
};

function install(name: string): void {
  const path = join(folder, "bin", name);
  writeFileSync(path, `#!/bin/sh\necho '${answers[name]}'\n`);
  chmodSync(path, 0o755);
}
