// Writes the status of a cluster's applications to those of the hub.
import { isFairleadError } from "@fairlead/kernel";
import {
  type Application,
  driftedVersion,
  hashOf,
  isMirrored,
  type OperationAction,
  type ReplicaChange,
  type ReplicaContent,
  type ReplicaRefusal,
  ReplicaTarget,
  type StatusPart,
  toContent,
  toStatusPart,
} from "@fairlead/protocol";
import { settleFailure, withFailedSync } from "./failed-sync.ts";
import type { SharedApplications } from "./hub-applications.ts";
import type { OperationRecords } from "./operation-records.ts";
import { PacedWrites } from "./paced-writes.ts";
import { readStatusPart } from "./read-status-part.ts";
import { readShownRefusal, withoutCopy, withShownRefusal } from "./refused-condition.ts";
import { readShownVersion, withShownVersion } from "./shown-version.ts";
import { applyStatusPart } from "./status-part.ts";
import type { EndsOptions } from "./types.ts";
import type { WriteOutcome } from "./write-again.ts";

export interface StatusTarget {
  readonly target: ReplicaTarget;
  /** An application was listed, or changed: is its status still what the cluster said? */
  see(application: Application): void;
  /** Resolves when the hub has written most of what the cluster said. */
  untilRoom(): Promise<void>;
}

export function createStatusTarget(
  options: Pick<EndsOptions, "onWork" | "onFenced" | "clock" | "signal"> & {
    readonly applications: SharedApplications;
    readonly records: OperationRecords;
    /** The requests to the application that people made here and that aren't answered. */
    readonly pending: (application: Application) => ReadonlySet<OperationAction>;
    /** The cluster's status of an application was written, or nothing was to be. */
    readonly onWritten: (uid: string) => void;
    /** All that the cluster has said of an application until now is written, or refused. */
    readonly onCaughtUp: (uid: string) => void;
    /** Turns the cluster's status into the one that the hub shows. Undefined: the same. */
    readonly toShown?: (part: StatusPart, there: Application) => StatusPart;
    /** Why the cluster doesn't take the application, as the hub shows it. Undefined: nothing is shown. */
    readonly refusalOf?: (uid: string) => string | undefined;
    /** Resolves when an application that is being made here is made. */
    readonly untilMade?: (uid: string) => Promise<void> | undefined;
    readonly paced?: PacedWrites;
  },
): StatusTarget {
  const { applications, records, pending, onWritten, onCaughtUp, toShown, refusalOf, untilMade } = options;
  const { onWork, onFenced, clock, signal } = options;
  const { paced = new PacedWrites() } = options;
  const target = new ReplicaTarget({
    apply: (change) => void apply(change),
    onWork,
    now: () => clock.steadyMs(),
    keepsContent: false,
  });
  return {
    target,
    untilRoom: () => paced.untilRoom(),
    see(application) {
      const uid = applications.idOf(application);
      const { version, name } = contentOf(application);
      target.hold({ uid, version: heldVersion(application, version), name }, version);
      // A request changes the status that the cluster told. That is meant, and no drift.
      if (pending(application).size === 0) target.observe(uid, version);
      // Deleted here, and of a copy there nothing is known: only the cluster can say whether there is one.
      if (application.metadata.deletionTimestamp !== undefined) target.ask(uid, name);
    },
  };

  async function apply({ uid, content }: ReplicaChange): Promise<void> {
    try {
      const write = (): Promise<WriteOutcome<Application>> =>
        content === undefined ? settleWithoutCopy(uid) : writePart(uid, content);
      settle(uid, await paced.run(write, untilMade?.(uid)), content !== undefined);
    } catch (error) {
      if (signal.aborted) return;
      const message = isFairleadError(error) ? error.message : "The hub can't write its objects now.";
      target.refused(uid, { reason: "unavailable", message, retryAfterMs: retryMs });
    }
    if (!target.isApplying(uid)) onCaughtUp(uid);
  }

  async function writePart(uid: string, content: ReplicaContent): Promise<WriteOutcome<Application>> {
    const read = readStatusPart(content);
    if (read.is === "refused") return read;
    const { part } = read;
    await settleFailed(uid, part);
    const change = (there: Application): Application | undefined => {
      const shown = toShownPart(uid, part, there);
      const versions = { told: content.version, shown: hashOf(shown) };
      const wanted = withShownVersion(applyStatusPart(there, shown, pending(there)), versions);
      return isSame(there, wanted) ? undefined : wanted;
    };
    const outcome = await applications.write(uid, "writeStatus", change);
    onWritten(uid);
    return outcome;
  }

  async function settleFailed(uid: string, { status }: StatusPart): Promise<void> {
    const { failure } = records.of(uid);
    if (failure === undefined || settleFailure(failure, status) === failure) return;
    await records.change(uid, (record) => {
      const { failure: before, ...rest } = record;
      const after = before && settleFailure(before, status);
      return after === before ? record : { ...rest, ...(after !== undefined && { failure: after }) };
    });
  }

  function toShownPart(uid: string, part: StatusPart, there: Application): StatusPart {
    const told = toShown?.(part, there) ?? part;
    const { failure } = records.of(uid);
    const shown = failure === undefined ? told : { ...told, status: withFailedSync(told.status, failure) };
    const message = refusalOf?.(uid);
    if (message === undefined) return shown;
    const now = new Date(clock.now());
    return { ...shown, status: withShownRefusal(shown.status, message, { before: there, now }) };
  }

  function settleWithoutCopy(uid: string): Promise<WriteOutcome<Application>> {
    const there = applications.newest.get(uid);
    const isToShow = there !== undefined && (refusalOf?.(uid) ?? readShownRefusal(there)) !== undefined;
    return isToShow && there.metadata.deletionTimestamp === undefined ? showRefusal(uid) : letGo(uid);
  }

  /** There is no copy, since the cluster doesn't take the application; or it took it a moment ago. */
  function showRefusal(uid: string): Promise<WriteOutcome<Application>> {
    return applications.write(uid, "writeStatus", (there) => {
      const wanted = { ...there, status: withoutCopy(there, refusalOf?.(uid), new Date(clock.now())) };
      return isSame(there, wanted) ? undefined : wanted;
    });
  }

  /** The copy is gone. The hub's object goes if that was wanted here; else the copy is made again. */
  function letGo(uid: string): Promise<WriteOutcome<Application>> {
    return applications.write(uid, "writeFinalizers", (there) => {
      const { deletionTimestamp, finalizers = [] } = there.metadata;
      if (deletionTimestamp === undefined || finalizers.length === 0) return undefined;
      return { ...there, metadata: { ...there.metadata, finalizers: [] } };
    });
  }

  function settle(uid: string, outcome: WriteOutcome<Application>, isThere: boolean): void {
    switch (outcome.is) {
      case "done":
        target.committed(uid, outcome.object === undefined ? 0n : contentOf(outcome.object).version);
        return;
      case "missing":
        // Nothing is kept of what the hub doesn't have, however much of it a cluster tells.
        if (isThere) target.refused(uid, untilMade === undefined ? unknown : notMade);
        else target.committed(uid, 0n);
        return;
      case "fenced":
        target.refused(uid, fenced);
        onFenced();
        return;
      case "refused":
        target.refused(uid, outcome.refusal);
        return;
      default:
        outcome satisfies never;
    }
  }
}

/** The version that the cluster told, by which it compares; `version` is that of the status on the hub. */
function heldVersion(application: Application, version: bigint): bigint {
  const versions = readShownVersion(application);
  if (versions === undefined) return version;
  return versions.shown === version ? versions.told : driftedVersion;
}

function contentOf(application: Application): ReturnType<typeof toContent> {
  return toContent(application.metadata, toStatusPart(application));
}

/** Annotations and marks of ours are written with what they are about. */
function isSame(there: Application, wanted: Application): boolean {
  if (isMirrored(there.operation) !== isMirrored(wanted.operation)) return false;
  if (contentOf(there).version !== contentOf(wanted).version) return false;
  return toText(there.metadata.annotations) === toText(wanted.metadata.annotations);
}

function toText(annotations: Readonly<Record<string, string>> = {}): string {
  return JSON.stringify(Object.entries(annotations).sort(([one], [other]) => (one < other ? -1 : 1)));
}

const fenced: ReplicaRefusal = {
  reason: "unavailable",
  message: "Another hub owns this cluster's sync.",
  retryAfterMs: 1_000,
};
const retryMs = 1_000;
/** Its content's source tells the cluster so. */
const unknown: ReplicaRefusal = {
  reason: "failed",
  message: "The hub has no such application.",
  retryAfterMs: 30_000,
};
/** It is refused there, and says so itself. */
const notMade: ReplicaRefusal = { ...unknown, retryAfterMs: 0 };
