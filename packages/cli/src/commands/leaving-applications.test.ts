import { beforeEach, expect, test } from "vitest";
import { type Cli, createCli } from "../testing/cli.fixture.ts";
import { type ContractHub, startContractHub } from "../testing/hub.fixture.ts";

const path = "/api/v1/clusters/east/gitops/leaving";
let hub: ContractHub;
let cli: Cli;
beforeEach(async () => {
  hub = await startContractHub();
  cli = await createCli();
  await cli.signIn(hub);
  await cli.run(["cluster", "add", "east"]);
  hub.requests.length = 0;
  return async () => {
    await cli[Symbol.asyncDispose]();
    await hub[Symbol.asyncDispose]();
  };
});

test("a cluster's applications on the hub are let go before it is deleted, and it is said how many", async () => {
  answerLeaving({ applications: 12, deleting: 2 });
  const { code, stdout } = await cli.run(["cluster", "delete", "east", "--yes"]);
  expect([code, stdout]).toEqual([0, "Cluster 'east' is removed.\n12 applications on the hub were let go.\n"]);
  expect(lines()).toEqual([`GET ${path}`, "GET /api/v1/clusters/east", `POST ${path}`, "DELETE /api/v1/clusters/east"]);
});

test("with --keep-finalizers they stay as they are, and without any nothing is said", async () => {
  answerLeaving({ applications: 12, deleting: 2 });
  expect((await cli.run(["cluster", "delete", "east", "--yes", "--keep-finalizers"])).code).toBe(0);
  expect(lines()).toEqual(["DELETE /api/v1/clusters/east"]);
  await cli.run(["cluster", "add", "east"]);
  answerLeaving({ applications: 0, deleting: 0 });
  expect((await cli.run(["cluster", "delete", "east", "--yes"])).stdout).toBe("Cluster 'east' is removed.\n");
});

test("of a cluster that is revoked they are let go only when that is asked for", async () => {
  answerLeaving({ applications: 1, deleting: 1 });
  const { code, stderr } = await cli.run(["cluster", "revoke", "east"]);
  expect(code).toBe(0);
  expect(stderr).toContain("The hub has 1 application of this cluster, 1 of which is being deleted now.");
  expect(lines()).toEqual([`GET ${path}`, "POST /api/v1/clusters/east/revoke"]);
  expect((await cli.run(["cluster", "revoke", "east", "--let-applications-go"])).stderr).toContain(
    "To let go of the applications of cluster 'east'",
  );
  expect((await cli.run(["cluster", "revoke", "east", "--let-applications-go", "--yes"])).code).toBe(0);
  expect(lines().slice(-2)).toEqual([`POST ${path}`, "POST /api/v1/clusters/east/revoke"]);
});

function answerLeaving(numbers: object): void {
  const answer = { status: 200, body: { cluster: "east", ...numbers } };
  for (const method of ["GET", "POST"]) hub.routes.set(`${method} ${path}`, () => answer);
}

function lines(): string[] {
  return hub.requests.map(({ line }) => line).filter((line) => line.includes("/clusters/east"));
}
