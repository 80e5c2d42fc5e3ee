// Requests with heads of hundreds of kilobytes, through hub and agent as straight at the API server.
import { request } from "node:https";
import { loadKubeconfig } from "@fairlead/kube";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await startFleet();
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

const path = "/api/v1/namespaces/default";

test.each([
  [900, 200],
  [1_040, 431],
])("%i KiB of headers get %i through the hub and straight at the API server", async (sizeKiB, status) => {
  // Some lines, as clients with several tokens have them.
  const lines = Array.from({ length: 10 }, (_, at): [string, string] => [`x-${at}`, "x".repeat(sizeKiB * 102.4)]);
  const headers = Object.fromEntries(lines);
  const through = await requestHub(fleet.hub, `/k8s/clusters/east${path}`, { headers });
  const direct = await requestDirect(headers);
  expect([through.status, direct.status]).toEqual([status, status]);
  if (status === 200) expect(through.json()).toEqual(JSON.parse(direct.text));
});

test("requests with large heads and small ones go on beside each other", async () => {
  const headers = { "x-padding": "x".repeat(900_000) };
  const all = Array.from({ length: 12 }, (_, at) =>
    requestHub(fleet.hub, `/k8s/clusters/east${path}`, at % 2 === 0 ? { headers } : {}),
  );
  expect((await Promise.all(all)).map(({ status }) => status)).toEqual(Array(12).fill(200));
});

async function requestDirect(
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly text: string }> {
  const { server, ca, cert, key } = await loadKubeconfig({ path: fleet.cluster.adminKubeconfig });
  return await new Promise((resolve, reject) => {
    const call = request(new URL(path, server), { ca, cert, key, headers, agent: false }, (answer) => {
      let text = "";
      answer.on("data", (chunk) => {
        text += String(chunk);
      });
      answer.once("end", () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    call.once("error", reject);
    call.end();
  });
}
