import { FairleadError, toProblem } from "@fairlead/kernel";
import { expect, test } from "vitest";
import { deploymentTable, makeDeployment, makeList, makePod, podTable } from "../../testing/objects.fixture.ts";
import { signedIn } from "../../testing/signed-in.fixture.ts";

const kinds = [
  { kind: "pods", apiVersion: "v1", kindName: "Pod", namespaced: true, shortNames: ["po"], clusters: 2, objects: 7 },
  { kind: "nodes", apiVersion: "v1", kindName: "Node", namespaced: false, shortNames: ["no"], clusters: 2, objects: 3 },
  {
    kind: "deployments.apps",
    apiVersion: "apps/v1",
    kindName: "Deployment",
    namespaced: true,
    shortNames: ["deploy"],
    clusters: 1,
    objects: 2,
  },
];

async function asking() {
  const signed = await signedIn();
  const { hub } = signed;
  hub.routes.set("GET /api/v1/kinds", () => ({ status: 200, body: { items: kinds } }));
  const refuse = (query: string): void => {
    const error = new FairleadError({ code: "OBJECTS_KIND_UNKNOWN", message: "The hub says why.", httpStatus: 404 });
    const answer = { status: 404, body: toProblem(error, { requestId: "req_1" }) };
    hub.routes.set(`GET /api/v1/objects?${query}`, () => answer);
  };
  return { ...signed, refuse, [Symbol.asyncDispose]: () => signed[Symbol.asyncDispose]() };
}

test.each([
  [["get", "podz"], "kind=podz&sort=cluster&limit=500", "podz: did you mean pods?"],
  [["get", "deploymnts"], "kind=deploymnts&sort=cluster&limit=500", "deploymnts: did you mean deployments?"],
  [["get", "pods,nodez"], "kind=pods%2Cnodez&sort=cluster&limit=500", "  nodez: did you mean nodes?"],
  [["describe", "podz", "x"], "kind=podz&name=x&sort=cluster&limit=21", "podz: did you mean pods?"],
])("%j names the nearest kind", async (args, query, told) => {
  await using at = await asking();
  at.refuse(query);

  const result = await at.cli.run(args);

  expect(result).toMatchObject({ code: 4, stdout: "" });
  expect(result.stderr).toContain("(CLI_KIND_UNKNOWN)");
  expect(result.stderr).toContain(told);
});

test("a kind that is near none keeps the hub's words", async () => {
  await using at = await asking();
  at.refuse("kind=certificaterequests&sort=cluster&limit=500");

  expect((await at.cli.run(["get", "certificaterequests"])).stderr).toContain(
    "The hub says why. (OBJECTS_KIND_UNKNOWN)",
  );
});

test("a name that isn't there is told with its kind's plural and the nearest name", async () => {
  await using at = await asking();
  const answer = (query: string, body: object): unknown =>
    at.hub.routes.set(`GET /api/v1/objects?${query}`, () => ({ status: 200, body }));
  answer("kind=po&name=web-00&sort=cluster&limit=500", makeList());
  answer("kind=po&sort=name&limit=500", makeList({ items: [makePod("east", "db-0"), makePod("east", "web-0")] }));

  expect(await at.cli.run(["get", "po", "web-00"])).toEqual({
    code: 4,
    stdout: "",
    stderr:
      "fairlead: There are no pods named 'web-00' that you can see in east. (CLI_OBJECT_NOT_FOUND)\n  Did you mean 'web-0'?\n",
  });
});

test("`get all` asks for the kinds of kubectl's category that clusters have", async () => {
  await using at = await asking();
  const query = "kind=pods%2Cdeployments.apps&sort=cluster&limit=500";
  const items = [makePod("east", "web-0"), makeDeployment("east", "web")];
  const body = makeList({ items, tables: [podTable, deploymentTable] });
  at.hub.routes.set(`GET /api/v1/objects?${query}`, () => ({ status: 200, body }));

  const { code, stdout } = await at.cli.run(["get", "all"]);

  expect(code).toBe(0);
  expect(stdout).toMatch(/pod\/web-0[\s\S]*deployment\.apps\/web/);
  expect((await at.cli.run(["get", "all", "web"])).code).toBe(2);
});

test("api-resources lists kinds as kubectl does, and filters them", async () => {
  await using at = await asking();
  const names = async (...args: string[]) => (await at.cli.run(["api-resources", ...args, "-o", "name"])).stdout;

  expect((await at.cli.run(["api-resources"])).stdout).toMatch(
    /^NAME +SHORTNAMES +APIVERSION +NAMESPACED +KIND +CLUSTERS +OBJECTS\nnodes +no +v1 +false +Node +2 +3\n/,
  );
  expect(await names()).toBe("kind/nodes\nkind/pods\nkind/deployments.apps\n");
  expect(await names("--api-group", "apps")).toBe("kind/deployments.apps\n");
  expect(await names("--no-namespaced")).toBe("kind/nodes\n");
  expect(await names("--namespaced")).toBe("kind/pods\nkind/deployments.apps\n");
});
