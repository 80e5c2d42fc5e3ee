import { expect, test } from "vitest";
import { type ClaimingGateway, findDuplicatesAcross } from "./duplicates-across.ts";

const key = "a.example.com:443";

test("the same host and port in two clusters is found, with every gateway that claims it", () => {
  const across = findDuplicatesAcross([
    { cluster: "west", gateways: [gateway("edge", [key, "b.example.com:443"])] },
    { cluster: "east", gateways: [gateway("public", [key, "b.example.com:80"]), gateway("private", [key])] },
  ]);
  expect(across).toEqual([
    {
      host: "a.example.com",
      port: 443,
      claims: [
        { cluster: "east", gateway: "public" },
        { cluster: "east", gateway: "private" },
        { cluster: "west", gateway: "edge" },
      ],
    },
  ]);
});

test("`*` says nothing, nor does a host that one cluster has twice", () => {
  const gateways = [gateway("public", ["*:443", key]), gateway("private", ["*:443", key])];
  expect(
    findDuplicatesAcross([
      { cluster: "east", gateways },
      { cluster: "west", gateways: [gateway("edge", ["*:443"])] },
    ]),
  ).toEqual([]);
});

test.each([
  ["a gateway of one of the clusters", { east: [key], west: [] }, 0],
  ["one of each cluster", { east: [key], west: [key] }, 0],
  ["nothing", { east: [], west: [] }, 1],
  ["one for another port", { east: ["a.example.com:80"], west: [] }, 1],
])("a record that chooses %s", (_what, chosen, open) => {
  const across = findDuplicatesAcross([
    { cluster: "east", gateways: [gateway("public", [key], chosen.east)] },
    { cluster: "west", gateways: [gateway("edge", [key], chosen.west)] },
  ]);
  expect(across).toHaveLength(open);
});

test("of three clusters, two that are chosen settle nothing", () => {
  const clusters = ["east", "north", "west"].map((cluster, index) => ({
    cluster,
    gateways: [gateway("edge", [key], index < 2 ? [key] : [])],
  }));
  expect(findDuplicatesAcross(clusters)).toHaveLength(1);
});

test("the gateway that is chosen in its cluster claims the host alone there; two that are don't settle it", () => {
  const west = { cluster: "west", gateways: [gateway("edge", [key], [])] };
  const north = { cluster: "north", gateways: [gateway("edge", [key], [])] };
  const [one] = findDuplicatesAcross([
    { cluster: "east", gateways: [gateway("public", [key], [key]), gateway("private", [key], [key])] },
    west,
  ]);
  expect(one?.claims.map(({ gateway: id }) => id)).toEqual(["public", "private", "edge"]);
  const east = { cluster: "east", gateways: [gateway("public", [key], [key]), gateway("private", [key])] };
  expect(findDuplicatesAcross([east, west, north])).toEqual([]);
});

function gateway(id: string, keys: readonly string[], chosenFor: readonly string[] = []): ClaimingGateway {
  const listeners = keys.map((each) => {
    const [host = "", port] = each.split(":");
    return { host, port: Number(port) };
  });
  return { id, chosenFor, listeners };
}
