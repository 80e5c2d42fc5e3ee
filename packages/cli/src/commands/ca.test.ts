import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createAuthority, describeCertificate } from "@fairlead/protocol/x509";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { type Cli, createCli } from "../testing/cli.fixture.ts";
import { type ContractHub, hubToken, makeCluster, startContractHub } from "../testing/hub.fixture.ts";

async function readCa(cli: Cli, hub: ContractHub): Promise<string | undefined> {
  const { contexts } = JSON.parse(await readFile(cli.configFile, "utf8"));
  return contexts[new URL(hub.url).host].ca;
}

const status = (use: string, agents: number, clusters: string[] = []) => ({
  fingerprint: "ab".repeat(32),
  use,
  agents,
  clusters,
  createdAt: "2026-05-06T07:00:00Z",
  notAfter: "2036-05-06T07:00:00Z",
});

test("the state of the authorities is a table, and names who is left", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  const body = { state: "overlapping", authorities: [status("leaving", 1, ["west"]), status("coming", 41)] };
  hub.routes.set("GET /api/v1/ca", () => ({ status: 200, body }));

  const { code, stdout } = await cli.run(["ca", "status"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/leaving +(ab){32} +\S+ +2036-05-06 +1\ncoming .* 41\n\nNot renewed yet: west\n/);
  expect(JSON.parse((await cli.run(["ca", "status", "--json"])).stdout)).toEqual(body);
});

test("rotating takes a span, retiring asks and says when it is forced", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  const body = { state: "single", authorities: [status("current", 2)] };
  for (const act of ["rotate", "retire"]) hub.routes.set(`POST /api/v1/ca/${act}`, () => ({ status: 200, body }));

  expect((await cli.run(["ca", "rotate", "--renew-within", "10m"])).code).toBe(0);
  expect(JSON.parse(hub.requests.at(-1)?.body ?? "")).toEqual({ renewWithinMs: 600_000 });
  expect((await cli.run(["ca", "retire"])).code).not.toBe(0);
  expect((await cli.run(["ca", "retire", "--force", "--yes"])).code).toBe(0);
  expect(JSON.parse(hub.requests.at(-1)?.body ?? "")).toEqual({ force: true });
});

test("a context learns the new authority from its hub, and forgets the old one when that is gone", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  const coming = await createAuthority({ commonName: "coming", days: 1 });
  const other = await createAuthority({ commonName: "other", days: 1 });

  hub.caBundle = hub.authority.caPem;
  await cli.run(["whoami"]);
  expect(hub.requests.some(({ line }) => line === "GET /ca.pem")).toBe(false);

  hub.caBundle = hub.authority.caPem + coming.caPem;
  expect((await cli.run(["whoami"])).code).toBe(0);
  expect(await readCa(cli, hub)).toBe(hub.caBundle);
  const asked = hub.requests.length;
  await cli.run(["whoami"]);
  expect(hub.requests.slice(asked).map(({ line }) => line)).not.toContain("GET /ca.pem");

  // A hub whose own CA isn't what is trusted here: somebody else's certificate stands before it.
  hub.caBundle = other.caPem;
  await cli.run(["whoami"]);
  expect(await readCa(cli, hub)).toBe(hub.authority.caPem + coming.caPem);

  hub.caBundle = hub.authority.caPem;
  await cli.run(["whoami"]);
  expect(await readCa(cli, hub)).toBe(hub.authority.caPem);
});

test("kubectl's plugin learns it too, when it renews its token", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  const coming = await createAuthority({ commonName: "coming", days: 1 });
  hub.caBundle = hub.authority.caPem + coming.caPem;
  const { contexts, ...rest } = JSON.parse(await readFile(cli.configFile, "utf8"));
  const name = new URL(hub.url).host;
  const session = { ...contexts[name].session, refreshAt: 0 };
  await writeFile(cli.configFile, JSON.stringify({ ...rest, contexts: { [name]: { ...contexts[name], session } } }));

  const { code } = await cli.run(["credential"]);
  expect(code).toBe(0);
  expect(await readCa(cli, hub)).toBe(hub.caBundle);
});

test("signing in with one authority's fingerprint keeps both", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  const coming = await createAuthority({ commonName: "coming", days: 1 });
  hub.caBundle = hub.authority.caPem + coming.caPem;
  const { fingerprint } = describeCertificate(hub.authority.caPem);

  const { code } = await cli.run(["login", hub.url, "--ca-fingerprint", fingerprint], { stdin: hubToken });
  expect(code).toBe(0);
  expect(await readCa(cli, hub)).toBe(hub.caBundle);
});

test("contexts are written with both, and --refresh brings those of before up to date and leaves the rest alone", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  hub.clusters.set("east", makeCluster("east"));
  const file = join(cli.home, "kubeconfig");
  await cli.run(["kubeconfig", "east", "--output", file]);
  const before = parse(await readFile(file, "utf8"));
  const coming = await createAuthority({ commonName: "coming", days: 1 });
  hub.caBundle = hub.authority.caPem + coming.caPem;

  const refreshed = await cli.run(["kubeconfig", "--refresh", file]);
  expect(refreshed.code).toBe(0);
  expect(refreshed.stdout).toContain("fairlead-east");
  const after = parse(await readFile(file, "utf8"));
  const data = Buffer.from(hub.caBundle).toString("base64");
  expect(after.clusters[0].cluster["certificate-authority-data"]).toBe(data);
  before.clusters[0].cluster["certificate-authority-data"] = data;
  expect(after).toEqual(before);
  const { stdout } = await cli.run(["kubeconfig", "east"]);
  expect(parse(stdout).clusters[0].cluster["certificate-authority-data"]).toBe(data);
  expect((await cli.run(["kubeconfig", "east", "--refresh", file])).code).toBe(2);
});
