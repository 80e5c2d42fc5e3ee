import type { KindTable } from "@fairlead/contract";
import { expect, test } from "vitest";
import { createCli } from "../../testing/cli.fixture.ts";
import { startContractHub } from "../../testing/hub.fixture.ts";
import { makeList, makePod } from "../../testing/objects.fixture.ts";
import { KindTables, pinTables } from "./kind-tables.ts";

const table = (column: string, clusters?: string[]): KindTable => ({
  kind: "widgets.example.com",
  apiVersion: "example.com/v1",
  kindName: "Widget",
  namespaced: true,
  columns: ["Name", column].map((name) => ({ name, type: "string", priority: 0 })),
  ...(clusters && { clusters }),
});
const widget = (cluster: string, name: string, cell: string) =>
  makePod(cluster, name, {
    kind: "widgets.example.com",
    apiVersion: "example.com/v1",
    kindName: "Widget",
    cells: [name, cell],
  });

test("a cluster's own table comes before the one for all", () => {
  const tables = new KindTables([table("Size"), table("Colour", ["west"])]);
  expect(tables.of(widget("east", "a", ""))?.columns[1]?.name).toBe("Size");
  expect(tables.of(widget("west", "a", ""))?.columns[1]?.name).toBe("Colour");
  expect(tables.of(makePod("east", "a"))).toBeUndefined();
});

test("a page's table for all becomes that of the clusters whose items the page has", () => {
  const page = { items: [widget("west", "a", "red")], tables: [table("Colour")] };
  expect(pinTables(page)).toEqual([table("Colour", ["west"])]);
  expect(pinTables({ ...page, items: [] })).toEqual([table("Colour")]);
});

test("clusters that show a kind otherwise have a table of their own, over pages too", async () => {
  await using hub = await startContractHub();
  await using cli = await createCli();
  await cli.signIn(hub);
  const pages = {
    "": makeList({ items: [widget("east", "a", "7"), widget("north", "b", "8")], tables: [table("Size")], next: "p2" }),
    "cursor=p2&": makeList({ items: [widget("west", "c", "red")], tables: [table("Colour")] }),
  };
  for (const [cursor, body] of Object.entries(pages)) {
    const query = `kind=widgets&sort=cluster&${cursor}limit=500`;
    hub.routes.set(`GET /api/v1/objects?${query}`, () => ({ status: 200, body }));
  }

  expect((await cli.run(["get", "widgets"])).stdout).toBe(
    "CLUSTER  NAMESPACE  NAME  SIZE  AGE-OF-DATA\n" +
      "east     shop       a     7     3s\n" +
      "north    shop       b     8     unknown\n" +
      "\n" +
      "CLUSTER  NAMESPACE  NAME  COLOUR  AGE-OF-DATA\n" +
      "west     shop       c     red     unknown\n",
  );
});
