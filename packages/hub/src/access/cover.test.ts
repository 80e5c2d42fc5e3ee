import type { AccessRole } from "@fairlead/contract";
import { describe, expect, it } from "vitest";
import { builtInRoles } from "./built-in-roles.ts";
import { missOfGiver } from "./cover.ts";
import { chooseClusters, grantsOf, user } from "./policy.fixture.ts";

const labels = new Map([["east", { env: "prod" }]]);
const [yes, no] = [true, false];
const viewer = builtInRoles.find(({ name }) => name === "viewer");
const admin = builtInRoles.find(({ name }) => name === "admin");
type Rules = Partial<Pick<AccessRole, "hubRules" | "clusterRules" | "groups" | "mayImpersonate">>;

/** What the giver has, what they give, where, and whether that is theirs to give. */
const rows: [held: string[], given: Rules | undefined, where: string, isTheirs: boolean][] = [
  [["admin@*"], admin, "*", yes],
  [["admin@*"], viewer, "east", yes],
  [["operator@*"], admin, "*", no],
  [["viewer@*"], viewer, "*", yes],
  [["viewer@east"], viewer, "east", yes],
  [["viewer@east"], viewer, "west", no],
  [["viewer@east"], viewer, "*", no],
  [["viewer@east"], viewer, "env=prod", no],
  [["viewer@env=prod"], viewer, "east", yes],
  [["viewer@env=prod"], viewer, "west", no],
  [["viewer@env=prod"], viewer, "env=prod,tier=1", yes],
  [["viewer@env=prod,tier=1"], viewer, "env=prod", no],
  [["viewer@*"], { clusterRules: [{ verbs: ["get"], resources: ["pods"] }] }, "*", yes],
  [["viewer@*"], { clusterRules: [{ verbs: ["get"], resources: ["pods"], namespaces: ["a"] }] }, "*", yes],
  [["viewer@*"], { clusterRules: [{ verbs: ["get"], resources: ["pods/log"] }] }, "*", yes],
  [["viewer@*"], { clusterRules: [{ verbs: ["get"], resources: ["pods/proxy"] }] }, "*", no],
  [["viewer@*"], { clusterRules: [{ verbs: ["get"], resources: ["pods/*"] }] }, "*", no],
  [["viewer@*"], { clusterRules: [{ verbs: ["get"], resources: ["secrets"] }] }, "*", no],
  [["viewer@*"], { clusterRules: [{ verbs: ["get"], resources: ["*"] }] }, "*", no],
  [["viewer@*"], { clusterRules: [{ verbs: ["*"], resources: ["pods"] }] }, "*", no],
  [["dev-pods@*"], { clusterRules: [{ verbs: ["get"], resources: ["pods"], namespaces: ["dev"] }] }, "*", yes],
  [["dev-pods@*"], { clusterRules: [{ verbs: ["get"], resources: ["pods"] }] }, "*", no],
  [["deployer@*"], { clusterRules: [{ verbs: ["get"], resources: ["deployments"] }] }, "*", no],
  [["deployer@*"], { clusterRules: [{ verbs: ["get"], apiGroups: ["apps"], resources: ["deployments"] }] }, "*", yes],
  [["subresources@*"], { clusterRules: [{ verbs: ["get"], resources: ["deployments/scale"] }] }, "*", yes],
  [["subresources@*"], { clusterRules: [{ verbs: ["get"], resources: ["deployments/*"] }] }, "*", no],
  // Verb and resource must be held together, not each somewhere.
  [["dev-pods@*", "viewer@*"], { clusterRules: [{ verbs: ["create"], resources: ["nodes"] }] }, "*", no],
  [["viewer@*"], { groups: ["fairlead:viewers"] }, "*", yes],
  [["viewer@*"], { groups: ["fairlead:admins"] }, "*", no],
  [["support@*"], { groups: ["devs"] }, "*", yes],
  [["support@*"], { mayImpersonate: { users: ["dev-1", "bob"], groups: ["devs"] } }, "*", yes],
  [["support@*"], { mayImpersonate: { users: ["dev-*"] } }, "*", yes],
  [["support@*"], { mayImpersonate: { users: ["*"] } }, "*", no],
  [["support@*"], { mayImpersonate: { groups: ["ops"] } }, "*", no],
  [["auditor@*"], { hubRules: [{ verbs: ["list"], resources: ["audit"] }] }, "*", yes],
  [["auditor@*"], { hubRules: [{ verbs: ["list", "get"], resources: ["audit"] }] }, "*", no],
  [[], {}, "*", yes],
];

describe("what someone may give", () => {
  it.each(rows)("who has %j gives %j on %s: %s", (held, given, where, isTheirs) => {
    const giver = grantsOf(
      user("alice"),
      held.map((one) => `user:alice=${one}`),
    );
    const role = { hubRules: [], clusterRules: [], groups: [], ...given };
    const miss = missOfGiver({ giver, role, clusters: chooseClusters(where), labels: (name) => labels.get(name) });
    if (isTheirs) expect(miss).toBeUndefined();
    else expect(miss).toMatch(/\w/);
  });
});
