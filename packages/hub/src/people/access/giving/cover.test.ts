import type { AccessRole } from "@fairlead/contract";
import { describe, expect, it } from "vitest";
import { builtInRoles } from "../grants/built-in-roles.ts";
import { chooseClusters, grantsOf, user } from "../policy/policy.fixture.ts";
import { missOfGiver } from "./cover.ts";

const labels = new Map([["east", { env: "prod" }]]);
const [yes, no] = [true, false];
const viewer = builtInRoles.find(({ name }) => name === "viewer");
const admin = builtInRoles.find(({ name }) => name === "admin");
type Rules = Partial<Pick<AccessRole, "hubRules" | "clusterRules" | "groups" | "mayImpersonate">>;

const all = { verbs: ["*"], resources: ["*"] };
const getPods = { verbs: ["get"], resources: ["pods"] };
const getLeases = { verbs: ["get"], resources: ["leases"] };

/** The rights of the giver, those they give, where, and yes if they may. */
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
  // A group must be held for all that comes with it, not somewhere.
  [["operator@*", "admins-only@*"], { clusterRules: [all], groups: ["fairlead:admins"] }, "*", no],
  [["operator@*", "admins-only@*"], { clusterRules: [getPods], groups: ["fairlead:admins"] }, "*", no],
  [["operator@*", "admins-only@*"], { clusterRules: [getLeases], groups: ["fairlead:admins"] }, "*", yes],
  [["operator@*", "admins-only@east"], { clusterRules: [getLeases], groups: ["fairlead:admins"] }, "*", no],
  [["operator@*", "support@*"], { clusterRules: [all], mayImpersonate: { users: ["bob"] } }, "*", no],
  [["operator@*", "support@*"], { clusterRules: [all], groups: ["devs"] }, "*", no],
  [["operator@*", "support@*"], { clusterRules: [getPods], mayImpersonate: { users: ["bob"] } }, "*", yes],
  // A member of a group may not name it for others with --as-group.
  [["viewer@*"], { mayImpersonate: { groups: ["fairlead:viewers"] } }, "*", no],
  // Nobody acts as a group alone, so a role with groups and no users gives nothing to hand on.
  [["groups-only@*"], { groups: ["devs"] }, "*", no],
  [["groups-only@*"], { mayImpersonate: { groups: ["devs"] } }, "*", no],
  // A group whose name ends in a star is one group.
  [["starred@*"], { groups: ["dev-*"] }, "*", yes],
  [["starred@*"], { groups: ["dev-1"] }, "*", no],
  // Paths that are no resources, such as /metrics, come with everything alone.
  [["any-group@*"], { clusterRules: [all] }, "*", no],
  [["any-group@*"], { clusterRules: [{ ...all, apiGroups: ["*"] }] }, "*", yes],
  [["viewer@east"], {}, "east", yes],
  // A role on a cluster always gives its version and its kinds.
  [["viewer@east"], {}, "west", no],
  [[], {}, "*", no],
];

describe("what someone may give", () => {
  it.each(rows)("who has %j gives %j on %s: %s", (held, given, where, isTheirs) => {
    const giver = grantsOf(
      user("alice"),
      held.map((one) => `user:alice=${one}`),
    );
    const role = { hubRules: [], clusterRules: [], groups: [], ...given };
    const miss = missOfGiver({
      giver,
      untilMs: Number.POSITIVE_INFINITY,
      role,
      clusters: chooseClusters(where),
      labels: (name) => labels.get(name),
    });
    if (isTheirs) expect(miss).toBeUndefined();
    else expect(miss).toMatch(/\w/);
  });
});
