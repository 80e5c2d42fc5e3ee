// Roles put together from parts that someone holds apart give more than the parts.
import { startHub, type TestHub } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";

let hub: TestHub;
let lead: string;
beforeAll(async () => {
  hub = await startHub();
  const everything = { verbs: ["*"], resources: ["*"] };
  const binding = { verbs: ["*"], resources: ["roles", "bindings", "robots", "robots/tokens", "clusters"] };
  await asAdmin("PUT", "/api/v1/roles/narrow", {
    clusterRules: [{ verbs: ["get"], resources: ["leases"] }],
    groups: ["fairlead:admins"],
  });
  await asAdmin("PUT", "/api/v1/roles/all-groups", { clusterRules: [{ ...everything, apiGroups: ["*"] }] });
  await asAdmin("PUT", "/api/v1/roles/binder", { hubRules: [binding] });
  await asAdmin("POST", "/api/v1/robots", { name: "lead" });
  await asAdmin("POST", "/api/v1/robots", { name: "helper" });
  for (const role of ["operator", "narrow", "binder", "all-groups"]) await bindAsAdmin("lead", role, { all: true });
  const made = await asAdmin("POST", "/api/v1/robots/lead/tokens", { ttlMs: 3_600_000 });
  lead = String(made["token"]);
});
afterAll(() => hub[Symbol.asyncDispose]());

describe("05: someone with operator, a narrow role with fairlead:admins, and the right to bind", () => {
  const all = { clusterRules: [{ verbs: ["*"], resources: ["*"] }] };

  it("makes no role that gives the group for everything", async () => {
    expect(await asLead("PUT", "/api/v1/roles/mine", { ...all, groups: ["fairlead:admins"] })).toBe(
      "ACCESS_ESCALATION",
    );
    expect(await asLead("PUT", "/api/v1/roles/mine", { ...all, mayImpersonate: { groups: ["fairlead:admins"] } })).toBe(
      "ACCESS_ESCALATION",
    );
  });

  it("still makes and binds a role that gives the group for what comes with it", async () => {
    const rules = { clusterRules: [{ verbs: ["get"], resources: ["leases"] }], groups: ["fairlead:admins"] };
    expect(await asLead("PUT", "/api/v1/roles/own", rules)).toBe(200);
    const subject = { kind: "robot", name: "helper" };
    expect(await asLead("POST", "/api/v1/bindings", { subject, role: "own", clusters: { all: true } })).toBe(201);
  });

  it("doesn't widen such a role once it is bound", async () => {
    const wider = { ...all, groups: ["fairlead:admins"] };
    expect(await asLead("PUT", "/api/v1/roles/narrow", wider)).toBe("ACCESS_ESCALATION");
    expect(await asLead("PUT", "/api/v1/roles/own", wider)).toBe("ACCESS_ESCALATION");
  });

  it("gets no token of a robot that has the group for more", async () => {
    await asAdmin("PUT", "/api/v1/roles/pods-as-admin", {
      clusterRules: [{ verbs: ["get"], resources: ["pods"] }],
      groups: ["fairlead:admins"],
    });
    await asAdmin("POST", "/api/v1/robots", { name: "strong" });
    await bindAsAdmin("strong", "pods-as-admin", { names: ["east"] });
    expect(await asLead("POST", "/api/v1/robots/strong/tokens", { ttlMs: 60_000 })).toBe("ACCESS_ESCALATION");
    expect(await asLead("POST", "/api/v1/robots/helper/tokens", { ttlMs: 60_000 })).toBe(201);
  });

  it("adds no cluster whose labels give it to someone with more than they have", async () => {
    const prod = { selector: { matchLabels: { env: "prod" } } };
    await bindAsAdmin("strong", "admin", prod);
    expect(await asLead("POST", "/api/v1/clusters", { name: "a", labels: { env: "prod" } })).toBe("ACCESS_ESCALATION");
    expect(await asLead("POST", "/api/v1/clusters", { name: "b", labels: { env: "test" } })).toBe(201);
    expect(
      (await asAdmin("POST", "/api/v1/clusters", { name: "c", labels: { env: "prod" } }))["cluster"],
    ).toBeDefined();
  });

  it("gives nothing but resources when no more is theirs: paths such as /metrics come with everything", async () => {
    await asAdmin("POST", "/api/v1/robots", { name: "plain" });
    for (const role of ["all-groups", "binder"]) await bindAsAdmin("plain", role, { all: true });
    const { token } = await asAdmin("POST", "/api/v1/robots/plain/tokens", { ttlMs: 3_600_000 });
    expect(await as(String(token), "PUT", "/api/v1/roles/paths", all)).toBe("ACCESS_ESCALATION");
  });
});

async function asAdmin(method: string, path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await requestHub(hub, path, { method, body: JSON.stringify(body) });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.json() as Record<string, unknown>;
}

async function bindAsAdmin(robot: string, role: string, clusters: object): Promise<void> {
  await asAdmin("POST", "/api/v1/bindings", { subject: { kind: "robot", name: robot }, role, clusters });
}

function asLead(method: string, path: string, body: object): Promise<unknown> {
  return as(lead, method, path, body);
}

/** The code of what is refused, else the status. */
async function as(token: string, method: string, path: string, body: object): Promise<unknown> {
  const authorization = `Bearer ${token}`;
  const answer = await requestHub(hub, path, { method, authorization, body: JSON.stringify(body) });
  return (answer.json() as { code?: string }).code ?? answer.status;
}
