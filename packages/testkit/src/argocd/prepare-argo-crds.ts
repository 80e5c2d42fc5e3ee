import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import type { ClusterAccess, StoredObject } from "../cluster/index.ts";
import { processNotReady } from "../errors.ts";
import { ensureKeptFiles } from "../tools/index.ts";

const kinds = ["application", "applicationset", "appproject"];
const timeoutMs = 60_000;

/**
 * Makes the cluster know Argo CD's kinds, as the release defines them. It may know them already. They are put into etcd as
 * the API server leaves them there: it serves them after 1.6 s then, and after 8 s when it is to check and accept them.
 */
export async function prepareArgoCrds({ api, putObjects }: ClusterAccess): Promise<void> {
  const isKnown = async (): Promise<boolean> => {
    const { status, text } = await api.send({ path: "/apis/argoproj.io/v1alpha1" });
    return status === 200 && kinds.every((kind) => text.includes(`"${kind}s"`));
  };
  if (await isKnown()) return;
  await putObjects("apiextensions.k8s.io/customresourcedefinitions", await Promise.all(kinds.map(readAccepted)));
  if (await waitUntil(isKnown, { timeoutMs, intervalMs: 100 })) return;
  throw processNotReady("Argo CD's kinds", timeoutMs, "The API server does not serve them.");
}

async function readAccepted(kind: string, index: number): Promise<StoredObject> {
  const file = join(await ensureKeptFiles("argocd"), "manifests", "crds", `${kind}-crd.json`);
  const definition = JSON.parse(await readFile(file, "utf8")) as Definition;
  const { metadata, spec } = definition;
  const metadataOfServer = {
    // The same for all who put it: several may do so at once, and one that changed would end watches.
    uid: `00000000-0000-4000-8000-00000000000${index}`,
    creationTimestamp: acceptedAt,
    generation: 1,
  };
  return {
    ...definition,
    metadata: { ...metadata, ...metadataOfServer },
    spec: { ...spec, conversion: { strategy: "None" } },
    status: {
      acceptedNames: spec.names,
      storedVersions: ["v1alpha1"],
      conditions: [conditionOf("NamesAccepted", "NoConflicts"), conditionOf("Established", "InitialNamesAccepted")],
    },
  } as StoredObject;
}

function conditionOf(type: string, reason: string): object {
  return { type, reason, status: "True", message: "", lastTransitionTime: acceptedAt };
}

interface Definition extends StoredObject {
  readonly spec: { readonly names: object };
}

const acceptedAt = "2026-01-01T00:00:00Z";
