// The kinds of objects that the agent derives from its cluster. They are observed like any others: age, watch, history,
// selectors, rights and comparison come with the inventory.
import { reservedGroup } from "@fairlead/protocol";
import type { ObservedKind } from "../observe/index.ts";

export const addonKind: ObservedKind = defineKind("addons", "Addon", [
  ["Need", ".spec.need"],
  ["State", ".status.state"],
  ["Version", ".status.version"],
  ["Message", ".status.message", 1],
]);

export const checkKind: ObservedKind = defineKind("checks", "Check", [
  ["Addon", ".spec.addon"],
  ["Severity", ".spec.severity"],
  ["Verdict", ".status.verdict"],
  ["Message", ".status.message", 1],
]);

export const featureKind: ObservedKind = defineKind("features", "Feature", [
  ["State", ".status.state"],
  ["Because", ".status.because[0].message", 1],
]);

export const gatewayKind: ObservedKind = defineKind("gateways", "Gateway", [
  ["Kind", ".spec.kind"],
  ["Hosts", ".status.hosts"],
  ["Addresses", ".status.addresses"],
]);

export const nodePoolKind: ObservedKind = defineKind("nodepools", "NodePool", [
  ["Purpose", ".spec.purpose"],
  ["Nodes", ".status.nodes"],
  ["Ready", ".status.readyNodes"],
]);

export const examinationKind: ObservedKind = defineKind("examinations", "Examination", [
  ["Fitness", ".status.fitness"],
  ["Type", ".status.clusterType"],
  ["Profile", ".status.examinedWith.profile"],
  ["Pass", ".status.verdicts.pass"],
  ["Warn", ".status.verdicts.warn"],
  ["Fail", ".status.verdicts.fail"],
  ["Unknown", ".status.verdicts.unknown"],
]);

export const ownKinds: readonly ObservedKind[] = [
  addonKind,
  checkKind,
  featureKind,
  gatewayKind,
  nodePoolKind,
  examinationKind,
];

type Column = readonly [name: string, jsonPath: string, priority?: number];

function defineKind(resource: string, kind: string, columns: readonly Column[]): ObservedKind {
  return {
    key: `${resource}.${reservedGroup}`,
    group: reservedGroup,
    version: "v1",
    resource,
    kind,
    namespaced: false,
    shortNames: [],
    derived: true,
    printerColumns: columns.map(([name, jsonPath, priority = 0]) => ({ name, type: "string", jsonPath, priority })),
  };
}
