import { canaryName } from "../harness.ts";
import type { Deed, DeedKind } from "./deed.ts";
import { readObject } from "./read-object.ts";

/** A set, a wait for its Pod, and a second set that has an output of the wait. */
export const flowDeeds: DeedKind = {
  kind: "flow",
  make({ namespace }, target, turn): Deed {
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: `${target}-flow` },
      spec: { containers: [{ name: "main", image: "storm" }] },
    };
    const secret = `\${secret:${namespace}/${canaryName}/value}`;
    const last = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `${target}-flow` },
      data: { turn: String(turn) },
    };
    const first = { apiVersion: "v1", kind: "Secret", metadata: { name: `${target}-flow` }, stringData: { secret } };
    const manifests = (...objects: object[]): string => objects.map((each) => JSON.stringify(each)).join("\n---\n");
    const steps = [
      { id: "first", manifests: { set: `${target}-first`, manifests: manifests(first, pod), wait: false } },
      {
        id: "ready",
        wait: { apiVersion: "v1", kind: "Pod", name: `${target}-flow`, until: "ready", timeoutSeconds: 120 },
      },
      { id: "last", manifests: { set: `${target}-last`, manifests: manifests(last) } },
    ];
    return { spec: { name: target, namespace, steps }, end: "succeeded", lastLine: /^step last succeeded$/ };
  },
  async check(ground, target, turns) {
    const turn = (await readObject(ground, `configmaps/${target}-flow`))?.data?.["turn"];
    if (turn === undefined ? turns.includes(-1) : turns.includes(Number(turn))) return [];
    return [`the flow ${target} has turn ${turn}, and not one of ${turns.join(", ")}`];
  },
};
