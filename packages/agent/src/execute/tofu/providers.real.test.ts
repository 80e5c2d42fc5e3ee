// Where providers come from: mirrors of the agent and of commands. The provider here is a program that is none, and says so.
import { createHash } from "node:crypto";
import { appendFile, chmod, cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { openTofuHarness, type TofuHarness } from "./harness.fixture.ts";
import { planTofu } from "./plan.ts";
import { createProviderCache } from "./provider-cache.ts";
import { runTofu } from "./run.ts";

const platform = `${process.platform}_${process.arch === "x64" ? "amd64" : process.arch}`;
const program = `#!/bin/sh
echo "the mirror's program in $(cd "\${0%/*}" && pwd -P)"
`;

let harness: TofuHarness;
let folder: string;
let mirror: string;
beforeAll(async () => {
  harness = await openTofuHarness();
  folder = await mkdtemp(join(tmpdir(), "fairlead-tofu-providers-"));
  mirror = join(folder, "mirror");
  const at = join(mirror, "registry.example.com/ours/thing/1.2.0", platform);
  await mkdir(at, { recursive: true });
  await writeFile(join(at, "terraform-provider-thing_v1.2.0"), program);
  await chmod(join(at, "terraform-provider-thing_v1.2.0"), 0o755);
  await mkdir(join(folder, "empty"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await harness?.[Symbol.asyncDispose]();
});

const main = (version = "1.2.0") => `
terraform {
  required_providers {
    thing = { source = "registry.example.com/ours/thing", version = "${version}" }
  }
}
resource "terraform_data" "web" {}
`;

/** It was found, and OpenTofu has run it. */
const wasRun = { code: "TOFU_PLAN_FAILED", message: expect.stringContaining("the mirror's program") };

test("providers come from the agent's mirror, for plans and for runs, and no registry is asked", async () => {
  const task = () => harness.task({ main: main(), spec: { name: "agents" } });
  await expect(planTofu(task(), { mirror })).rejects.toMatchObject(wasRun);
  await expect(runTofu(task(), { mirror })).rejects.toMatchObject(wasRun);
});

test("a command names no folder of the agent's machine as its mirror, and takes no other place where the agent has one", async () => {
  const task = () => harness.task({ main: main(), spec: { name: "commands", providers: { mirror } } });
  // It would let a command read any folder of the agent's machine.
  await expect(runTofu(task())).rejects.toMatchObject({ code: "TOFU_MIRROR_LOCAL" });
  await expect(runTofu(task(), { mirror })).rejects.toMatchObject(wasRun);
  const own = join(folder, "empty");
  await expect(runTofu(task(), { mirror: own })).rejects.toMatchObject({
    code: "TOFU_MIRROR_FIXED",
    message: expect.stringContaining(own),
  });
});

test.each([
  ["a provider", "empty", "1.2.0"],
  ["its version", "mirror", "9.9.9"],
  ["a mirror", "nowhere", "1.2.0"],
])(
  "%s that isn't there ends in a code that says where it was looked for, and nothing is changed",
  async (_what, place, version) => {
    const own = join(folder, place);
    const task = harness.task({ main: main(version), spec: { name: "missing" } });
    await expect(runTofu(task, { mirror: own })).rejects.toMatchObject({
      code: "TOFU_PROVIDER_MISSING",
      message: expect.stringContaining(own),
    });
    expect((await harness.get("secrets/tfstate-default-missing")).metadata.name).toBeDefined();
  },
);

describe("a cache", () => {
  const path = `registry.example.com/ours/thing/1.2.0/${platform}`;
  const name = "terraform-provider-thing_v1.2.0";
  /** As OpenTofu counts it, over all files of a package. */
  const checksum = () => {
    const line = `${createHash("sha256").update(program).digest("hex")}  ${name}\n`;
    return `h1:${createHash("sha256").update(line).digest("base64")}`;
  };
  const lockFile = () => `provider "registry.example.com/ours/thing" {
  version     = "1.2.0"
  constraints = "1.2.0"
  hashes      = ["${checksum()}"]
}
`;
  const locked = () => ({ files: { "main.tf": main(), ".terraform.lock.hcl": lockFile() } });
  const run = (spec: Readonly<Record<string, unknown>>, at: string, place = mirror) =>
    runTofu(harness.task({ spec }), { mirror: place, cache: createProviderCache({ folder: at }) });
  /** A cache that has the package. */
  async function fill(at: string): Promise<void> {
    await cp(join(mirror, path), join(at, path), { recursive: true });
  }

  it("is used by runs beside each other, and each of them runs a copy of its own", async () => {
    const cache = createProviderCache({ folder: join(folder, "shared") });
    const tasks = ["a", "b", "c"].map((each) => harness.task({ spec: { name: `shared-${each}`, source: locked() } }));
    const ran = await Promise.allSettled(tasks.map((task) => runTofu(task, { mirror, cache })));
    const said = ran.map((one) => (one.status === "rejected" ? String((one.reason as Error).message) : "nothing"));
    for (const message of said) expect(message).toMatch(/the mirror's program in \S+\/data\/providers\//);
    expect(new Set(said).size).toBe(3);
    expect(await readdir(join(folder, "shared", "registry.example.com/ours/thing/1.2.0"))).toContain(platform);
  });

  it("gives what it has to a source that has its checksum, and to no other; what was changed there isn't run", async () => {
    const at = join(folder, "filled");
    const empty = join(folder, "empty");
    await fill(at);
    await expect(run({ name: "filled", source: locked() }, at, empty)).rejects.toMatchObject(wasRun);
    const unlocked = { name: "unlocked", source: { files: { "main.tf": main() } } };
    await expect(run(unlocked, at, empty)).rejects.toMatchObject({ code: "TOFU_PROVIDER_MISSING" });
    await appendFile(join(at, path, name), "echo something else\n");
    await expect(run({ name: "changed", source: locked() }, at, empty)).rejects.toMatchObject({
      code: "TOFU_PROVIDER_MISSING",
    });
  });

  it("is emptied when it has more than it may", async () => {
    const at = join(folder, "small");
    await fill(at);
    const cache = createProviderCache({ folder: at, mostBytes: 10 });
    const task = harness.task({ spec: { name: "small", source: locked() } });
    await expect(runTofu(task, { mirror, cache })).rejects.toMatchObject(wasRun);
    await expect(readdir(at)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("keeps nobody waiting who was cancelled", async () => {
    const cache = createProviderCache({ folder: join(folder, "busy") });
    const waiting = new AbortController();
    const first = Promise.withResolvers<void>();
    const { signal } = new AbortController();
    const using = cache.use({ folder, signal }, () => first.promise);
    const second = cache.use({ folder, signal: waiting.signal }, () => Promise.reject(new Error("isn't begun")));
    waiting.abort();
    await expect(second).rejects.toMatchObject({ name: "AbortError" });
    first.resolve();
    await using;
    expect(await cache.use({ folder: join(folder, "none"), signal }, async () => "third")).toBe("third");
  });
});
