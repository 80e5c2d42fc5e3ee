// The check lets nobody give what they couldn't do themselves, whatever roles there are.
import type { AccessBinding, AccessRole, ClusterRule, HubRule } from "@fairlead/contract";
import type { RequestAttributes } from "@fairlead/kube";
import fc from "fast-check";
import { expect, it } from "vitest";
import { user } from "../policy/policy.fixture.ts";
import { decide, type Grant, mayOnHub, selectGrants } from "../policy/policy.ts";
import { missOfGiver } from "./cover.ts";

const labels = new Map<string, Record<string, string>>([
  ["east", { env: "prod", tier: "1" }],
  ["west", { env: "prod" }],
  ["north", {}],
]);
const alice = user("alice");

const verb = fc.constantFrom("get", "list", "create", "*");
const resource = fc.constantFrom("pods", "pods/exec", "pods/*", "*/proxy", "*/*", "*", "secrets", "nodes");
const list = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(one, { minLength: 1, maxLength: 3 });
const clusterRule: fc.Arbitrary<ClusterRule> = fc.record(
  {
    verbs: list(verb),
    resources: list(resource),
    except: list(resource),
    apiGroups: list(fc.constantFrom("", "apps", "*")),
    namespaces: list(fc.constantFrom("a", "b")),
  },
  { requiredKeys: ["verbs", "resources"] },
);
const hubRule: fc.Arbitrary<HubRule> = fc.record({
  verbs: list(verb),
  resources: list(fc.constantFrom("clusters", "clusters/tokens", "clusters/*", "*", "roles")),
});
const groupName = fc.constantFrom("g", "h", "g*");
const userName = fc.constantFrom("u", "v", "*");
const role: fc.Arbitrary<AccessRole> = fc.record({
  name: fc.constant("role"),
  isBuiltIn: fc.constant(false),
  hubRules: fc.array(hubRule, { maxLength: 2 }),
  clusterRules: fc.array(clusterRule, { maxLength: 2 }),
  groups: fc.array(groupName, { maxLength: 2 }),
  mayImpersonate: fc.option(
    fc.record({ users: fc.array(userName, { maxLength: 2 }), groups: fc.array(groupName, { maxLength: 2 }) }),
    { nil: undefined },
  ),
});
const clusters: fc.Arbitrary<AccessBinding["clusters"]> = fc.oneof(
  fc.constant({ all: true } as const),
  fc.record({ names: list(fc.constantFrom("east", "west", "north", "gone")) }),
  fc.record({
    selector: fc.record({
      matchLabels: fc.constantFrom<Record<string, string>>({ env: "prod" }, { tier: "1" }, { env: "prod", tier: "1" }),
    }),
  }),
);
const grant: fc.Arbitrary<Grant> = fc.record({ role, clusters }).map((one) => toGrant(one.role, one.clusters));

/** Puts held rights together anew: rules of one role, groups and impersonation of others. */
function mixOf(held: readonly Grant[]): fc.Arbitrary<AccessRole> {
  if (held.length === 0) return role;
  const one = fc.constantFrom(...held.map((grant) => grant.role));
  return fc
    .tuple(one, one, one)
    .map(([rules, { groups }, { mayImpersonate }]) => ({ ...rules, groups, mayImpersonate }));
}

const attributes: fc.Arbitrary<RequestAttributes> = fc.record({
  verb: fc.constantFrom("get", "list", "create", "delete"),
  isResource: fc.nat(9).map((one) => one > 0),
  path: fc.constantFrom("/metrics", "/version"),
  apiGroup: fc.constantFrom("", "apps", "other"),
  apiVersion: fc.constant("v1"),
  namespace: fc.constantFrom("", "a", "b", "c"),
  resource: fc.constantFrom("pods", "secrets", "nodes", "other"),
  subresource: fc.constantFrom("", "exec", "proxy", "log"),
  name: fc.constant("x"),
});

it("nobody gives what they couldn't do themselves in a cluster", () => {
  let given = 0;
  fc.assert(
    fc.property(
      fc.array(grant, { maxLength: 3 }).chain((held) => fc.tuple(fc.constant(held), fc.oneof(role, mixOf(held)))),
      clusters,
      fc.array(attributes, { minLength: 20, maxLength: 20 }),
      ([giver, wanted], where, requests) => {
        if (
          missOfGiver({
            giver,
            untilMs: Number.POSITIVE_INFINITY,
            role: wanted,
            clusters: where,
            labels: (name) => labels.get(name),
          })
        )
          return;
        given += 1;
        for (const request of requests) {
          for (const cluster of labels.keys()) {
            const held = listPowers(giver, cluster, request);
            for (const power of listPowers([toGrant(wanted, where)], cluster, request)) {
              expect(held, JSON.stringify([cluster, request])).toContain(power);
            }
          }
        }
      },
    ),
    { numRuns: 4_000, seed: 7 },
  );
  expect(given, "how many were let through").toBeGreaterThan(300);
});

it("nobody gives what they couldn't do themselves on the hub", () => {
  const request = fc.record(
    {
      verb: fc.constantFrom("get", "list", "create", "delete"),
      resource: fc.constantFrom("clusters", "clusters/tokens", "roles"),
      cluster: fc.constantFrom("east", "west", "north"),
    },
    { requiredKeys: ["verb", "resource"] },
  );
  fc.assert(
    fc.property(
      fc.array(grant, { maxLength: 3 }),
      role,
      clusters,
      fc.array(request, { minLength: 10, maxLength: 10 }),
      (giver, wanted, where, requests) => {
        if (
          missOfGiver({
            giver,
            untilMs: Number.POSITIVE_INFINITY,
            role: wanted,
            clusters: where,
            labels: (name) => labels.get(name),
          })
        )
          return;
        for (const one of requests) {
          const facts = { request: one, labels: one.cluster === undefined ? undefined : labels.get(one.cluster) };
          if (!mayOnHub({ scope: undefined, grants: [toGrant(wanted, where)], ...facts })) continue;
          expect(mayOnHub({ scope: undefined, grants: giver, ...facts }), JSON.stringify(one)).toBe(true);
        }
      },
    ),
    { numRuns: 4_000, seed: 7 },
  );
});

it("another binding never takes a right away", () => {
  fc.assert(
    fc.property(fc.array(grant, { maxLength: 3 }), grant, attributes, (grants, more, request) => {
      for (const cluster of labels.keys()) {
        if (isAllowed(grants, cluster, request)) expect(isAllowed([more, ...grants], cluster, request)).toBe(true);
      }
    }),
    { numRuns: 2_000, seed: 7 },
  );
});

/** Each with one group, because what RBAC gives to a group doesn't depend on the others that a request has. */
function listPowers(grants: readonly Grant[], cluster: string, request: RequestAttributes): string[] {
  const found = selectGrants(grants, { name: cluster, labels: labels.get(cluster) });
  const plain = decide({ principal: alice, grants: found, cluster, attributes: request });
  if (!plain.allowed) return [];
  const powers = ["itself", ...plain.identity.groups.map((group) => `in ${group}`)];
  for (const user of ["u", "v", "w"]) {
    for (const groups of [[], ["g"], ["h"], ["g2"], ["g*"]]) {
      const impersonate = { user, groups, extra: {} };
      if (!decide({ principal: alice, grants: found, cluster, attributes: request, impersonate }).allowed) continue;
      powers.push(`as ${user} with ${groups.join()}`, ...groups.map((group) => `in ${group}`));
    }
  }
  return powers;
}

function isAllowed(grants: readonly Grant[], cluster: string, request: RequestAttributes): boolean {
  const found = selectGrants(grants, { name: cluster, labels: labels.get(cluster) });
  return decide({ principal: alice, grants: found, cluster, attributes: request }).allowed;
}

function toGrant(granted: AccessRole, where: AccessBinding["clusters"]): Grant {
  const subject = { kind: "user", name: "alice" } as const;
  return {
    role: granted,
    binding: { id: "b", subject, role: granted.name, clusters: where, createdAt: "", createdBy: "" },
  };
}
