import { Fields } from "@fairlead/kernel";
import type { CheckInput } from "../../checks/index.ts";
import { type Evidence, refTo } from "../../snapshot/index.ts";

/** The value that Helm ignores, in the Argo CD application that installs it. Helm's own releases are Secrets: not read. */
export function findTypo({ installation, snapshot }: CheckInput): Evidence | undefined {
  const { provenance } = installation;
  if (provenance?.is !== "argocd" || !provenance.application) return undefined;
  const { namespace, name } = provenance.application;
  const application = snapshot
    .listSeen(provenance.application.resource)
    .find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  if (!application) return undefined;
  const spec = new Fields(application).at("spec");
  const isWritten = [spec.at("source"), ...spec.at("sources").list()].some((source) =>
    source.at("helm").json().includes("metricsLabelsAllowlist"),
  );
  if (!isWritten) return undefined;
  return {
    object: refTo(provenance.application.resource, application),
    path: "spec.source.helm",
    observed: "metricsLabelsAllowlist",
    expected: "metricLabelsAllowlist",
  };
}
