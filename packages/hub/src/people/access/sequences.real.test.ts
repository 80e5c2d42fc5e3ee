// A person can give only rights that the person has, in whatever order things are done.
import type { AccessRole, ClusterChoice } from "@fairlead/contract";
import type { RequestAttributes } from "@fairlead/kube";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type AccessHarness, startAccess } from "./access-harness.fixture.ts";
import { decide, selectGrants } from "./policy/policy.ts";
import type { Principal } from "./policy/types.ts";

let harness: AccessHarness;
beforeAll(async () => {
  harness = await startAccess();
});
afterAll(() => harness[Symbol.asyncDispose]());

const clusters = ["east", "west"];
const groups = ["fairlead:admins", "fairlead:operators", "devs"];
const roleNames = ["first", "second"];
const accomplices = ["mallory", "trudy"];

/** The person's rights besides the right to give; each says too little alone. */
const held: readonly (readonly [Partial<AccessRole>, ClusterChoice, boolean])[] = [
  [{ clusterRules: [{ verbs: ["*"], resources: ["*"] }], groups: ["fairlead:operators"] }, { all: true }, false],
  [{ clusterRules: [{ verbs: ["get"], resources: ["leases"] }], groups: ["fairlead:admins"] }, { all: true }, false],
  [{ clusterRules: [{ verbs: ["get"], resources: ["pods"] }], groups: ["devs"] }, { names: ["east"] }, false],
  [
    { clusterRules: [{ verbs: ["create"], resources: ["pods/exec"] }] },
    { selector: { matchLabels: { env: "prod" } } },
    true,
  ],
  [
    { clusterRules: [{ verbs: ["get"], resources: ["pods"] }], mayImpersonate: { users: ["bob"], groups: ["devs"] } },
    { all: true },
    false,
  ],
  [{ mayImpersonate: { groups: ["*"] } }, { all: true }, false],
];

const rule = fc.constantFrom(
  { verbs: ["*"], resources: ["*"] },
  { verbs: ["get"], resources: ["leases"] },
  { verbs: ["get"], resources: ["pods"] },
  { verbs: ["create"], resources: ["pods/exec"] },
);
const wantedRole = fc.record(
  {
    clusterRules: fc.array(rule, { maxLength: 2 }),
    groups: fc.subarray(groups, { maxLength: 2 }),
    mayImpersonate: fc.constantFrom(
      { users: ["bob"] },
      { users: ["bob"], groups: ["devs"] },
      { users: ["*"], groups: ["*"] },
    ),
  },
  { requiredKeys: ["clusterRules"] },
);
const where: fc.Arbitrary<ClusterChoice> = fc.constantFrom<ClusterChoice[]>(
  { all: true },
  { names: ["east"] },
  { names: ["west"] },
  { selector: { matchLabels: { env: "prod" } } },
);
const who = fc.constantFrom(
  ...["lead", ...accomplices].map((name) => ({ kind: "user", name })),
  { kind: "group", name: "crew" },
  { kind: "robot", name: "helper" },
);
const act = fc.oneof(
  fc
    .tuple(fc.constantFrom(...roleNames), wantedRole)
    .map(([name, body]) => ({ line: `PUT /api/v1/roles/${name}`, body })),
  fc
    .record(
      {
        subject: who,
        role: fc.constantFrom(...roleNames, "operator", "viewer"),
        clusters: where,
        record: fc.boolean(),
      },
      { requiredKeys: ["subject", "role", "clusters"] },
    )
    .map((body) => ({ line: "POST /api/v1/bindings", body })),
  fc.nat(9).map((at) => ({ line: `DELETE /api/v1/bindings/${at}`, body: undefined })),
);

it("no sequence of grants gives anyone what the giver may not do, nor unrecorded what the giver has recorded", async () => {
  for (const [at, [role]] of held.entries()) await asAdmin(`PUT /api/v1/roles/held-${at}`, role);
  const giving = { verbs: ["*"], resources: ["roles", "bindings", "robots", "robots/tokens"] };
  await asAdmin("PUT /api/v1/roles/giver", { hubRules: [giving] });
  await asAdmin("POST /api/v1/robots", { name: "helper" });
  await harness.bind("user", "lead", "giver", "*");
  const lead = await harness.signIn("lead");
  const others = await Promise.all(accomplices.map((name) => harness.signIn(name, ["crew"])));
  const robot: Principal = { kind: "robot", name: "robot:helper", uid: "u", groups: [] };
  const everyone = [lead.principal, ...others.map(({ principal }) => principal), robot];
  const counts = { done: 0, refused: 0 };

  await fc.assert(
    fc.asyncProperty(
      fc.subarray([...held.keys()], { minLength: 1 }),
      fc.array(act, { minLength: 4, maxLength: 12 }),
      async (has, acts) => {
        await forgetGrants();
        for (const at of has) {
          const [, choice, record] = held[at] ?? [];
          await asAdmin("POST /api/v1/bindings", {
            subject: leadSubject,
            role: `held-${at}`,
            clusters: choice,
            record,
          });
        }
        const before = new Set(powersOf(lead.principal));
        for (const { line, body } of acts) {
          const bindings = harness.access.grants.bindings().slice(2);
          const [, index] = /bindings\/(\d)$/.exec(line) ?? [];
          const id = index === undefined ? undefined : bindings[Number(index)]?.id;
          const { status } = await harness.call(
            lead.token,
            id === undefined ? line : `DELETE /api/v1/bindings/${id}`,
            body,
          );
          if (status < 300) counts.done += 1;
          if (status === 403) counts.refused += 1;
        }
        for (const one of everyone) {
          for (const power of powersOf(one)) expect(before, `${one.name}: ${JSON.stringify(acts)}`).toContain(power);
        }
      },
    ),
    { numRuns: 60, seed: 11 },
  );
  // Neither a check that refuses all nor one that refuses nothing.
  expect(counts.done).toBeGreaterThan(50);
  expect(counts.refused).toBeGreaterThan(50);
});

const leadSubject = { kind: "user", name: "lead" };

async function asAdmin(line: string, body?: object): Promise<void> {
  const answer = await harness.call(harness.adminToken, line, body);
  if (answer.status >= 300) throw new Error(`${line}: ${JSON.stringify(answer.body)}`);
}

/** All but the admin's and the right to give. */
async function forgetGrants(): Promise<void> {
  for (const { id, role } of harness.access.grants.bindings()) {
    if (role !== "admin" && role !== "giver") await asAdmin(`DELETE /api/v1/bindings/${id}`);
  }
  for (const name of roleNames)
    if (harness.access.grants.roles.has(name)) await asAdmin(`DELETE /api/v1/roles/${name}`);
}

/** Every request with every group it may have, whom it may be made as, and, where it runs something, recorded or not. */
function powersOf(principal: Principal): string[] {
  return clusters.flatMap((cluster) => requests.flatMap((attributes) => powersFor(principal, cluster, attributes)));
}

function powersFor(principal: Principal, cluster: string, attributes: RequestAttributes): string[] {
  const grants = selectGrants(harness.access.grants.of(principal), {
    name: cluster,
    labels: harness.labels.get(cluster),
  });
  const what = `${cluster} ${attributes.verb} ${attributes.path} ${attributes.resource}/${attributes.subresource}`;
  const plain = decide({ principal, grants, cluster, attributes });
  if (!plain.allowed) return [];
  const isRun = attributes.subresource === "exec";
  // A person who may do it unrecorded may do it recorded, too.
  const powers = [what, ...plain.identity.groups.map((group) => `${what} in ${group}`)];
  if (isRun && !plain.record) powers.push(`${what} unrecorded`);
  for (const user of ["bob", "eve"]) {
    for (const named of [[], ...groups.map((group) => [group])]) {
      const impersonate = { user, groups: named, extra: {} };
      if (!decide({ principal, grants, cluster, attributes, impersonate }).allowed) continue;
      powers.push(`${what} as ${user} with ${named.join()}`, ...named.map((group) => `${what} in ${group}`));
    }
  }
  return powers;
}

const requests: readonly RequestAttributes[] = [
  toRequest("get", "pods"),
  toRequest("get", "leases"),
  toRequest("delete", "secrets"),
  toRequest("create", "pods", "exec"),
  { ...toRequest("get", ""), isResource: false, path: "/metrics" },
  { ...toRequest("get", ""), isResource: false, path: "/version" },
];

function toRequest(verb: string, resource: string, subresource = ""): RequestAttributes {
  const where = { path: "/", apiGroup: "", apiVersion: "v1", namespace: "a", name: "x" };
  return { ...where, isResource: true, verb, resource, subresource };
}
