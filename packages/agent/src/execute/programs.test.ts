import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isAbsolute, join, relative } from "node:path";
import type { KubeClient } from "@fairlead/kube";
import { expect, onTestFinished, test } from "vitest";
import { createTestTask } from "./task.fixture.ts";

test("a program is asked for its version once, whichever command runs it, and again when it is another file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-programs-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const install = async (version: string): Promise<void> => {
    await writeFile(join(folder, "next"), `#!/bin/sh\necho asked >> "$0.log"\necho ${version}\n`, { mode: 0o755 });
    await rename(join(folder, "next"), join(folder, "tool"));
  };
  const environment = { PATH: `${folder}:${process.env["PATH"]}` };
  const ask = async (): Promise<string> => {
    const task = createTestTask({ kube: {} as KubeClient, spec: {}, environment });
    await using programs = await task.openPrograms({ phase: "plan", secrets: { names: [] } });
    return await programs.versionOf("tool", async () => {
      const pace = { interruptMs: 1_000, terminateMs: 1_000 };
      const { stdout } = await programs.run({ name: "tool", args: [], pace });
      return stdout.toString().trim();
    });
  };
  await install("v1");
  expect([await ask(), await ask()]).toEqual(["v1", "v1"]);
  await install("v2.0");
  expect([await ask(), await ask()]).toEqual(["v2.0", "v2.0"]);
  expect(await readFile(join(folder, "tool.log"), "utf8")).toBe("asked\nasked\n");
});

test("a program gets absolute paths only, also of an agent whose folder and variables have relative ones", async () => {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-programs-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const environment = { PATH: `own/bin:${process.env["PATH"]}`, SSL_CERT_FILE: "certs/ca.pem", SSL_CERT_DIR: "certs" };
  const place = relative(process.cwd(), folder);
  expect(isAbsolute(place)).toBe(false);
  const task = createTestTask({ kube: {} as KubeClient, spec: {}, environment, folder: place });
  await using programs = await task.openPrograms({ phase: "plan", secrets: { names: [] } });
  const kept = await programs.keep("unsaved");
  const pace = { interruptMs: 1_000, terminateMs: 1_000 };
  const { stdout } = await programs.run({ name: "sh", args: ["-c", "env; pwd"], pace });
  const said = stdout.toString().trim().split("\n");
  const variables = Object.fromEntries(said.map((line) => line.split(/=(.*)/s)));
  const paths = ["HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"];
  const given = [...paths, "SSL_CERT_FILE", "SSL_CERT_DIR"].map((name) => variables[name]);
  for (const path of [...given, ...variables["PATH"].split(":"), said.at(-1), programs.folder, kept])
    expect(path).toMatch(/^\//);
  expect(variables["KUBECONFIG"]).toBeUndefined();
});
