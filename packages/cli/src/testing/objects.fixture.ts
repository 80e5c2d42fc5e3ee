import type { DataAge, KindTable, ObjectItem, ObjectList } from "@fairlead/contract";
import { hubNow } from "./hub.fixture.ts";

export const podTable: KindTable = {
  kind: "pods",
  apiVersion: "v1",
  kindName: "Pod",
  namespaced: true,
  columns: [
    { name: "Name", type: "string", priority: 0 },
    { name: "Ready", type: "string", priority: 0 },
    { name: "Restarts", type: "string", priority: 0 },
    { name: "Age", type: "date", priority: 0 },
    { name: "Node", type: "string", priority: 1 },
  ],
};

export const deploymentTable: KindTable = {
  kind: "deployments.apps",
  apiVersion: "apps/v1",
  kindName: "Deployment",
  namespaced: true,
  columns: [{ name: "Name", type: "string", priority: 0 }],
};

export const nodeTable: KindTable = {
  kind: "nodes",
  apiVersion: "v1",
  kindName: "Node",
  namespaced: false,
  columns: [{ name: "Name", type: "string", priority: 0 }],
};

export function makePod(cluster: string, name: string, more: Partial<ObjectItem> = {}): ObjectItem {
  const createdAt = new Date(hubNow - 330_000).toISOString();
  return {
    cluster,
    kind: "pods",
    apiVersion: "v1",
    kindName: "Pod",
    namespace: "shop",
    name,
    uid: `${cluster}-${name}`,
    labels: {},
    createdAt,
    changedAt: createdAt,
    health: "Healthy",
    cells: [name, "1/1", 0, createdAt, null],
    ...more,
  };
}

export function makeDeployment(cluster: string, name: string, more: Partial<ObjectItem> = {}): ObjectItem {
  const table = { kind: "deployments.apps", apiVersion: "apps/v1", kindName: "Deployment" };
  return makePod(cluster, name, { ...table, cells: [name], ...more });
}

export function makeAge(cluster: string, more: Partial<DataAge> = {}): DataAge {
  return { cluster, state: "connected", ageMs: 3_000, ...more };
}

export function makeList(more: Partial<ObjectList> = {}): ObjectList {
  return { items: [], tables: [podTable], clusters: [makeAge("east")], ...more };
}
