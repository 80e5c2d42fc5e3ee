// Helm against an API server that fails at times, through the door that commands' programs use.
import { until } from "@fairlead/kernel/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FaultyApi, openFaultyApi } from "../faulty-api.fixture.ts";
import { chart, configMap, deployment, type Harness, openHarness } from "./harness.fixture.ts";

let harness: Harness;
let api: FaultyApi;
beforeEach(async () => {
  harness = await openHarness();
  api = await openFaultyApi(harness.kube);
});
afterEach(async () => {
  await api?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});

const quick = { chart: chart({ "cm.json": configMap("web", { a: "1" }) }) };

test("scenario 28: a server that sheds load is asked again by helm, after the time that it wants", async () => {
  const refusedAtMs: number[] = [];
  api.fault = ({ headers }) => {
    if (!isHelm(headers) || refusedAtMs.length === 2) return undefined;
    refusedAtMs.push(Date.now());
    return { is: "answer", code: 429, message: "busy", retryAfterSeconds: 1 };
  };
  expect(await harness.run(quick, { kube: api.kube })).toMatchObject({ failure: undefined, json: { revision: 1 } });
  const [first = 0, second = 0] = refusedAtMs;
  expect(second - first).toBeGreaterThanOrEqual(990);
});

test.each([
  [401, "Unauthorized"],
  [500, "Internal error occurred: etcdserver: leader changed"],
  [503, "the server is currently unable to handle the request"],
])(
  "scenario 28: a burst of %i (%s) ends the command once, and the next one makes the release",
  async (code, message) => {
    let left = 0;
    api.fault = ({ headers, method, url }) => {
      if (left === 0 && method !== "GET" && url?.includes("/configmaps")) left = 6;
      return isHelm(headers) && left > 0 && left-- > 1 ? { is: "answer", code, message } : undefined;
    };
    const first = await harness.run(quick, { kube: api.kube });
    expect(first).toMatchObject({
      failure: { code: "HELM_API_UNREACHABLE", retryable: true },
      json: { revision: 1, status: "failed" },
    });
    api.fault = () => undefined;
    const next = await harness.run(quick, { kube: api.kube, id: "cmd_next" });
    expect(next).toMatchObject({ failure: undefined, json: { revision: 2, status: "deployed" } });
  },
);

test("scenario 28: a slow server and watches that are cut change nothing of what comes of a release", async () => {
  const waited = { chart: chart({ "web.json": deployment("web"), "cm.json": configMap("web") }) };
  let watches = 0;
  api.fault = ({ method, url }) => {
    if (url?.includes("watch=true")) return ++watches <= 3 ? { is: "cut", afterMs: 300 } : undefined;
    return method === "GET" || !url?.includes("/configmaps") ? undefined : { is: "slow", delayMs: 5_000 };
  };
  const running = harness.run({ ...waited, wait: { timeoutSeconds: 60 } }, { kube: api.kube });
  await until(() => Promise.resolve(watches > 3), "it watches again");
  expect(await harness.whileReady("web", running)).toMatchObject({
    failure: undefined,
    json: { revision: 1, status: "deployed" },
  });
});

function isHelm(headers: object): boolean {
  return "user-agent" in headers && String(headers["user-agent"]).startsWith("fairlead-command:");
}
