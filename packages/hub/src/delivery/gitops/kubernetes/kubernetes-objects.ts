// The hub's side in a Kubernetes cluster, where an unmodified Argo CD may run: people use its UI, API and CLI there.
import { followObjects, getObject, type KubeClient } from "@fairlead/kube";
import { gitopsKinds, gitopsResources, selectionOf, toGitopsObject } from "@fairlead/protocol";
import type { HubObjects, OwnershipFence } from "../types.ts";
import { createKubernetesWriter } from "./writer.ts";

export function createKubernetesObjects(options: {
  readonly client: KubeClient;
  /** Asked right before each write. */
  readonly isOwner: (fence: OwnershipFence) => boolean;
}): HubObjects {
  const { client } = options;
  const writer = createKubernetesWriter(options);
  return {
    kinds: new Set(gitopsKinds),

    async watch({ kind, namespace, labelSelector, handler, signal }) {
      const { labelSelector: own, fieldSelector } = selectionOf(kind);
      await followObjects({
        client,
        resource: gitopsResources[kind],
        namespace,
        signal,
        labelSelector: joinSelectors(own, labelSelector),
        fieldSelector,
        handler: {
          listed: (objects) => handler.listed(objects.map(toGitopsObject)),
          changed: (object) => handler.changed(toGitopsObject(object)),
          deleted: (object) => handler.deleted(toGitopsObject(object)),
          unavailable: ({ message }) => handler.unavailable(message),
        },
      });
    },

    async get({ kind, namespace, name }, signal) {
      const found = await getObject({ client, resource: gitopsResources[kind], namespace, name, signal });
      return found && toGitopsObject(found);
    },

    ...writer,

    // The client is its owner's.
    async [Symbol.asyncDispose]() {},
  };
}

function joinSelectors(...selectors: readonly (string | undefined)[]): string {
  return selectors.filter((selector) => selector !== undefined && selector !== "").join(",");
}
