import { canaryName } from "../harness.ts";
import type { Deed, DeedKind } from "./deed.ts";
import { readObject, readSecrets } from "./read-object.ts";

/** A release of a ConfigMap that says the turn, a Secret with the canary, and a Pod that has to be ready. */
export const helmDeeds: DeedKind = {
  kind: "helm",
  make({ namespace }, target, turn): Deed {
    const values = { turn: String(turn), secret: `\${secret:${namespace}/${canaryName}/value}` };
    // A template that fails quotes the values that it was given.
    const isBroken = turn % 8 === 6;
    const files = isBroken
      ? { ...chart, "templates/broken.yaml": '{{ fail (printf "no %s" .Values.secret) }}\n' }
      : chart;
    const spec = { release: target, namespace, chart: { files }, values, wait: { timeoutSeconds: 120 } };
    return { spec, end: isBroken ? "failed" : "succeeded", lastLine };
  },
  async check(ground, target, turns) {
    const turn = (await readObject(ground, `configmaps/${target}-helm`))?.data?.["turn"];
    if (turn === undefined ? turns.includes(-1) : turns.includes(Number(turn))) return [];
    return [`the release ${target} has turn ${turn}, and not one of ${turns.join(", ")}`];
  },
  async findLeftovers(ground) {
    const releases = await readSecrets(ground, "owner=helm");
    return releases
      .filter(({ metadata }) => metadata.labels?.["status"]?.startsWith("pending"))
      .map(({ metadata }) => `the release ${metadata.name} is left ${metadata.labels?.["status"]}`);
  },
};

const chart = {
  "Chart.yaml": "apiVersion: v2\nname: storm\nversion: 1.0.0\n",
  "templates/all.yaml": `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-helm
data:
  turn: {{ .Values.turn | quote }}
---
apiVersion: v1
kind: Secret
metadata:
  name: {{ .Release.Name }}-helm
stringData:
  value: {{ .Values.secret | quote }}
---
apiVersion: v1
kind: Pod
metadata:
  name: {{ .Release.Name }}-helm
spec:
  containers:
    - name: main
      image: storm
`,
};

/** Or a run of before made it, and died before it could say so. */
const lastLine = /^revision \d+ is deployed$|^goes on: revision \d+ was made by a run that died since$/;
