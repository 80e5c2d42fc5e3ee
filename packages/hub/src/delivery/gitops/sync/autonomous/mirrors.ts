// Mirrors of an autonomous cluster's objects of one kind: made, kept as they are in the cluster, and let go when it says so.
import { type Clock, isFairleadError } from "@fairlead/kernel";
import {
  driftedVersion,
  type GitopsObject,
  type ReplicaChange,
  type ReplicaContent,
  type ReplicaRefusal,
  ReplicaTarget,
  readStamps,
} from "@fairlead/protocol";
import type { HubObjects, HubObjectsHandler, HubWriteResult, OwnershipFence } from "../../types.ts";
import type { PacedWrites } from "../paced-writes.ts";
import type { SyncLog } from "../types.ts";
import type { WriteOutcome } from "../write-again.ts";
import { MirrorCache } from "./cache.ts";
import { decideMirror, hasSameFinalizers, type MirrorDecision, withFinalizers } from "./decide.ts";
import type { GuardedMirrors, MirrorGuard } from "./guarded-mirrors.ts";
import { letMirrorGo } from "./let-go.ts";
import { rulesAnnotation, sourceNameAnnotation } from "./marks.ts";
import { type MirrorRules, mirrorStateOf, readMirror } from "./mirror.ts";
import { findLocation, type MirroredKind, type MirrorNamespaces } from "./mirror-location.ts";
import { readPart } from "./part.ts";
import { toRulesMark } from "./policy.ts";
import { type MirrorLimits, MirrorQuota } from "./quota.ts";

export interface Mirrors extends GuardedMirrors {
  readonly target: ReplicaTarget;
  /** For a watch of the mirrors, and of what has their names. */
  readonly handler: HubObjectsHandler;
  /** Reads what is there now under this name. */
  look(name: string): Promise<void>;
  /** It was written. */
  took(object: GitopsObject): void;
  /** Reserves room in the cluster's share for an object that is to be written. Undefined: there is room. */
  makeRoom(object: GitopsObject): ReplicaRefusal | undefined;
  /** It wasn't written after all. */
  leaveRoom(name: string): void;
  /** Resolves when the mirror that is being written is, or can't be. Undefined: none is. */
  untilMade(sourceUid: string): Promise<void> | undefined;
  /** Says who is told of mirrors. Until then nobody is. */
  connect(ports: MirrorsPorts): void;
}

export interface MirrorsPorts {
  /** A mirror was listed, or changed. */
  readonly onSeen: (mirror: GitopsObject) => void;
  readonly onGone: (sourceUid: string) => void;
}

export interface MirrorsOptions {
  readonly kind: MirroredKind;
  readonly places: MirrorNamespaces;
  readonly rules: MirrorRules;
  readonly objects: HubObjects;
  readonly fence: OwnershipFence;
  readonly hubUid: string;
  readonly limits: MirrorLimits;
  readonly paced: PacedWrites;
  /** Undefined: whatever the cluster says is gone may go. */
  readonly guard?: Pick<MirrorGuard, "refuse" | "back"> | undefined;
  readonly onWork: () => void;
  readonly onFenced: () => void;
  readonly clock: Clock;
  readonly log: SyncLog;
  readonly signal: AbortSignal;
}

export function createMirrors(options: MirrorsOptions): Mirrors {
  const { kind, places, rules, objects, fence, hubUid, limits, paced, onWork, onFenced } = options;
  const { guard, clock, log, signal } = options;
  const namespace = kind === "applications" ? places.namespace : places.projectNamespace;
  const cache = new MirrorCache({ readSource: (object) => readMirror(kind, places, object)?.sourceUid });
  const rulesMark = toRulesMark(rules.policy, rules.server);
  const quota = new MirrorQuota(limits);
  const making = new Map<string, Promise<void>>();
  const going = { kind, objects, fence, signal, took };
  let ports: MirrorsPorts | undefined;
  const target = new ReplicaTarget({
    apply: (change) => apply(change),
    onWork,
    now: () => clock.steadyMs(),
    keepsContent: true,
  });
  return {
    target,
    handler: {
      listed(found) {
        cache.relist();
        for (const missing of cache.missingIn(found)) gone(missing);
        for (const object of found) see(object);
        for (const object of found) if (isLeftOver(object)) removeLeftOver(object);
        target.loaded();
      },
      changed: took,
      deleted: gone,
      unavailable: (reason) =>
        log.warn({ cluster: fence.cluster, kind, reason }, "the hub's mirrors of a cluster can't be read now"),
    },
    all: () => cache.all(),
    mirrorOf: (sourceUid) => cache.mirrorOf(sourceUid),
    sourceOf: (object) => cache.sourceOf(object),
    untilMade: (sourceUid) => making.get(sourceUid),
    look,
    took,
    makeRoom,
    leaveRoom,
    connect,
  };

  function connect(connected: MirrorsPorts): void {
    ports = connected;
  }

  function took(object: GitopsObject): void {
    if (!cache.isPast(object)) see(object);
  }

  function see(object: GitopsObject): void {
    const known = cache.at(object.metadata.name);
    if (known !== undefined && known.metadata.uid !== object.metadata.uid) gone(known);
    cache.take(object);
    const source = cache.sourceOf(object);
    if (source === undefined) return;
    quota.set(object.metadata.name, sizeOf(object));
    const state = mirrorStateOf(kind, object);
    const stamps = readStamps(object.metadata);
    const { [sourceNameAnnotation]: name = "", [rulesAnnotation]: mark } = object.metadata.annotations ?? {};
    const isWritten = stamps?.writtenHash === state && stamps.hubUid === hubUid && stamps.sourceUid === source;
    const isAsWritten = isWritten && mark === rulesMark;
    target.hold({ uid: source, version: isAsWritten ? stamps.version : driftedVersion, name }, state);
    target.observe(source, state);
    ports?.onSeen(object);
  }

  /** A project under its former name, beside the one that a hub of this version wrote. */
  function isLeftOver(object: GitopsObject): boolean {
    return cache.sourceOf(object) === undefined && readMirror(kind, places, object) !== undefined;
  }

  function removeLeftOver({ metadata: { name, uid } }: GitopsObject): void {
    const read = (): GitopsObject | undefined => {
      const there = cache.at(name);
      return there?.metadata.uid === uid ? there : undefined;
    };
    void paced
      .run(() => letMirrorGo({ ...going, read, reread: () => look(name) }))
      .catch((error: unknown) => {
        if (!signal.aborted)
          log.warn({ err: error, cluster: fence.cluster, name }, "a former mirror can't be removed now");
      });
  }

  function gone(object: GitopsObject): void {
    const source = cache.drop(object);
    if (source === undefined) return;
    quota.drop(object.metadata.name);
    target.observe(source, undefined);
    ports?.onGone(source);
  }

  async function look(name: string): Promise<void> {
    const found = await objects.get({ kind, namespace, name }, signal);
    const known = cache.at(name);
    if (found !== undefined) {
      cache.revive(found);
      took(found);
    } else if (known !== undefined) gone(known);
  }

  function makeRoom(object: GitopsObject): ReplicaRefusal | undefined {
    return quota.take(object.metadata.name, sizeOf(object));
  }

  function leaveRoom(name: string): void {
    const there = cache.at(name);
    if (there === undefined) quota.drop(name);
    else quota.set(name, sizeOf(there));
  }

  function apply({ uid, content }: ReplicaChange): void {
    if (content !== undefined) guard?.back(uid);
    const refusal = content === undefined ? guard?.refuse(uid) : undefined;
    if (refusal !== undefined) {
      target.refused(uid, refusal);
      return;
    }
    const write = (): Promise<Outcome> => (content === undefined ? letGo(uid) : make(uid, content));
    const made = paced
      .run(write)
      .then((outcome) => settle(uid, outcome))
      .catch((error: unknown) => {
        if (signal.aborted) return;
        const message = isFairleadError(error) ? error.message : "The hub can't write its objects now.";
        target.refused(uid, { reason: "unavailable", message, retryAfterMs: retryMs });
      });
    making.set(uid, made);
    void made.finally(() => making.get(uid) === made && making.delete(uid));
  }

  function settle(uid: string, outcome: Outcome): void {
    if (outcome.is === "refused") target.refused(uid, outcome.refusal);
    else if (outcome.is !== "fenced")
      target.committed(uid, outcome.is === "done" && outcome.object ? mirrorStateOf(kind, outcome.object) : 0n);
    else {
      target.refused(uid, fenced);
      onFenced();
    }
  }

  async function letGo(uid: string): Promise<Outcome> {
    const read = (): GitopsObject | undefined => cache.mirrorOf(uid);
    const { name } = read()?.metadata ?? {};
    if (name === undefined) return { is: "done", object: undefined };
    return await letMirrorGo({ ...going, read, reread: () => look(name) });
  }

  async function make(uid: string, content: ReplicaContent): Promise<Outcome> {
    const read = readPart(kind, uid, content);
    if (read.is === "refused") return read;
    const found = findLocation(kind, places, read.part.metadata);
    if (found.is === "nowhere") return { is: "refused", refusal: found.refusal };
    const { name } = found.place;
    const known = cache.mirrorOf(uid)?.metadata.name ?? name;
    const left = known === name ? undefined : await letGo(uid);
    if (left?.is === "refused" || left?.is === "fenced") return left;
    const former = cache.mirrorOf(uid);
    // Another cluster has it now.
    if (former !== undefined && former.metadata.name !== name) gone(former);
    const wanted = { sourceUid: uid, hubUid, version: content.version, part: read.part, place: found.place };
    let isLooked = false;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const there = cache.at(name);
      const isOurs = there !== undefined && cache.sourceOf(there) === uid;
      const decision = decideMirror({ kind, rules, wanted, there, isOurs });
      if (decision.do === "leave") return { is: "done", object: there };
      if (decision.do === "refuse" && isLooked) return { is: "refused", refusal: decision.refusal };
      const result = decision.do === "refuse" ? conflict : await carryOut(uid, decision);
      if (result.is === "written") return { is: "done", object: result.object };
      if (result.is === "refused" || result.is === "fenced") return result;
      await look(name);
      isLooked = true;
    }
    return { is: "refused", refusal: contended };
  }

  async function carryOut(uid: string, decision: WritingDecision): Promise<HubWriteResult> {
    const { object } = decision;
    const write = { kind, object, fence, signal };
    if (object.metadata.uid !== undefined) cache.claim(object, uid);
    switch (decision.do) {
      case "release": {
        const released = await objects.writeFinalizers(write);
        return released.is === "written" ? conflict : released;
      }
      case "finalizers":
        return noted(await objects.writeFinalizers(write));
      case "create":
      case "replace": {
        const refusal = makeRoom(object);
        if (refusal !== undefined) return { is: "refused", refusal };
        const result = noted(await objects.writeContent(write));
        if (result.is !== "written") leaveRoom(object.metadata.name);
        if (result.is !== "written" || result.object === undefined || decision.do === "create") return result;
        const whole = withFinalizers(result.object, decision.finalizers);
        if (hasSameFinalizers(whole, result.object)) return result;
        return noted(await objects.writeFinalizers({ ...write, object: whole }));
      }
      default:
        return decision satisfies never;
    }
  }

  function noted(result: HubWriteResult): HubWriteResult {
    if (result.is === "written" && result.object !== undefined) took(result.object);
    return result;
  }
}

type Outcome = WriteOutcome<GitopsObject>;
type WritingDecision = Exclude<MirrorDecision, { readonly do: "leave" | "refuse" }>;

function sizeOf(object: GitopsObject): number {
  return Buffer.byteLength(JSON.stringify(object));
}

const conflict: HubWriteResult = { is: "conflict" };
const fenced: ReplicaRefusal = {
  reason: "unavailable",
  message: "Another hub owns this cluster's sync.",
  retryAfterMs: 1_000,
};
const maxAttempts = 5;
const contended: ReplicaRefusal = {
  reason: "unavailable",
  message: `Other requests changed the mirror in the meantime, ${maxAttempts} times.`,
  retryAfterMs: 200,
};
const retryMs = 1_000;
