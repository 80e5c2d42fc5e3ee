// The result of admission for each way in and out of it: the error, and how far the request was understood by then.
import type { IncomingMessage } from "node:http";
import { FairleadError } from "@fairlead/kernel";
import { describe, expect, it } from "vitest";
import { admit } from "./admission.ts";
import { type Admission, createCall } from "./call.ts";
import { alice, allowAll, createTestAccess, createTestAudit, deny } from "./ports.fixture.ts";
import type { AccessPort, ProxyPorts } from "./ports.ts";

interface Case {
  readonly url?: string;
  readonly isUpgrade?: boolean;
  readonly headers?: Record<string, string>;
  readonly authorization?: string;
  readonly access?: AccessPort;
  readonly ports?: Partial<ProxyPorts>;
}

const pods = "/k8s/clusters/east/api/v1/pods";
const exec = "/k8s/clusters/east/api/v1/namespaces/a/pods/b/exec";
const websocket = { upgrade: "websocket", connection: "Upgrade" };
const full = new FairleadError({ code: "LIMITS_TOO_MANY", message: "too many" });
const recorded: AccessPort["authorize"] = (request) => ({ ...allowAll(request), record: true }) as never;
const late: AccessPort = { ...createTestAccess(), authenticate: async () => alice };
const lateRefusal: AccessPort = { ...createTestAccess(), authenticate: () => Promise.reject(full) };
const throws = (): never => {
  throw full;
};

/** `known` names the parts that are known: the principal (p), the attributes (a), an impersonation (i). */
const refusals: readonly (readonly [name: string, given: Case, code: string, known: string])[] = [
  ["nobody is signed in", { authorization: "Bearer bad" }, "INTERNAL", ""],
  ["the sign-in that was looked up doesn't hold", { access: lateRefusal }, "LIMITS_TOO_MANY", ""],
  ["the body is oddly encoded", { headers: { "transfer-encoding": "gzip, chunked" } }, "PROXY_REQUEST_INVALID", "p"],
  ["the path names no cluster", { url: "/k8s/clusters/" }, "PROXY_PATH_INVALID", "p"],
  ["the path can be read in two ways", { url: `${pods}//x` }, "PROXY_PATH_INVALID", "p"],
  [
    "the upgrade is none of Kubernetes",
    { isUpgrade: true, headers: { upgrade: "h2c" } },
    "PROXY_UPGRADE_UNSUPPORTED",
    "pa",
  ],
  ["the impersonation can't be read", { headers: { "Impersonate-Group": "g" } }, "PROXY_IMPERSONATION_INVALID", "pa"],
  ["policy denies it", { access: createTestAccess(deny("no")) }, "PROXY_ACCESS_DENIED", "pa"],
  [
    "policy denies the one whom it is made as",
    { headers: { "Impersonate-User": "bob" }, access: createTestAccess(deny("no")) },
    ...(["PROXY_ACCESS_DENIED", "pai"] as const),
  ],
  ["it would be made as the system", { headers: { "Impersonate-User": "system:admin" } }, "PROXY_ACCESS_DENIED", "pai"],
  ["the cluster isn't there", { ports: { exists: () => false } }, "PROXY_CLUSTER_UNKNOWN", "pa"],
  ["a limit is reached", { ports: { limits: { admit: throws } } }, "LIMITS_TOO_MANY", "pa"],
  ["its beginning can't be recorded", { ports: { audit: { begin: throws } } }, "LIMITS_TOO_MANY", "pa"],
];

describe("a request is refused", () => {
  it.each(refusals)("when %s", async (_, given, code, known) => {
    const admission = await run(given);
    if (admission.is !== "refused") throw new Error("it was admitted");
    expect(admission.error.code).toBe(code);
    const { principal, attributes, impersonate } = admission.known;
    expect(`${principal ? "p" : ""}${attributes ? "a" : ""}${impersonate ? "i" : ""}`).toBe(known);
  });

  it("and gives back its place when its beginning can't be recorded", async () => {
    const released: string[] = [];
    const lease = { pace: () => 0, release: () => void released.push("released") };
    await run({ ports: { limits: { admit: () => lease }, audit: { begin: throws } } });
    expect(released).toEqual(["released"]);
  });
});

describe("a request is admitted", () => {
  it.each<[string, Case, object]>([
    ["at once when its sign-in is known", {}, { isRecorded: false, requestId: "req_mine", impersonate: undefined }],
    ["later when that must be looked up", { access: late }, { isRecorded: false, requestId: "req_mine" }],
    [
      "as somebody else",
      { headers: { "Impersonate-User": "bob" } },
      { impersonate: { user: "bob" }, identity: { user: "bob", actor: "alice", remoteAddress: "192.0.2.1" } },
    ],
    [
      "with an id of the hub's when it is recorded",
      { url: exec, isUpgrade: true, headers: websocket, access: createTestAccess(recorded) },
      { isRecorded: true, requestId: expect.not.stringContaining("req_mine") },
    ],
  ])("%s", async (_, given, expected) => {
    const { access = createTestAccess() } = given;
    const audit = createTestAudit();
    const admission = await run({ ...given, access, ports: { audit, ...given.ports } });
    expect(admission).toMatchObject({ is: "admitted", principal: alice, target: { cluster: "east" }, ...expected });
    expect(audit.records.map(({ start }) => start.requestId)).toEqual([
      admission.is === "admitted" ? admission.requestId : "",
    ]);
  });

  it("without a promise unless its sign-in must be looked up", () => {
    expect([run({}) instanceof Promise, run({ access: late }) instanceof Promise]).toEqual([false, true]);
  });
});

function run(given: Case): Admission | Promise<Admission> {
  const { url = pods, isUpgrade = false, authorization = "Bearer good", access = createTestAccess() } = given;
  const headers: Record<string, string> = { "x-request-id": "req_mine", ...given.headers };
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const req = {
    method: "GET",
    url,
    headers: lower,
    rawHeaders: Object.entries(headers).flat(),
    socket: { remoteAddress: "192.0.2.1" },
  } as unknown as IncomingMessage;
  const ports: ProxyPorts = {
    access,
    exists: () => true,
    connections: () => [],
    absence: () => ({ state: "offline", sinceMs: 0, lostMs: undefined }),
    ...given.ports,
  };
  return admit({ call: createCall(req, { isUpgrade }), authorization, ports });
}
