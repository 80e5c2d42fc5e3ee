// What a start loads, as Node tells it: kubectl and Helm wait for this program at every call.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { saveHubContext } from "./config/index.ts";
import { createCli } from "./testing/cli.fixture.ts";

const run = promisify(execFile);
const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Modules of packages by the package's name, of ours by their paths, and Node's own. */
async function loadsOf(home: string, args: readonly string[]): Promise<readonly string[]> {
  const file = join(home, "loads.json");
  const flags = ["--conditions=@fairlead/source", "--import", fileOf("./testing/record-loads.fixture.ts")];
  const env = { HOME: home, PATH: "/usr/bin:/bin", LOADS_FILE: file };
  const { stdout } = await run(process.execPath, [...flags, fileOf("./main.ts"), ...args], { env });
  expect(stdout).not.toBe("");
  const urls = JSON.parse(await readFile(file, "utf8")) as string[];
  return urls.map((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? url.replace(/^.*\/packages\//, ""));
}

/** Each takes a start longer than all that it prints. */
const heavy: readonly string[] = [
  "re2js",
  "undici",
  "ws",
  "yaml",
  "zod",
  "contract/src/index.ts",
  "contract/src/inventory/index.ts",
  "doctor/src/index.ts",
  "kube/src/index.ts",
  "node:http",
  "node:https",
  "node:tls",
  "node:undici",
];

test("the help of all commands loads no command, no parser, no schema and no network", async () => {
  await using cli = await createCli();

  const loads = await loadsOf(cli.home, ["--help"]);

  expect(loads).toContain("commander");
  expect(loads.filter((name) => heavy.includes(name))).toEqual([]);
  expect(loads.filter((name) => name.startsWith("cli/src/commands/"))).toEqual(["cli/src/commands/index.ts"]);
  expect(loads.length).toBeLessThan(250);
});

test("the help of one command loads nothing heavy either", async () => {
  await using cli = await createCli();

  const loads = await loadsOf(cli.home, ["get", "--help"]);

  expect(loads).toContain("cli/src/commands/objects/get.ts");
  expect(loads.filter((name) => heavy.includes(name) && !name.startsWith("node:"))).toEqual([]);
});

test("the credential of a kubeconfig loads no command line, no parser, no schema and no network", async () => {
  await using cli = await createCli();
  const later = Date.now() + 3_600_000;
  await saveHubContext(cli.configFile, {
    name: "hub",
    hub: "https://hub",
    session: { id: "s", accessToken: "a", accessTokenExpiresAt: later, refreshAt: later, refreshToken: "r" },
  });

  const loads = await loadsOf(cli.home, ["credential"]);

  expect(loads).toContain("cli/src/credential/run-credential.ts");
  expect(loads.filter((name) => [...heavy, "commander", "picocolors"].includes(name))).toEqual([]);
  expect(loads.filter((name) => name.startsWith("cli/src/commands/"))).toEqual([]);
});
