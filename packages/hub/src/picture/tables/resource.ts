// Devices and who has claimed them.
import type { Cell } from "@fairlead/contract";
import type { Fields } from "@fairlead/kube";
import { age, createPrinter, field, formatAge, integer, name, text } from "./columns.ts";
import type { Column, Printer } from "./types.ts";

export const resourcePrinters: Readonly<Record<string, Printer>> = {
  "deviceclasses.resource.k8s.io": createPrinter(name, age),
  "resourceclaims.resource.k8s.io": createPrinter(name, text("State", readClaimState), age),
  "resourceclaimtemplates.resource.k8s.io": createPrinter(name, age),
  "resourceslices.resource.k8s.io": createPrinter(
    name,
    field("Node", "spec", "nodeName"),
    field("Driver", "spec", "driver"),
    field("Pool", "spec", "pool", "name"),
    age,
  ),
  "devicetaintrules.resource.k8s.io": createPrinter(
    name,
    field("Key", "spec", "taint", "key"),
    field("Value", "spec", "taint", "value"),
    field("Effect", "spec", "taint", "effect"),
    text("TimeAdded", (rule, nowMs) => {
      const addedAt = rule.at("spec", "taint", "timeAdded").text();
      return addedAt === undefined ? "" : formatAge(addedAt, nowMs);
    }),
    age,
  ),
  "resourcepoolstatusrequests.resource.k8s.io": createPrinter(
    name,
    field("Driver", "spec", "driver"),
    sum("Total", "totalDevices"),
    sum("Available", "availableDevices"),
    sum("Allocated", "allocatedDevices"),
    sum("Unavailable", "unavailableDevices"),
    text("Errors", (request) =>
      isCounted(request) ? String(poolsOf(request).filter((pool) => pool.at("validationError").exists).length) : "-",
    ),
    integer("Pools", (request) => request.at("status", "poolCount").number() ?? 0),
    text("Status", readPoolStatus),
    text("Completed", formatCompleted),
  ),
};

function readClaimState(claim: Fields): Cell {
  const isDeleted = claim.at("metadata", "deletionTimestamp").exists;
  const isAllocated = claim.at("status", "allocation").exists;
  const isReserved = claim.at("status", "reservedFor").list().length > 0;
  if (!isAllocated) return isDeleted ? "deleted" : "pending";
  return [...(isDeleted ? ["deleted"] : []), "allocated", ...(isReserved ? ["reserved"] : [])].join(",");
}

function sum(title: string, member: string): Column {
  return text(title, (request) =>
    isCounted(request)
      ? String(poolsOf(request).reduce((total, pool) => total + (pool.at(member).number() ?? 0), 0))
      : "-",
  );
}

function poolsOf(request: Fields): Fields[] {
  return request.at("status", "pools").list();
}

function isCounted(request: Fields): boolean {
  return request.at("status").exists && findOutcome(request)?.type !== "Failed";
}

function findOutcome(request: Fields): { readonly type: string; readonly at: string | undefined } | undefined {
  const conditions = request.at("status", "conditions").list();
  const found = conditions.find(
    (one) => ["Complete", "Failed"].includes(one.at("type").text() ?? "") && one.at("status").text() === "True",
  );
  return found && { type: found.at("type").text() ?? "", at: found.at("lastTransitionTime").text() };
}

function readPoolStatus(request: Fields): Cell {
  const status = findOutcome(request)?.type ?? "Pending";
  const poolCount = request.at("status", "poolCount").number() ?? 0;
  const shown = poolsOf(request).length;
  return status === "Complete" && poolCount > shown ? `Complete (${shown}/${poolCount} pools)` : status;
}

function formatCompleted(request: Fields, nowMs: number): Cell {
  const outcome = findOutcome(request);
  return outcome?.type === "Complete" ? formatAge(outcome.at, nowMs) : "<none>";
}
