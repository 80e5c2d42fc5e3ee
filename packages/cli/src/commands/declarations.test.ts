import { expect, test } from "vitest";
import { createCli } from "../testing/cli.fixture.ts";
import { startContractHub } from "../testing/hub.fixture.ts";

test("what is declared is a table with what was put right, and with why new files aren't in force", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  const at = "2026-05-06T07:00:00Z";
  const body = {
    folder: "/etc/fairlead/declarations",
    keepsNothing: false,
    readAt: at,
    problem: { code: "DECLARATION_SYNTAX", message: "a.yaml, line 3: this isn't YAML: odd.", since: at },
    items: [
      { kind: "Cluster", name: "east", file: "a.yaml", state: "declared" },
      { kind: "Role", name: "ops", file: "a.yaml", state: "declared", drift: { at, detail: "it was gone" } },
      { kind: "Robot", name: "ci", state: "undeclared" },
    ],
  };
  hub.routes.set("GET /api/v1/declarations", () => ({ status: 200, body }));
  const { code, stdout } = await cli.run(["declaration", "list"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Cluster +east +declared +a\.yaml/m);
  expect(stdout).toMatch(/^Role +ops +declared +a\.yaml +put right at 2026-05-06T07:00:00Z: it was gone/m);
  expect(stdout).toMatch(/^Robot +ci +undeclared +-/m);
  expect(stdout).toMatch(/a\.yaml, line 3: this isn't YAML: odd\. \(DECLARATION_SYNTAX\)/);
  expect(JSON.parse((await cli.run(["declaration", "list", "--json"])).stdout)).toEqual(body);
});
