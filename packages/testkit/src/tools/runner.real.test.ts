// The runner is part of the product, so its own tests (frames, orders, configurations of OpenTofu) run with the others.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { moduleFolder } from "./cache.ts";
import { catalog } from "./catalog.ts";

const run = promisify(execFile);
const options = { cwd: moduleFolder(catalog.runner), env: { ...process.env, CGO_ENABLED: "0", GOWORK: "off" } };

it("the runner passes its own tests", async () => {
  const { stdout } = await run("go", ["test", "./..."], options);
  expect(stdout).toMatch(/^ok\s/);
});

it("the runner compiles for other architectures and systems", async () => {
  for (const [os, arch] of [
    ["linux", "arm64"],
    ["darwin", "arm64"],
  ])
    await run("go", ["vet", "./..."], { ...options, env: { ...options.env, GOOS: os, GOARCH: arch } });
});
