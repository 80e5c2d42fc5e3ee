// This cluster's ends of all flows, as the hub's settings say. They outlive calls: what is changed here is put back while
// the hub is away.
import { type Clock, repeat } from "@fairlead/kernel";
import type { Tracer } from "@fairlead/kernel/tracing";
import type { KubeClient } from "@fairlead/kube";
import {
  type Application,
  Exchange,
  type Flow,
  flowsOf,
  type GitopsKind,
  type GitopsObject,
  isIgnored,
  type ReplicaSource,
  type ReplicaTarget,
  readStamps,
  toContent,
  toProjectPart,
  toSpecPart,
  toStatusPart,
} from "@fairlead/protocol";
import { type ClusterWriter, createClusterWriter } from "./cluster-writer.ts";
import { createContentTarget } from "./content-target.ts";
import { disownCopies } from "./disown-copies.ts";
import type { FollowedKind } from "./followed-kind.ts";
import { createObjectSource } from "./object-source.ts";
import { createOperations } from "./operations.ts";
import { isOfMapping } from "./origin.ts";
import { createRefusalTeller } from "./tell-refusals.ts";
import type { GitopsLog, HubSettings } from "./types.ts";

export interface Ends extends Disposable {
  readonly settings: HubSettings;
  readonly sources: ReadonlyMap<string, ReplicaSource>;
  readonly targets: ReadonlyMap<string, ReplicaTarget>;
  /** For one call at a time. */
  open(): OpenExchange;
}

export type OpenExchange = Pick<Exchange, "receive" | "batches"> & Disposable;

export interface EndsOptions {
  readonly settings: HubSettings;
  readonly kinds: ReadonlyMap<GitopsKind, FollowedKind>;
  readonly client: KubeClient;
  readonly argoNamespace: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: GitopsLog;
  readonly tracer?: Tracer | undefined;
}

export function createEnds(options: EndsOptions): Ends {
  const { settings, kinds, client, argoNamespace, clock, random, log, tracer } = options;
  const ending = new AbortController();
  const { signal } = ending;
  const writers = new Map<GitopsKind, ClusterWriter>();
  const sources = new Map<string, ReplicaSource>();
  const targets = new Map<string, ReplicaTarget>();
  let exchange: Exchange | undefined;
  const usersOf = (project: string): readonly string[] | undefined => listUsers(kinds.get("applications"), project);
  const common = { settings, argoNamespace, usersOf, clock, random, log, signal, onWork: () => exchange?.wake() };
  for (const flow of flowsOf(settings.mode)) {
    const followed = kinds.get(flow.kind);
    if (followed === undefined || !settings.flows.includes(flow.name)) continue;
    const parts = { ...common, client, followed, writer: writerOf(followed) };
    if (flow.source === "hub") targets.set(flow.name, createContentTarget(parts));
    else sources.set(flow.name, createObjectSource({ ...parts, ...describeSource(flow, followed) }));
  }
  const applications = kinds.get("applications");
  const start = applications && startIn(applications);
  // During a call its exchange does so.
  const repairing = repeat({
    clock,
    intervalMs: repairMs,
    onError: (error) => log.error({ err: error }, "copies can't be repaired"),
    run: async () => {
      if (exchange === undefined) for (const target of targets.values()) target.take();
      const source = sources.get("applications");
      if (source === undefined || applications === undefined) return;
      const { cache } = applications;
      await disownCopies({ cache, source, writer: writerOf(applications), hubUid: settings.hubUid });
    },
  });
  const tellRefusals = createRefusalTeller({ sources, nameOf, log });
  const telling = repeat({
    clock,
    intervalMs: tellMs,
    run: tellRefusals,
    onError: (error) => log.error({ err: error }, "what the hub refuses can't be told"),
  });
  return {
    settings,
    sources,
    targets,
    open() {
      const opened = new Exchange({ sources, targets, start, clock });
      exchange = opened;
      return {
        receive: (messages) => opened.receive(messages),
        batches: (until) => opened.batches(until),
        [Symbol.dispose]() {
          if (exchange === opened) exchange = undefined;
          opened[Symbol.dispose]();
        },
      };
    },
    [Symbol.dispose]() {
      repairing[Symbol.dispose]();
      telling[Symbol.dispose]();
      ending.abort(new Error("The ends of the flows are built anew, or the agent stops."));
    },
  };

  function writerOf(followed: FollowedKind): ClusterWriter {
    const writer = writers.get(followed.kind) ?? createClusterWriter({ client, followed, clock, signal });
    writers.set(followed.kind, writer);
    return writer;
  }

  function describeSource({ kind, part }: Flow, { cache }: FollowedKind): SourceDescription {
    const isManaged = settings.mode === "managed";
    return {
      idOf: (object) => (isManaged ? copiedId(object, cache) : ownId(object)),
      find: isManaged ? (id) => cache.copyOf(id) : (id) => cache.get(id),
      toContent: (object) =>
        toContent(object.metadata, { ...toPart(object, kind, part), ...copyOf(object, kind, part) }),
    };
  }

  /** The hub isn't told of a copy that another mapping made until it has sent that copy again. */
  function copiedId(object: GitopsObject, cache: FollowedKind["cache"]): string | undefined {
    const source = cache.sourceOf(object);
    if (source === undefined || isOfMapping(object, { ...settings, argoNamespace })) return source;
    return targets.get("applications")?.heldVersion(source) === undefined ? undefined : source;
  }

  /** Tells which of the hub's applications this one is the copy of, if the cluster was managed before. */
  function copyOf(object: GitopsObject, kind: GitopsKind, part: Flow["part"]): { readonly copyOf?: string } {
    const stamps = readStamps(object.metadata);
    const isTold = settings.mode === "autonomous" && kind === "applications" && part === "content";
    return isTold && stamps?.hubUid === settings.hubUid ? { copyOf: stamps.sourceUid } : {};
  }

  function nameOf(flow: string, uid: string): string {
    const described = flowsOf(settings.mode).find(({ name }) => name === flow);
    const followed = described && kinds.get(described.kind);
    const found = described && followed && describeSource(described, followed).find(uid);
    return found === undefined ? uid : `${found.metadata.namespace}/${found.metadata.name}`;
  }

  function startIn(followed: FollowedKind): ReturnType<typeof createOperations> {
    const { cache } = followed;
    const find = (uid: string): GitopsObject | undefined =>
      settings.mode === "managed" ? cache.copyOf(uid) : cache.get(uid);
    return createOperations({ find, writer: writerOf(followed), log, tracer });
  }
}

type SourceDescription = Pick<Parameters<typeof createObjectSource>[0], "idOf" | "find" | "toContent">;

/** Where applications can't be read nothing is known to be in the way. */
function listUsers(applications: FollowedKind | undefined, project: string): readonly string[] | undefined {
  if (applications === undefined || applications.failure !== undefined) return [];
  if (!applications.cache.isListed) return undefined;
  const users = applications.cache.objects.filter((object) => projectOf(object as Application) === project);
  return users.map(({ metadata: { namespace, name } }) => `${namespace}/${name}`);
}

/** As Argo CD reads it. */
function projectOf({ spec }: Application): string {
  const { project } = spec;
  return typeof project === "string" && project !== "" ? project : "default";
}

function ownId(object: GitopsObject): string | undefined {
  return isIgnored(object) ? undefined : object.metadata.uid;
}

function toPart(object: GitopsObject, kind: GitopsKind, part: Flow["part"]): object {
  if (part === "status") return toStatusPart(object as Application);
  return kind === "applications" ? toSpecPart(object as Application) : toProjectPart(object);
}

const repairMs = 1_000;
const tellMs = 5_000;
