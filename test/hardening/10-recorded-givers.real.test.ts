// A user who is recorded can't make a way around it for themselves or for others.
import { startHub, type TestHub } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";

let hub: TestHub;
let lead: string;
let recordedId: string;
const all = { all: true };
const leadSubject = { kind: "robot", name: "lead" };
beforeAll(async () => {
  hub = await startHub();
  const giving = { verbs: ["*"], resources: ["roles", "bindings", "robots", "robots/tokens", "users"] };
  await asAdmin("PUT", "/api/v1/roles/binder", { hubRules: [giving] });
  await asAdmin("PUT", "/api/v1/roles/bound", {});
  for (const name of ["lead", "free", "bound"]) await asAdmin("POST", "/api/v1/robots", { name });
  await asAdmin("POST", "/api/v1/bindings", { subject: leadSubject, role: "binder", clusters: all });
  const recorded = { subject: leadSubject, role: "operator", clusters: all, record: true };
  recordedId = String((await asAdmin("POST", "/api/v1/bindings", recorded))["id"]);
  // The same again by another role, unrecorded: together they are recorded.
  await asAdmin("PUT", "/api/v1/roles/runner", { clusterRules: [{ verbs: ["*"], resources: ["*"] }] });
  await asAdmin("POST", "/api/v1/bindings", { subject: leadSubject, role: "runner", clusters: all });
  await asAdmin("POST", "/api/v1/bindings", {
    subject: { kind: "robot", name: "free" },
    role: "runner",
    clusters: all,
  });
  await asAdmin("POST", "/api/v1/bindings", {
    subject: { kind: "robot", name: "bound" },
    role: "bound",
    clusters: all,
  });
  lead = String((await asAdmin("POST", "/api/v1/robots/lead/tokens", { ttlMs: 3_600_000 }))["token"]);
});
afterAll(() => hub[Symbol.asyncDispose]());

describe("10: someone who is recorded", () => {
  const other = { kind: "user", name: "accomplice" };

  it("gives the same unrecorded by no role that they have", async () => {
    for (const role of ["operator", "runner"]) {
      const gift = { subject: other, role, clusters: { names: ["east"] } };
      expect(await asLead("POST", "/api/v1/bindings", gift), role).toBe("ACCESS_UNRECORDED");
      expect(await asLead("POST", "/api/v1/bindings", { ...gift, record: true }), role).toBe(201);
    }
  });

  it("puts it into no role that is bound unrecorded already", async () => {
    const exec = { clusterRules: [{ verbs: ["create"], resources: ["pods/exec"] }] };
    expect(await asLead("PUT", "/api/v1/roles/bound", exec)).toBe("ACCESS_UNRECORDED");
    expect(await asLead("PUT", "/api/v1/roles/unbound", exec)).toBe(200);
    expect(await asLead("POST", "/api/v1/bindings", { subject: other, role: "unbound", clusters: all })).toBe(
      "ACCESS_UNRECORDED",
    );
  });

  it("gives nobody a kubelet's own API, by which they would run things past the recorder", async () => {
    const kubelet = { clusterRules: [{ verbs: ["get"], resources: ["nodes/proxy"] }] };
    expect(await asLead("PUT", "/api/v1/roles/kubelet", kubelet)).toBe(200);
    const gift = { subject: other, role: "kubelet", clusters: all };
    expect(await asLead("POST", "/api/v1/bindings", gift)).toBe("ACCESS_UNRECORDED");
  });

  it("gets no token of a robot that may do the same unrecorded", async () => {
    expect(await asLead("POST", "/api/v1/robots/free/tokens", { ttlMs: 60_000 })).toBe("ACCESS_UNRECORDED");
  });

  it("takes away neither the binding that has them recorded nor what it gives", async () => {
    expect(await asLead("DELETE", `/api/v1/bindings/${recordedId}`)).toBe("ACCESS_UNRECORDED");
  });

  it("still gives what nobody records", async () => {
    const gift = { subject: other, role: "viewer", clusters: all };
    // A viewer's rules, without the group of the built-in role, which the lead lacks.
    const looking = { clusterRules: [{ verbs: ["get", "list", "watch"], resources: ["pods"] }] };
    expect(await asLead("PUT", "/api/v1/roles/looker", looking)).toBe(200);
    expect(await asLead("POST", "/api/v1/bindings", { ...gift, role: "looker" })).toBe(201);
  });

  it("is set free by someone who isn't recorded", async () => {
    expect((await requestHub(hub, `/api/v1/bindings/${recordedId}`, { method: "DELETE" })).status).toBe(204);
    expect(await asLead("POST", "/api/v1/robots/free/tokens", { ttlMs: 60_000 })).toBe(201);
  });
});

async function asAdmin(method: string, path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await requestHub(hub, path, { method, body: JSON.stringify(body) });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.json() as Record<string, unknown>;
}

/** The code of what is refused, else the status. */
async function asLead(method: string, path: string, body?: object): Promise<unknown> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await requestHub(hub, path, { method, authorization: `Bearer ${lead}`, ...sent });
  return answer.text === "" ? answer.status : ((answer.json() as { code?: string }).code ?? answer.status);
}
