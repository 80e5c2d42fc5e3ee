import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@fairlead/kernel";
import { expect, test } from "vitest";
import { createExecPlugin } from "./exec-plugin.ts";

test("a plugin that doesn't end is given up, even when it ignores signals and its children hold its output", async () => {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-plugin-"));
  const script = join(folder, "plugin.sh");
  await writeFile(script, "#!/bin/sh\ntrap '' TERM\nsleep 5\n", { mode: 0o700 });
  const cluster = { server: new URL("https://127.0.0.1:1"), insecureSkipTlsVerify: false };
  const run = createExecPlugin({
    exec: { command: script, apiVersion: "client.authentication.k8s.io/v1" },
    cluster: { ...cluster, ca: undefined, tlsServerName: undefined },
    env: { PATH: "/usr/bin:/bin" },
    clock: systemClock,
    timeoutMs: 200,
  });
  const startedMs = performance.now();
  await expect(Promise.resolve(run())).rejects.toMatchObject({ code: "KUBE_EXEC_PLUGIN_FAILED" });
  expect(performance.now() - startedMs).toBeLessThan(4_000);
  await rm(folder, { recursive: true });
});
