// An autonomous cluster's applications as the hub shows them, by their uids in the cluster.
import type { Application, GitopsObject } from "@fairlead/protocol";
import type { HubObjects, HubWriteResult, OwnershipFence } from "../../types.ts";
import type { SharedApplications } from "../hub-applications.ts";
import { writeAgain } from "../write-again.ts";
import type { Mirrors } from "./mirrors.ts";

export function createMirroredApplications(options: {
  readonly mirrors: Mirrors;
  readonly objects: HubObjects;
  readonly fence: OwnershipFence;
  readonly signal: AbortSignal;
}): SharedApplications {
  const { mirrors, objects, fence, signal } = options;
  const get = (uid: string): Application | undefined => mirrors.mirrorOf(uid) as Application | undefined;
  return {
    newest: { get },

    idOf: (application) => mirrors.sourceOf(application) ?? "",

    write: (uid, how, change) =>
      writeAgain<Application>({
        read: () => get(uid),
        reread: async () => {
          const known = get(uid);
          if (known !== undefined) await mirrors.look(known.metadata.name);
        },
        decide: (there) => {
          const wanted = change(there);
          return wanted && (() => write(how, wanted));
        },
        took: mirrors.took,
      }),
  };

  async function write(how: "writeStatus" | "writeFinalizers", object: GitopsObject): Promise<HubWriteResult> {
    const refusal = mirrors.makeRoom(object);
    if (refusal !== undefined) return { is: "refused", refusal };
    const result = await objects[how]({ kind: "applications", object, fence, signal });
    if (result.is !== "written") mirrors.leaveRoom(object.metadata.name);
    return result;
  }
}
