// A hub has two addresses, and everybody takes one for the other some day: the hub says which is which.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { waitUntil } from "@fairlead/kernel/testing";
import { findLogLines, startAgent, startHub, type TestHub } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import { enrollRaw } from "./enroll-raw.ts";
import { openRawLink } from "./raw-agent.ts";

let hub: TestHub;
let folder = "";
const undo = new AsyncDisposableStack();

beforeAll(async () => {
  hub = undo.use(await startHub());
  folder = await mkdtemp(join(tmpdir(), "fairlead-listeners-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
});
afterAll(() => undo.disposeAsync());

describe("15: fairlead-agent --hub with people's address", () => {
  it("says once which address to give instead, and asks again without hurry", async () => {
    const tokenFile = join(folder, "token");
    await hub.cli(["cluster", "add", "east", "--token-out", tokenFile]);
    const kubeconfig = join(folder, "kubeconfig");
    await writeFile(kubeconfig, JSON.stringify(unusedKubeconfig));
    await using agent = await startAgent({
      name: "east",
      hubUrl: hub.url,
      tokenFile,
      kubeconfig,
      waitForLink: false,
    });
    const told = `This address is for people and tools; agents dial ${hub.agentUrl}.`;
    const errors = async (): Promise<string[]> =>
      (await findLogLines(agent.logFile, `${told} Until then the agent asks once in a while.`)).map((line) =>
        JSON.stringify(line),
      );
    expect(await waitUntil(async () => (await errors()).length > 0, { timeoutMs: 60_000 })).toBe(true);
    // It used to ask again half a second later, and then a second.
    await delay(4_000);
    const [line, ...more] = await errors();
    expect(line).toContain("API_LISTENER_WRONG");
    expect(line).toContain(`Start the agent with --hub ${hub.agentUrl}.`);
    expect(more).toEqual([]);
    expect((await requestHub(hub, "/metrics")).text).toMatch(/code="API_LISTENER_WRONG"[^}]*\} 1$/m);
    expect(agent.process.hasExited).toBe(false);
  });

  it("is told the same when it has an identity and asks for a link", async () => {
    const agent = await enrollRaw(hub, "west", ["proxy"]);
    expect(await readRefusal("/agent/v1/link", hub.port)).toMatchObject({ status: 421, ...forAgents() });
    expect(await openRawLink({ ...agent, agentUrl: hub.url })).toBeUndefined();
    expect(await openRawLink(agent)).toMatchObject({ readyState: 1 });
  });
});

describe("15: fairlead login with agents' address", () => {
  it("says which address to give instead, and ends at once", async () => {
    const result = await hub.cli(["login", hub.agentUrl, "--ca-fingerprint", hub.caFingerprint], {
      env: { FAIRLEAD_TOKEN: hub.adminToken },
      allowFailure: true,
    });
    expect(result.code).not.toBe(0);
    expect(result.stderr).toContain(`This address is for agents; people and tools use ${hub.url}.`);
    expect(result.stderr).toContain("API_LISTENER_WRONG");
    expect(result.stderr).toContain(`fairlead login ${hub.url}`);
  });

  it.each(["/", "/login", "/api/v1/whoami", "/k8s/clusters/east/api", "/ca.pem"])("%s names it too", async (path) => {
    const answer = await requestHub({ ...hub, port: hub.agentPort }, path, { authorization: undefined });
    expect(answer.status).toBe(421);
    expect(answer.json()).toMatchObject({ code: "API_LISTENER_WRONG", detail: expect.stringContaining(hub.url) });
  });
});

describe("15: what no listener serves", () => {
  it("stays unknown at both", async () => {
    expect((await requestHub(hub, "/nowhere")).json()).toMatchObject({ code: "API_ROUTE_UNKNOWN" });
    const atAgents = await requestHub({ ...hub, port: hub.agentPort }, "/agent/v1/nowhere");
    expect(atAgents.json()).toMatchObject({ code: "API_ROUTE_UNKNOWN" });
    expect(await readRefusal("/nowhere", hub.port)).toMatchObject({ status: 404, code: "API_ROUTE_UNKNOWN" });
  });
});

function forAgents(): object {
  return { code: "API_LISTENER_WRONG", detail: `This address is for people and tools; agents dial ${hub.agentUrl}.` };
}

/** Sends a request to become a WebSocket, and reads its refusal. */
async function readRefusal(path: string, port: number): Promise<object> {
  const headers = { connection: "Upgrade", upgrade: "websocket" };
  const answer = await requestHub({ ...hub, port }, path, { headers, authorization: undefined });
  return { status: answer.status, ...(answer.json() as object) };
}

const unusedKubeconfig = {
  "current-context": "a",
  contexts: [{ name: "a", context: { cluster: "c" } }],
  clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1" } }],
};
