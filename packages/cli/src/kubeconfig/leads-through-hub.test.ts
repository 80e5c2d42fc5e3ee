import { expect, test } from "vitest";
import { leadsThroughHub } from "./leads-through-hub.ts";

const view = (server: string, extensions: readonly object[] = []) =>
  JSON.stringify({
    clusters: [{ name: "east", cluster: { server } }],
    contexts: [{ name: "east", context: { cluster: "east", user: "east", extensions } }],
  });

test("a context leads through a hub by its mark, or by its path", () => {
  const mark = { name: "fairlead.dev/managed", extension: { hub: "https://hub.example.com", cluster: "east" } };
  expect(leadsThroughHub(view("https://east.k8s.example.com", [mark]))).toBe(true);
  expect(leadsThroughHub(view("https://hub.example.com/k8s/clusters/east"))).toBe(true);
  expect(leadsThroughHub(view("https://192.0.2.1:6443"))).toBe(false);
  expect(leadsThroughHub(view("https://192.0.2.1:6443", [{ name: "other" }]))).toBe(false);
  expect(leadsThroughHub("{}")).toBe(false);
});
