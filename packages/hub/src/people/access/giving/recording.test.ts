import type { ClusterRule } from "@fairlead/contract";
import { describe, expect, it } from "vitest";
import { bind, chooseClusters, testRoles, user } from "../policy/policy.fixture.ts";
import type { Grant } from "../policy/policy.ts";
import { findUnrecorded, isRecordedFor, keepsRuns } from "./recording.ts";

const labels = new Map([["east", { env: "prod" }]]);
const [yes, no] = [true, false];
const exec = (rest: Partial<ClusterRule> = {}): ClusterRule => ({
  verbs: ["create"],
  resources: ["pods/exec"],
  ...rest,
});

/** The rights of the giver, those they give, where, and yes if the giver is recorded for any of it. */
const rows: [held: string[], rule: ClusterRule, where: string, isRecorded: boolean][] = [
  [["operator@*!"], exec(), "*", yes],
  [["operator@*"], exec(), "*", no],
  // A single recorded binding is enough to be recorded, so another one beside it doesn't free anyone.
  [["operator@*!", "operator@*"], exec(), "*", yes],
  [["operator@east!", "operator@*"], exec(), "*", yes],
  [["operator@east!", "operator@*"], exec(), "west", no],
  [["operator@east!"], exec(), "env=prod", yes],
  [["operator@env=prod!"], exec(), "east", yes],
  [["operator@env=test!"], exec(), "east", no],
  [["operator@env=prod!"], exec(), "env=test", no],
  [["operator@env=prod!"], exec(), "tier=1", yes],
  [["debugger@*!"], exec({ resources: ["pods/attach"] }), "*", no],
  [["debugger@*!"], exec({ resources: ["*"] }), "*", yes],
  [["debugger@*!"], exec({ resources: ["pods/*"] }), "*", yes],
  [["debugger@*!"], exec({ resources: ["*"], except: ["pods/exec"] }), "*", no],
  [["debugger@*!"], exec({ verbs: ["*"] }), "*", yes],
  [["debugger@*!"], exec({ verbs: ["get"] }), "*", no],
  [["debugger@*!"], exec({ apiGroups: ["apps"] }), "*", no],
  [["debugger@*!"], exec({ namespaces: ["dev"] }), "*", yes],
  [["dev-exec@*!"], exec({ namespaces: ["dev", "shop"] }), "*", yes],
  [["dev-exec@*!"], exec({ namespaces: ["shop"] }), "*", no],
  // A kubelet runs commands for whoever may GET it; who is recorded isn't let through to it.
  [["operator@*!"], exec({ verbs: ["get"], resources: ["nodes/proxy"] }), "*", yes],
  [["viewer@*!"], exec({ verbs: ["get"], resources: ["*"] }), "*", no],
];

describe("being recorded", () => {
  it.each(rows)("with %j, who gives %j on %s is recorded for it: %s", (held, rule, where, isRecorded) => {
    const giver = held.map((one) => toGrant(`user:alice=${one}`));
    const role = { clusterRules: [rule] };
    const options = { giver, role, clusters: chooseClusters(where), labels: (name: string) => labels.get(name) };
    expect(isRecordedFor(options)).toBe(isRecorded);
  });

  it.each<[gone: string, left: string, isFound: boolean]>([
    ["user:alice=operator@*!", "user:alice=operator@*", yes],
    ["user:alice=operator@*!", "user:alice=viewer@*", no],
    ["user:alice=operator@*!", "user:alice=debugger@east", yes],
    ["user:alice=operator@east!", "user:alice=debugger@west", no],
    ["user:alice=operator@*!", "user:bob=operator@*", no],
    ["user:alice=operator@*!", "group:dev=operator@*", yes],
    ["user:alice=operator@*!", "group:ops=operator@*", no],
    ["user:stranger=operator@*!", "group:ops=operator@*", yes],
    ["group:dev=operator@*!", "user:alice=operator@*", yes],
    ["group:dev=operator@*!", "group:test=operator@*", yes],
    ["group:dev=operator@*!", "group:ops=operator@*", no],
    ["robot:ci=operator@*!", "robot:ci=debugger@*", yes],
    ["robot:ci=operator@*!", "robot:cd=operator@*", no],
    ["user:alice=operator@*!", "user:alice=operator@*!", no],
    ["user:alice=operator@*", "user:alice=debugger@*", no],
  ])("without %s, %s would run the same unrecorded: %s", (gone, left, isFound) => {
    const known = [user("alice", ["dev", "test"]), user("bob", [])];
    const found = findUnrecorded({ gone: [toGrant(gone)], left: [toGrant(left)], known, labels: () => undefined });
    expect(found).toHaveLength(isFound ? 1 : 0);
  });

  it.each<[before: Partial<ClusterRule>, after: Partial<ClusterRule> | undefined, keeps: boolean]>([
    [{}, {}, yes],
    [{}, { resources: ["*"] }, yes],
    [{ resources: ["*"] }, {}, no],
    [{}, undefined, no],
    [{}, { namespaces: ["a"] }, no],
    [{ namespaces: ["a"] }, { namespaces: ["a", "b"] }, yes],
    [{ namespaces: ["a", "b"] }, { namespaces: ["a"] }, no],
    [{ resources: ["pods"] }, undefined, yes],
  ])("a role with %j that becomes %j still runs all that it ran: %s", (before, after, keeps) => {
    const rules = (rule: Partial<ClusterRule> | undefined) => ({ clusterRules: rule ? [exec(rule)] : [] });
    expect(keepsRuns(rules(before), rules(after))).toBe(keeps);
  });
});

function toGrant(text: string): Grant {
  const binding = bind(text);
  const role = testRoles.find(({ name }) => name === binding.role);
  if (!role) throw new Error(`no role ${binding.role}`);
  return { binding, role };
}
