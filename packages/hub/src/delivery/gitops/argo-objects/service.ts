// Projects, repositories and keys that managed clusters share, as people ask for them on a hub that keeps them itself.
import type {
  ArgoObject,
  ArgoObjectKind,
  ArgoObjectList,
  ArgoObjectListQuery,
  ArgoObjectName,
  PutArgoObjectRequest,
} from "@fairlead/contract";
import type { GitopsObject } from "@fairlead/protocol";
import type { Access, Principal } from "../../../people/access/index.ts";
import { listOnce } from "../applications/index.ts";
import { gitopsErrors } from "../errors.ts";
import type { HubObjects, HubWriteResult } from "../types.ts";
import { makeArgoObject } from "./make-object.ts";
import { toArgoObject, toArgoObjectSummary } from "./show-object.ts";

/** All throw ACCESS_DENIED; where the hub has an Argo CD of its own, GITOPS_ARGO_ELSEWHERE. */
export interface ArgoObjects {
  list(principal: Principal, kind: ArgoObjectKind, query: ArgoObjectListQuery): Promise<ArgoObjectList>;
  get(principal: Principal, of: ArgoObjectName): Promise<ArgoObject>;
  put(principal: Principal, of: ArgoObjectName, asked: PutArgoObjectRequest): Promise<ArgoObject>;
  remove(principal: Principal, of: ArgoObjectName): Promise<void>;
}

export function createArgoObjects(options: {
  readonly objects: HubObjects;
  /** Where clusters get them from. */
  readonly namespace: string;
  /** Whether the hub keeps them itself. */
  readonly isOwn: boolean;
  readonly access: Pick<Access, "require" | "may">;
}): ArgoObjects {
  const { objects, namespace, isOwn, access } = options;
  return {
    async list(principal, kind, { limit = usualLimit, cursor = "" }) {
      enter(principal, "list", kind);
      const found = await listOnce(objects, { kind, namespace, labelSelector: "" });
      const all = found.map((object) => toArgoObjectSummary(kind, object)).sort(byName);
      const left = all.filter(({ name }) => name > cursor);
      const items = left.slice(0, limit);
      return { items, ...(left.length > limit && { next: items.at(-1)?.name }) };
    },

    async get(principal, of) {
      enter(principal, "get", of.kind);
      return toArgoObject(of.kind, await find(of));
    },

    async put(principal, of, asked) {
      const { kind, name } = of;
      if (!access.may(principal, { verb: "create", resource: resourceOf(kind) })) enter(principal, "update", kind);
      for (let tries = 0; tries < maxTries; tries += 1) {
        const there = await read(of);
        enter(principal, there ? "update" : "create", kind);
        const object = makeArgoObject(of, { namespace, asked, there });
        const result = await objects.writeContent({ kind, object, fence: undefined, signal: timeOut() });
        if (result.is === "written" && result.object) return toArgoObject(kind, result.object);
        if (result.is === "refused") throw refused(name, result);
      }
      throw gitopsErrors.GITOPS_APPLICATION_CONFLICT({ name });
    },

    async remove(principal, of) {
      enter(principal, "delete", of.kind);
      const { uid = "" } = (await find(of)).metadata;
      const result = await objects.remove({ ...of, namespace, uid, fence: undefined, signal: timeOut() });
      if (result.is === "refused") throw refused(of.name, result);
    },
  };

  function enter(principal: Principal, verb: string, kind: ArgoObjectKind): void {
    access.require(principal, { verb, resource: resourceOf(kind) });
    if (!isOwn) throw gitopsErrors.GITOPS_ARGO_ELSEWHERE({ kind });
  }

  /** Throws GITOPS_ARGO_OBJECT_NOT_FOUND. */
  async function find(of: ArgoObjectName): Promise<GitopsObject> {
    const found = await read(of);
    if (found === undefined) throw gitopsErrors.GITOPS_ARGO_OBJECT_NOT_FOUND({ ...of });
    return found;
  }

  function read({ kind, name }: ArgoObjectName): Promise<GitopsObject | undefined> {
    return objects.get({ kind, namespace, name }, timeOut());
  }
}

function resourceOf(kind: ArgoObjectKind): string {
  return `argo/${kind}`;
}

function byName(left: { readonly name: string }, right: { readonly name: string }): number {
  return left.name < right.name ? -1 : 1;
}

function refused(name: string, { refusal }: Extract<HubWriteResult, { readonly is: "refused" }>): Error {
  return gitopsErrors.GITOPS_APPLICATION_REFUSED({ name, reason: refusal.reason, message: refusal.message });
}

function timeOut(): AbortSignal {
  return AbortSignal.timeout(20_000);
}

const usualLimit = 100;
const maxTries = 5;
