// The header by which a mesh vouches for an agent, sent by whoever likes to wherever nobody reads it.
import { hubLinkPath, linkPath, linkRolesHeader, linkSubprotocol } from "@fairlead/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, openTestHub, type TestAnswer, type TestHub } from "../../hub.fixture.ts";

const xfcc = "x-forwarded-client-cert";
const identity = "spiffe://mesh.example/ns/east/sa/fairlead-agent";
const value = `By=spiffe://mesh.example/ns/hub/sa/hub;URI=${identity}`;
const pattern = "spiffe://mesh\\.example/ns/(?<cluster>[a-z0-9-]+)/sa/fairlead-agent";
/** A hub that believes whoever sends the header from this machine. */
let believing: TestHub;
/** A hub that knows agents by certificates. */
let plain: TestHub;

beforeAll(async () => {
  const flags = ["--mesh-identity-header", xfcc, "--mesh-identity-pattern", pattern];
  [believing, plain] = await Promise.all([
    openTestHub({ args: [...flags, "--mesh-identity-peers", "127.0.0.1", "--mesh-identity-plaintext"] }),
    openTestHub(),
  ]);
  for (const { hub, admin } of [believing, plain]) {
    const headers = { ...admin, "content-type": "application/json" };
    const body = JSON.stringify({ name: "east", roles: ["proxy"] });
    await call(hub.peopleUrl, "/api/v1/clusters", { method: "POST", headers, body });
  }
});
afterAll(() => Promise.all([believing, plain].map((harness) => harness[Symbol.asyncDispose]())));

/** Each as lines: a name, and its value. */
const spellings: [string, string[]][] = [
  ["as it is", [xfcc, value]],
  ["in capitals", ["X-FORWARDED-CLIENT-CERT", value]],
  ["with underscores", ["x_forwarded_client_cert", value]],
  ["with dashes and underscores", ["X-Forwarded_client-Cert", value]],
  ["twice, in two spellings", ["X-Forwarded-Client-Cert", value, "x-forwarded-CLIENT-cert", value]],
  ["as one hub tells another", ["X-Fairlead-Agent-Mesh-Identity", identity, "X-Fairlead-Agent-Roles", "proxy"]],
];

/** For the hub of a mesh; other spellings are the header itself. */
const refusals: Readonly<Record<string, string>> = {
  "with underscores": "LINK_MESH_HEADER_MISSING",
  "with dashes and underscores": "LINK_MESH_HEADER_MISSING",
  "twice, in two spellings": "LINK_MESH_HEADER_DOUBLED",
  "as one hub tells another": "LINK_MESH_HEADER_MISSING",
};

describe.each(spellings)("a mesh's header, %s,", (_what, lines) => {
  it.each(["hub of a mesh", "hub of certificates"])(
    "says nothing at the listener for people of a %s",
    async (which) => {
      const { hub, admin } = which === "hub of a mesh" ? believing : plain;
      expect(await upgrade(hub.peopleUrl, linkPath, lines)).toMatchObject({
        status: 421,
        json: { code: "API_LISTENER_WRONG" },
      });
      for (const path of ["/api/v1/live", "/k8s/clusters/east/api/v1/pods"])
        expect((await upgrade(hub.peopleUrl, path, lines)).status, path).toBe(401);
      for (const path of ["/api/v1/whoami", "/k8s/clusters/east/api/v1/pods"])
        expect((await get(hub.peopleUrl, path, lines)).status, path).toBe(401);
      const signedIn = ["Authorization", admin.authorization, ...lines];
      expect((await get(hub.peopleUrl, "/api/v1/whoami", signedIn)).json).toMatchObject({ name: "admin" });
    },
  );

  it("says nothing at the listener for agents of a hub of certificates, nor at the door of hubs", async () => {
    expect(await upgrade(plain.hub.agentUrl, linkPath, lines)).toMatchObject({
      status: 401,
      json: { code: "LINK_CERTIFICATE_REQUIRED" },
    });
    for (const { hub } of [believing, plain])
      expect(await upgrade(hub.agentUrl, hubLinkPath, lines)).toMatchObject({ json: { code: "API_ROUTE_UNKNOWN" } });
    expect((await get(plain.hub.peopleUrl, "/api/v1/clusters/east", bearer(plain))).json).not.toMatchObject({
      state: "connected",
    });
  });
});

it.each(Object.entries(refusals))(
  "a mesh's header, %s, is refused where only the right one counts, and once",
  async (what, code) => {
    const lines = new Map(spellings).get(what) ?? [];
    const answer = await upgrade(believing.hub.agentUrl, linkPath, lines);
    expect(answer).toMatchObject({ status: 401, json: { code } });
    // Beside a right one of somebody else, which then is all that counts.
    const beside = await upgrade(believing.hub.agentUrl, linkPath, [xfcc, value.replace("east", "nobody"), ...lines]);
    const isSame = code === "LINK_MESH_HEADER_DOUBLED";
    expect(beside).toMatchObject({ json: { code: isSame ? code : "LINK_MESH_CLUSTER_UNKNOWN" } });
  },
);

function upgrade(url: string, path: string, lines: readonly string[]): Promise<TestAnswer> {
  const version = ["Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", Buffer.alloc(16).toString("base64")];
  const protocol = ["Sec-WebSocket-Protocol", linkSubprotocol, linkRolesHeader, "proxy"];
  return get(url, path, ["Connection", "Upgrade", "Upgrade", "websocket", ...version, ...protocol, ...lines]);
}

/** In lines, as a header may come twice. */
function get(url: string, path: string, lines: readonly string[]): Promise<TestAnswer> {
  return call(url, path, { headers: ["Host", new URL(url).host, ...lines] });
}

function bearer({ admin }: TestHub): string[] {
  return ["Authorization", admin.authorization];
}
