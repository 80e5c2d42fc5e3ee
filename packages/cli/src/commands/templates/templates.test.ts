import { expect, test } from "vitest";
import { createCli } from "../../testing/cli.fixture.ts";
import { hubNow, startContractHub } from "../../testing/hub.fixture.ts";

const changedAt = new Date(hubNow).toISOString();
const web = {
  name: "web",
  description: "A chart\u001b[2J",
  kind: "helm",
  clusters: { selector: "env=test" },
  revision: 17,
  changedBy: "anna",
  changedAt,
  approvals: { required: 2 },
  spec: { release: "web" },
  parameters: {
    type: "object",
    required: ["app"],
    properties: {
      app: { type: "string", description: "Its name" },
      replicas: { type: "integer", default: 2, maximum: 9 },
      isPublic: { type: "boolean" },
      env: { type: "object" },
    },
  },
};
const rendered = {
  name: "web",
  revision: 17,
  kind: "helm",
  target: "helm/apps/shop",
  namespace: "apps",
  parameters: { app: "shop" },
  spec: { release: "shop" },
};

async function openHarness() {
  await using opened = new AsyncDisposableStack();
  const hub = opened.use(await startContractHub());
  const cli = opened.use(await createCli());
  await cli.signIn(hub);
  const asked: unknown[] = [];
  hub.routes.set("GET /api/v1/templates/web", () => ({ status: 200, body: web }));
  const answer = (route: string, status: number, body: unknown) =>
    hub.routes.set(route, (text) => {
      asked.push(text === "" || text === undefined ? undefined : JSON.parse(text));
      return { status, body };
    });
  const owned = opened.move();
  return { hub, cli, asked, answer, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

test("a template is made of a file, listed, shown with its parameters, and removed", async () => {
  await using harness = await openHarness();
  const { cli, asked, answer } = harness;
  answer("PUT /api/v1/templates/web", 200, web);
  answer("DELETE /api/v1/templates/web", 204, undefined);
  harness.hub.routes.set("GET /api/v1/templates", () => ({ status: 200, body: { items: [web] } }));
  const { stdout } = await cli.run(["template", "apply", "-f", "-"], { stdin: JSON.stringify(web) });
  expect(stdout).toBe("web is at revision 17.\n");
  const { name: _, changedAt: _at, changedBy: _by, ...request } = web;
  expect(asked).toEqual([request]);
  expect((await cli.run(["template", "list"])).stdout).toMatch(/^web +helm +env=test +17 .* anna +A chart�\[2J$/m);
  const shown = (await cli.run(["template", "get", "web"])).stdout;
  expect(shown).toMatch(/^app +string +needed +- +Its name$/m);
  expect(shown).toMatch(/^replicas +integer +2 +\{"maximum":9\} +-$/m);
  expect((await cli.run(["template", "delete", "web", "--yes"])).stdout).toBe("Template 'web' is removed.\n");
});

test("words are of the types that the template says, over those of the file", async () => {
  await using harness = await openHarness();
  const { cli, asked, answer } = harness;
  answer("POST /api/v1/templates/web/render", 200, rendered);
  const set = ["--set", "app=3", "--set", "isPublic=true", "--set", "env={A: b}", "--set", "other=1"];
  const stdin = "{app: file, replicas: 4}";
  const { stdout } = await cli.run(["template", "render", "web", "-f", "-", ...set, "--set", "replicas=x"], { stdin });
  expect(asked).toEqual([{ parameters: { app: "3", replicas: "x", isPublic: true, env: { A: "b" }, other: "1" } }]);
  expect(stdout).toBe(
    "web, revision 17, would be helm/apps/shop.\n\nParameters:\n  app: shop\n\nSpec:\n  release: shop\n",
  );
});

test("a template is used in several clusters, as what it says would be", async () => {
  await using harness = await openHarness();
  const { cli, asked, answer } = harness;
  const command = {
    id: "cmd_1",
    cluster: "east",
    kind: "helm",
    target: "helm/apps/shop",
    namespace: "apps",
    dryRun: false,
    state: "queued",
    requester: "ann",
    priority: 5,
    createdAt: changedAt,
    deadlineAt: changedAt,
    claims: 0,
    logBytes: 0,
    template: { name: "web", revision: 17 },
  };
  answer("POST /api/v1/commands", 201, command);
  const args = ["run", "template", "web", "--set", "replicas=4", "--cluster", "east", "--cluster", "west"];
  const { stdout, code } = await cli.run(args);
  expect([code, stdout]).toEqual([0, expect.stringContaining("helm/apps/shop")]);
  const request = { kind: "template", spec: { name: "web", parameters: { replicas: 4 } } };
  expect(asked).toMatchObject([
    { cluster: "east", ...request },
    { cluster: "west", ...request },
  ]);
  const wrong = await cli.run(["run", "template", "web", "--set", "replicas", "--cluster", "east"]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("CLI_USAGE")]);
});
