// Writes to the hub's Kubernetes cluster. Each write is of one version of one object: what somebody else changed meanwhile
// is a conflict, and nothing of theirs is lost.
import { isFairleadError } from "@fairlead/kernel";
import {
  createObject,
  deleteObject,
  isObjectMissing,
  type KubeClient,
  type KubeObject,
  replaceObject,
  retryAfterMs,
  whyRefused,
} from "@fairlead/kube";
import { type GitopsObject, gitopsResources, type RefusalReason, toGitopsObject } from "@fairlead/protocol";
import type { HubObjects, HubWrite, HubWriteResult, OwnershipFence } from "../types.ts";

type Writer = Pick<HubObjects, "writeContent" | "writeStatus" | "writeFinalizers" | "remove">;

export function createKubernetesWriter(options: {
  readonly client: KubeClient;
  readonly isOwner: (fence: OwnershipFence) => boolean;
}): Writer {
  const { client, isOwner } = options;
  return {
    writeContent: (write) =>
      attempt(of(write), () => (write.object.metadata.uid === undefined ? create(write) : replace(write))),
    writeStatus: (write) => attempt(of(write), () => replace(write)),
    writeFinalizers: (write) => attempt(of(write), () => replace(write)),

    remove: ({ kind, namespace, name, uid, fence, signal }) =>
      attempt({ fence, name }, async () => {
        const done = await deleteObject({ client, resource: gitopsResources[kind], namespace, name, uid, signal });
        return done === "deleted" ? { is: "written", object: undefined } : { is: "missing" };
      }),
  };

  async function attempt(
    { fence, name }: { readonly fence: OwnershipFence | undefined; readonly name: string },
    write: () => Promise<HubWriteResult>,
  ): Promise<HubWriteResult> {
    if (fence !== undefined && !isOwner(fence)) return { is: "fenced" };
    try {
      return await write();
    } catch (error) {
      return toResult(error, name);
    }
  }

  async function create({ kind, object, signal }: HubWrite): Promise<HubWriteResult> {
    const { namespace } = object.metadata;
    const made = await createObject({
      client,
      resource: gitopsResources[kind],
      namespace,
      object,
      fieldManager,
      signal,
    });
    return { is: "written", object: toGitopsObject(made) };
  }

  /** The API server compares uid and resourceVersion. */
  async function replace({ kind, object, signal }: HubWrite): Promise<HubWriteResult> {
    const { namespace, name } = object.metadata;
    const wanted = object as GitopsObject & KubeObject;
    const place = { client, resource: gitopsResources[kind], namespace, name };
    const written = await replaceObject({ ...place, object: wanted, fieldManager, signal });
    return { is: "written", object: toGitopsObject(written) };
  }
}

function of({ fence, object }: HubWrite): { readonly fence: OwnershipFence | undefined; readonly name: string } {
  return { fence, name: object.metadata.name };
}

/** Throws what says nothing of the object: the API server can't be reached, or the write was given up. */
function toResult(error: unknown, name: string): HubWriteResult {
  if (isObjectMissing(error, name)) return { is: "missing" };
  const why = whyRefused(error);
  if (why === "conflict" || why === "exists") return { is: "conflict" };
  if (why === "unavailable" || !isFairleadError(error) || (why === "failed" && error.retryable)) throw error;
  const reason: RefusalReason = why === "no-namespace" ? "failed" : why;
  return { is: "refused", refusal: { reason, message: error.message, retryAfterMs: retryAfterMs(error) } };
}

const fieldManager = "fairlead-hub";
