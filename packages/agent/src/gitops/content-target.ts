// Copies of the hub's objects of one kind: made, kept as the hub has them, and deleted when the hub says so.
import { type Clock, Slots } from "@fairlead/kernel";
import {
  driftedVersion,
  type GitopsObject,
  parseContent,
  type ReplicaChange,
  type ReplicaContent,
  type ReplicaRefusal,
  ReplicaTarget,
  readStamps,
} from "@fairlead/protocol";
import { type ClusterWriter, toRefusal, type WriteResult } from "./cluster-writer.ts";
import { type CopiedPart, type Place, placeOf, stateOf } from "./copy-kinds.ts";
import { type Decision, decide } from "./decide.ts";
import type { FollowedKind } from "./followed-kind.ts";
import type { WantedCopy } from "./make-copy.ts";
import type { Departure } from "./object-cache.ts";
import { isOfMapping, originOf } from "./origin.ts";
import { toRecreated } from "./recreate.ts";
import type { GitopsLog, HubSettings } from "./types.ts";

export interface ContentTargetOptions {
  readonly followed: FollowedKind;
  readonly writer: ClusterWriter;
  readonly settings: HubSettings;
  readonly argoNamespace: string;
  /** The applications here that are in a project. Undefined: they aren't known yet. */
  readonly usersOf: (project: string) => readonly string[] | undefined;
  readonly onWork: () => void;
  readonly clock: Clock;
  readonly log: GitopsLog;
  readonly signal: AbortSignal;
}

export function createContentTarget(options: ContentTargetOptions): ReplicaTarget {
  const { followed, writer, settings, argoNamespace, usersOf, onWork, clock, log, signal } = options;
  const { kind, cache } = followed;
  const placement = { ...settings, argoNamespace };
  const slots = new Slots(maxWrites);
  /** The last state of each copy that went, for the copy that replaces it. */
  const lost = new Map<string, GitopsObject>();
  /**
   * Place -> uid of the object that the hub sent for it last. The object that was there before isn't put back: the hub
   * will say that it is gone.
   */
  const owners = new Map<string, string>();
  /** Uids of objects that the hub says are gone, and whose copies aren't yet: these aren't put back. */
  const leaving = new Set<string>();
  const target = new ReplicaTarget({
    apply: (change) => void apply(change),
    onWork,
    now: () => clock.steadyMs(),
    keepsContent: true,
  });
  for (const object of cache.objects) see(object);
  if (cache.isListed) target.loaded();
  const stop = cache.listen({ changed: see, gone, listed: () => target.loaded() });
  signal.addEventListener("abort", stop, { once: true });
  return target;

  function see(object: GitopsObject): void {
    const source = cache.sourceOf(object);
    if (source === undefined) return;
    const stamps = readStamps(object.metadata);
    const state = stateOf(kind, object);
    const isAsWritten = stamps?.writtenHash === state && stamps.hubUid === settings.hubUid;
    const { namespace, name } = nameOnHub(object);
    const version = isAsWritten ? stamps.version : driftedVersion;
    // A copy that another mapping made isn't told: the hub sends it again, or lets go of it.
    if (kind !== "applications" || isOfMapping(object, placement))
      target.hold({ uid: source, version, name: `${namespace}/${name}` }, state);
    target.observe(source, state);
  }

  /** As far as the cluster can tell. */
  function nameOnHub(object: GitopsObject): Place {
    const { namespace, name } = object.metadata;
    return { namespace: originIn(object) ?? namespace, name };
  }

  function originIn(object: GitopsObject): string | undefined {
    return kind === "applications" ? originOf(object, placement).namespace || undefined : undefined;
  }

  function gone(object: GitopsObject, { source }: Departure): void {
    if (source === undefined) return;
    lost.set(source, object);
    if (owners.get(placeKey(object.metadata)) === source) owners.delete(placeKey(object.metadata));
    target.observe(source, undefined);
  }

  async function apply(change: ReplicaChange): Promise<void> {
    const { uid } = change;
    try {
      const outcome = signal.aborted ? stopped : await make(change);
      lost.delete(uid);
      if (outcome.is === "done") {
        if (change.content === undefined) leaving.delete(uid);
        target.committed(uid, outcome.state);
      } else {
        target.refused(uid, outcome.refusal);
      }
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error, kind, uid }, "a copy of an object of the hub can't be written");
      target.refused(uid, toRefusal(error));
    }
  }

  async function make({ uid, content, departure, isRepair }: ReplicaChange): Promise<Outcome> {
    if (isRepair && leaving.has(uid)) return { is: "done", state: stateHere(uid) };
    if (content === undefined) leaving.add(uid);
    else leaving.delete(uid);
    const wanted = content && toWanted(uid, content);
    if (wanted !== undefined && !followed.namespaces.includes(wanted.place.namespace)) return elsewhere(wanted);
    if (wanted !== undefined && !isRepair) owners.set(placeKey(wanted.place), uid);
    else if (wanted !== undefined && (owners.get(placeKey(wanted.place)) ?? uid) !== uid) return displaced;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const there = wanted === undefined ? cache.copyOf(uid) : cache.at(wanted.place);
      const isOurs = there !== undefined && cache.sourceOf(there) === uid;
      const elsewhere = there === undefined ? cache.copyOf(uid) : undefined;
      const origin = there && originIn(there);
      const mayGo = wanted === undefined || wanted.part.metadata.isDeleting || !isOurs;
      const users = kind === "projects" && there && mayGo ? usersOf(there.metadata.name) : [];
      const decision = decide({
        kind,
        sourceUid: uid,
        wanted,
        departure,
        users,
        there,
        isOurs,
        elsewhere,
        origin,
        rules: settings.rules,
      });
      if (decision.do === "leave") return { is: "done", state: there === undefined ? 0n : stateOf(kind, there) };
      if (decision.do === "refuse") return { is: "refused", refusal: decision.refusal };
      const result = await carryOut(decision, isRepair ? lost.get(uid) : undefined);
      if (result.is === "refused" || result.is === "no-namespace") return { is: "refused", refusal: result.refusal };
      if (result.is === "conflict") continue;
      return { is: "done", state: stateOf(kind, result.object) };
    }
    return { is: "refused", refusal: contended };
  }

  function stateHere(uid: string): bigint {
    const there = cache.copyOf(uid);
    return there === undefined ? 0n : stateOf(kind, there);
  }

  async function carryOut(decision: WritingDecision, former: GitopsObject | undefined): Promise<WriteResult> {
    // It takes no room from others while it waits.
    if (decision.do === "wait")
      return (await writer.untilGone(decision.object)) ? { is: "conflict" } : { is: "refused", refusal: going };
    const leave = await slots.enter();
    try {
      return await write(decision, former);
    } finally {
      leave();
    }
  }

  async function write(
    decision: Exclude<WritingDecision, { readonly do: "wait" }>,
    former: GitopsObject | undefined,
  ): Promise<WriteResult> {
    switch (decision.do) {
      case "create":
        return await create(toRecreated(decision.object, former, settings.rules.onRecreate));
      case "replace":
        return await writer.replace(decision.object);
      case "delete":
        return await writer.remove(decision.object);
      case "prepare":
        return goOn(await writer.replace(decision.object));
      case "recreate": {
        // The workloads that it deployed stay, and belong to the new copy, which has the same name.
        const bare = { ...decision.object, metadata: { ...decision.object.metadata, finalizers: [] } };
        const result = await writer.replace(bare);
        if (result.is === "written") await writer.remove(result.object);
        return goOn(result);
      }
      default:
        return decision satisfies never;
    }
  }

  async function create(object: GitopsObject): Promise<WriteResult> {
    const result = await writer.create(object);
    if (result.is !== "no-namespace" || !settings.rules.createsNamespaces) return result;
    await writer.createNamespace(object.metadata.namespace);
    return await writer.create(object);
  }

  function toWanted(uid: string, content: ReplicaContent): WantedCopy {
    const part = parseContent<CopiedPart>(content);
    const place = placeOf(kind, part.metadata, placement);
    return { sourceUid: uid, hubUid: settings.hubUid, version: content.version, part, place };
  }

  function elsewhere({ place }: WantedCopy): Outcome {
    const message = `The agent's settings don't include the namespace ${place.namespace}: see --argo-application-namespaces.`;
    return { is: "refused", refusal: { reason: "forbidden", message, retryAfterMs: 0 } };
  }
}

type Outcome =
  | { readonly is: "done"; readonly state: bigint }
  | { readonly is: "refused"; readonly refusal: ReplicaRefusal };
type WritingDecision = Exclude<Decision, { readonly do: "leave" | "refuse" }>;

function placeKey({ namespace, name }: Place): string {
  return `${namespace}/${name}`;
}

/** Has the rest decided. */
function goOn(result: WriteResult): WriteResult {
  return result.is === "written" ? { is: "conflict" } : result;
}

const displaced: Outcome = { is: "done", state: 0n };
const maxWrites = 16;
const maxAttempts = 5;
const contended: ReplicaRefusal = {
  reason: "unavailable",
  message: `Other clients changed the object during ${maxAttempts} attempts.`,
  retryAfterMs: 200,
};
const going: ReplicaRefusal = {
  reason: "unavailable",
  message: "The object in the cluster is being deleted, and waits for its finalizers.",
  retryAfterMs: 1_000,
};
const stopped: Outcome = {
  is: "refused",
  refusal: { reason: "unavailable", message: "The agent is stopping.", retryAfterMs: 1_000 },
};
