import { canaryName } from "../harness.ts";
import type { Deed, DeedKind } from "./deed.ts";
import { readObject } from "./read-object.ts";

/** A ConfigMap that says the turn, a Secret with the canary, and a Pod that has to be ready. */
export const manifestsDeeds: DeedKind = {
  kind: "manifests",
  make(ground, target, turn): Deed {
    const { namespace } = ground;
    const text = `\${secret:${namespace}/${canaryName}/value}`;
    const objects: object[] = [
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: target }, data: { turn: String(turn) } },
      { apiVersion: "v1", kind: "Secret", metadata: { name: target }, stringData: { value: text, turn: String(turn) } },
    ];
    if (turn % 4 === 1) objects.push(pod(`${target}-${turn}`));
    // The API server's refusal quotes the label.
    const labels = { label: text };
    if (turn % 9 === 8) objects.push({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "refused", labels } });
    const isUnreadable = turn % 10 === 7;
    const manifests = isUnreadable ? "a: [" : objects.map((object) => JSON.stringify(object)).join("\n---\n");
    const spec = { set: target, namespace, manifests, prune: true };
    if (isUnreadable) return { spec, end: "refused", lastLine };
    return { spec, end: turn % 9 === 8 ? "failed" : "succeeded", lastLine };
  },
  async check(ground, target, turns) {
    const problems: string[] = [];
    for (const kind of ["configmaps", "secrets"]) {
      const object = await readObject(ground, `${kind}/${target}`);
      const said = object?.data?.["turn"];
      const turn = kind === "secrets" && said !== undefined ? Buffer.from(said, "base64").toString() : said;
      if (turn === undefined ? turns.length > 0 && !turns.includes(-1) : !turns.includes(Number(turn)))
        problems.push(`${kind}/${target} has turn ${turn}, and not one of ${turns.join(", ")}`);
    }
    return problems;
  },
};

/** The log names each object that is made, changed or removed, and then says for what it waits. */
const lastLine = /^(?:created|changed|unchanged|deleted) |^all objects are ready$/;

function pod(name: string): object {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { containers: [{ name: "main", image: "storm" }] },
  };
}
