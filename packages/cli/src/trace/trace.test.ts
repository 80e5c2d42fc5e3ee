import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createCli } from "../testing/cli.fixture.ts";
import { hubToken, joinToken, makeCluster, startContractHub } from "../testing/hub.fixture.ts";
import { signedIn } from "../testing/signed-in.fixture.ts";
import { describeBody, maskUrl } from "./mask.ts";
import { createRequestTrace } from "./request-trace.ts";

test.each([["-v", "6"], ["-v=6"], ["-v6"], ["--v", "6"], ["--v=6"]])(
  "%j %s tells method, URL, status and duration on standard error, and nothing else changes",
  async (...flags) => {
    await using at = await signedIn();
    at.hub.clusters.set("east", makeCluster("east"));
    const { stdout } = await at.cli.run(["cluster", "list", "-o", "name"]);

    const traced = await at.cli.run(["cluster", "list", "-o", "name", ...flags]);

    expect(traced).toMatchObject({ code: 0, stdout });
    expect(traced.stderr).toMatch(/^GET https:\/\/127\.0\.0\.1:\d+\/api\/v1\/clusters 200 in \d+ ms\n/);
    expect(traced.stderr).not.toContain("  > ");
  },
);

test("-v=7 tells headers of requests, -v=8 those of answers and what bodies have, and levels below 6 nothing", async () => {
  await using at = await signedIn();
  at.hub.clusters.set("east", makeCluster("east", { labels: { env: "prod" } }));
  const told = async (level: number) => (await at.cli.run(["cluster", "list", "-o", "name", `-v=${level}`])).stderr;

  expect(await told(5)).toBe("");
  expect(await told(7)).toMatch(/ms\n {2}> accept: application\/json\n {2}> x-request-id: req_\w+\n/);
  expect(await told(7)).not.toContain("  < ");
  const bodies = await told(8);
  expect(bodies).toContain("  > authorization: <");
  expect(bodies).toContain("  < content-type: application/json\n");
  expect(bodies).toContain('  < {"items":[{"name":"east","labels":"<object>","state":"never-connected"');
});

test("a request that fails is told as one", async () => {
  await using at = await signedIn();
  await at.hub[Symbol.asyncDispose]();

  expect((await at.cli.run(["cluster", "list", "-v=6"])).stderr).toMatch(
    /^GET https:\S+\/api\/v1\/clusters failed \(ECONNREFUSED\) in \d+ ms\n/,
  );
});

test("a level that is none is refused", async () => {
  await using at = await signedIn();

  for (const level of ["x", "-1", "100", "6a", ""])
    expect((await at.cli.run(["cluster", "list", `-v=${level}`])).code, level).toBe(2);
});

test("long bodies are cut, at a later place for -v=9", () => {
  const items = Array.from({ length: 1_000 }, () => ({ name: "pod" }));
  const told = (level: number): string => {
    const texts: string[] = [];
    const trace = createRequestTrace({ level, write: (text) => texts.push(text), clock: () => 0 });
    trace?.begin({ method: "GET", url: "https://hub/x" })({ status: 200, body: JSON.stringify({ items }) });
    return texts.join("");
  };

  expect(told(8)).toMatch(/ … \d+ more characters\n$/);
  expect(told(8).length).toBeLessThan(1_200);
  expect(told(9).length).toBeGreaterThan(15_000);
});

test.each([0, 6, 7, 8, 9, 10, 99])("no token, secret or password is told at level %d", async (level) => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  const canary = "c4n4ry-of-somebody";
  const flag = `-v=${level}`;
  const ca = join(cli.home, "ca.pem");
  await writeFile(ca, hub.authority.caPem);
  let told = "";
  const run = async (...args: string[]): Promise<void> => {
    const { stderr } = await cli.run([...args, flag], { stdin: hubToken });
    told += stderr;
  };
  await run("login", hub.url, "--token-file", "-", "--ca-file", ca);
  await run("cluster", "add", "east", "--json");
  await run("cluster", "token", "create", "east", "--json");
  // The hub no longer knows the token, so the session is refreshed.
  const sessionTokens = [...hub.sessions.accessTokens.keys()];
  hub.sessions.accessTokens.clear();
  await run("cluster", "list");
  const answer = { token: `flb_${canary}`, id: "t", robot: "ci", secret: canary, name: "ci" };
  hub.routes.set("POST /api/v1/robots/ci/tokens", () => ({ status: 201, body: answer }));
  await run("access", "robot", "token", "create", "ci");
  const release = join(cli.home, "release.yaml");
  await writeFile(
    release,
    `release: web\nchart: {files: {Chart.yaml: "name: ${canary}"}}\nvalues: {name: ${canary}, message: ${canary}, kind: {type: ${canary}}}\n`,
  );
  await run("run", "helm", "-f", release, "--cluster", "east");
  const object = join(cli.home, "repository.yaml");
  const repository = "kind: Secret\nmetadata: {name: shop}\nstringData:";
  await writeFile(
    object,
    `${repository} {password: ${canary}, name: ${canary}, type: git, url: "https://u:${canary}@x"}\n`,
  );
  await run("argo", "object", "apply", "-f", object);
  await run("audit", "list", "--user", canary);

  if (level >= 6) expect(told).toContain("POST https://");
  if (level >= 8) expect(told).toContain("  > {");
  const requests = hub.requests.map(({ line }) => line);
  expect(requests).toContain("POST /api/v1/sessions/refresh");
  expect(requests.some((line) => line.startsWith("POST /api/v1/commands"))).toBe(true);
  expect(requests.some((line) => line.includes("argo"))).toBe(true);
  const tokens = [hubToken, joinToken, ...sessionTokens, ...hub.sessions.accessTokens.keys()];
  const trace = told.split("\n").filter((line) => /^(GET|POST|PUT|DELETE|HEAD) |^ {2}[<>] /.test(line));
  for (const secret of [canary, ...tokens, "Bearer"]) expect(trace.join("\n")).not.toContain(secret);
});

test("parameters and users of addresses are told by a list of names", () => {
  expect(maskUrl("https://u:p@hub:1/api/x?kind=pods&code=s3cr3t&token=s3cr3t")).toBe(
    "https://hub:1/api/x?kind=pods&code=<6 characters>&token=<6 characters>",
  );
});

test("members that aren't known hide all beneath them, and what isn't JSON is told by its size", () => {
  expect(
    describeBody('{"name":"a","data":{"name":"b"},"items":[{"kind":"c","pin":12,"ready":true,"list":["d"]}]}'),
  ).toBe('{"name":"a","data":"<object>","items":[{"kind":"c","pin":"<number>","ready":true,"list":"<array>"}]}');
  expect(describeBody("token=abc")).toBe("<9 bytes, not JSON>");
});
