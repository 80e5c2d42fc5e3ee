// Knows the newest state of a cluster's applications on the hub, and decides writes by it.
import { type Application, type Departure, type GitopsObject, toContent, toStatusPart } from "@fairlead/protocol";
import type { HubObjects, HubWriteResult, OwnershipFence } from "../types.ts";
import { NewestObjects } from "./newest-objects.ts";
import { type WriteOutcome, writeAgain } from "./write-again.ts";

/** Applications that the hub and a cluster both have. Each is known by one uid on both sides. */
export interface SharedApplications {
  readonly newest: Pick<NewestObjects<Application>, "get">;
  idOf(application: Application): string;
  /** `change` says what the application is to be; undefined: it is right as it is. */
  write(
    uid: string,
    how: "writeStatus" | "writeFinalizers",
    change: (there: Application) => Application | undefined,
  ): Promise<WriteOutcome<Application>>;
}

export type Reread =
  | { readonly is: "there"; readonly object: Application }
  /** It isn't there, another one has its name, or it isn't the cluster's. */
  | { readonly is: "left"; readonly departure: Departure };

export class HubApplications implements SharedApplications {
  readonly newest: NewestObjects<Application> = new NewestObjects();
  readonly #objects: HubObjects;
  readonly #fence: OwnershipFence;
  readonly #isOwn: (application: GitopsObject) => boolean;
  readonly #signal: AbortSignal;

  constructor(options: {
    readonly objects: HubObjects;
    readonly fence: OwnershipFence;
    /** Whether an object is one of the cluster's applications. */
    readonly isOwn: (application: GitopsObject) => boolean;
    readonly signal: AbortSignal;
  }) {
    this.#objects = options.objects;
    this.#isOwn = options.isOwn;
    this.#fence = options.fence;
    this.#signal = options.signal;
  }

  idOf({ metadata: { uid = "" } }: Application): string {
    return uid;
  }

  /** Reads with every earlier write. */
  async reread(uid: string, name: { readonly namespace: string; readonly name: string }): Promise<Reread> {
    const { namespace } = name;
    const found = await this.#objects.get({ kind: "applications", namespace, name: name.name }, this.#signal);
    const isThere = found?.metadata.uid === uid;
    const own = isThere && this.#isOwn(found) ? (found as Application) : undefined;
    if (own !== undefined) this.newest.take(own);
    else this.newest.drop(uid);
    const object = own && this.newest.get(uid);
    if (object !== undefined) return { is: "there", object };
    // What went had no finalizer at last, or it wouldn't have gone.
    const finalizers = isThere ? (found.metadata.finalizers ?? []) : [];
    return { is: "left", departure: { finalizers, isWithdrawn: isThere } };
  }

  /**
   * Takes the cluster's status off an application that is another cluster's now, or the hub's own. `last` is what it was as
   * the cluster's. If somebody has written another status since, that one stays.
   */
  async clearStatus(last: Application): Promise<void> {
    const { uid, namespace, name } = last.metadata;
    const found = await this.#objects.get({ kind: "applications", namespace, name }, this.#signal);
    if (found === undefined || found.metadata.uid !== uid || this.#isOwn(found)) return;
    if (statusVersionOf(found as Application) !== statusVersionOf(last)) return;
    await this.#write("writeStatus", { ...found, status: {} } as Application);
  }

  write(
    uid: string,
    how: "writeStatus" | "writeFinalizers",
    change: (there: Application) => Application | undefined,
  ): Promise<WriteOutcome<Application>> {
    return writeAgain<Application>({
      read: () => this.newest.get(uid),
      reread: async () => {
        const known = this.newest.get(uid);
        if (known !== undefined) await this.reread(uid, known.metadata);
      },
      decide: (there) => {
        const wanted = change(there);
        return wanted && (() => this.#write(how, wanted));
      },
      took: (written) => void this.newest.take(written),
    });
  }

  #write(how: "writeStatus" | "writeFinalizers", object: GitopsObject): Promise<HubWriteResult> {
    return this.#objects[how]({ kind: "applications", object, fence: this.#fence, signal: this.#signal });
  }
}

function statusVersionOf(application: Application): bigint {
  return toContent(application.metadata, toStatusPart(application)).version;
}
