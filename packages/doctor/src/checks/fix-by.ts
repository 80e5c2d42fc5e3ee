import type { Installation } from "../detect/index.ts";
import type { Fix } from "./verdict.ts";

/** Helm, Argo CD and Flux would undo a patch of an object that they made, so there the chart's values are the fix. */
export function fixBy(options: {
  readonly installation: Installation;
  readonly chart: string;
  readonly values: unknown;
  /** For what was installed from manifests. */
  readonly otherwise: Fix;
}): Fix {
  const { chart, values, otherwise } = options;
  const { risk } = otherwise;
  const { provenance } = options.installation;
  switch (provenance?.is) {
    case "helm": {
      const release = { namespace: provenance.namespace, name: provenance.release };
      return { is: "helm-values", risk, chart, release, values };
    }
    case "argocd":
    case "flux":
      return { is: "helm-values", risk, chart, values };
    case "olm":
    case "provider":
    case "manifests":
    case undefined:
      return otherwise;
    default:
      return provenance satisfies never;
  }
}
