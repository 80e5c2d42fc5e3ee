// Hubs on one real database, each with a room of commands, and agents that call them without links between.
import { type Client, createClient, createRouterTransport } from "@connectrpc/connect";
import type { Command, CommandDetail, CreateCommandRequest } from "@fairlead/contract";
import { type Clock, systemClock } from "@fairlead/kernel";
import { CommandService, type Role } from "@fairlead/protocol";
import type { FastifyInstance } from "fastify";
import type { Access, Principal } from "../../people/access/index.ts";
import type { SubscribeToRuns } from "../../picture/live/index.ts";
import { type Bus, createMemoryAdapter, type MemoryHall, openBus } from "../../platform/bus/index.ts";
import { openChanges } from "../../platform/changes/index.ts";
import { type Leases, openLeases } from "../../platform/leases/index.ts";
import { type CommandKeys, openCommandKeys, readKeySeal } from "../../platform/pki/index.ts";
import { createApp } from "../../platform/server/index.ts";
import type { Store } from "../../platform/store/index.ts";
import { openMemoryStore } from "../../platform/store/memory-store.fixture.ts";
import { createLogger, type Logger } from "../../platform/telemetry/index.ts";
import { type Clusters, openClusters, type PresentLink } from "../../reach/clusters/index.ts";
import { createPresence } from "../../reach/clusters/presence.fixture.ts";
import type { CallingAgent } from "../../reach/links/index.ts";
import { createRunNews, openLiveRuns } from "../live-runs/index.ts";
import { openTemplates } from "../templates/index.ts";
import { type CommandLimits, type CommandsRoom, openCommands } from "./open.ts";
import type { CommandWhole } from "./rows.ts";
import type { TemplateUses } from "./template-uses.ts";

export interface CommandsHarness extends AsyncDisposable {
  readonly store: Store;
  openHub(options?: HarnessHubOptions): Promise<HarnessHub>;
}

export interface HarnessHubOptions {
  readonly limits?: CommandLimits;
  readonly isDeaf?: boolean;
  /** Everybody may do everything unless told. */
  readonly access?: HarnessAccess;
  readonly clock?: Clock;
  /** By the name that a test asks under; a user of that name unless told. */
  readonly principalOf?: (name: string) => Principal;
  readonly templateLimit?: number;
  /** A room on top. */
  readonly addRoom?: (ports: HarnessPorts) => HarnessRoom;
}

export type HarnessAccess = Pick<
  Access,
  "may" | "require" | "isSignedIn" | "onChanged" | "recall" | "refuseAbsent" | "partyOf"
>;

export interface HarnessPorts {
  readonly db: Store["queries"];
  readonly access: HarnessAccess;
  readonly clusters: Clusters;
  readonly keys: CommandKeys;
  readonly bus: Bus;
  readonly leases: Leases;
  readonly templates: TemplateUses;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface HarnessRoom extends AsyncDisposable {
  readonly onPartChanged?: (whole: CommandWhole) => void;
  routes(parts: CommandsRoom["parts"]): CommandsRoom["routes"];
}

export interface HarnessHub {
  readonly room: CommandsRoom;
  readonly clusters: Clusters;
  readonly templates: TemplateUses;
  readonly keys: CommandKeys;
  readonly links: PresentLink[];
  readonly subscribeToRuns: SubscribeToRuns;
  stop(): Promise<void>;
  agent(cluster: string, options?: { readonly roles?: Role[] }): Client<typeof CommandService>;
  /** Asks as somebody who may do everything, unless told. */
  ask(
    method: "GET" | "POST" | "PUT" | "DELETE",
    path: string,
    body?: object,
    user?: string,
  ): Promise<{ readonly status: number; readonly headers: object; readonly text: string; readonly json: unknown }>;
  submit(request?: Partial<CreateCommandRequest> & { readonly set?: string }, user?: string): Promise<Command>;
  get(id: string): Promise<CommandDetail>;
  /** Claims what there is in the cluster, once there is something, and says what it would do. Gives its id. */
  plan(cluster: string): Promise<string>;
  decide(id: string, what: "approve" | "reject", user: string): Promise<number>;
}

export async function openCommandsHarness(): Promise<CommandsHarness> {
  await using undo = new AsyncDisposableStack();
  const store = undo.use(await openMemoryStore());
  const hall: MemoryHall = new Set();
  const log = createLogger({ level: "warn", name: "test" });
  let count = 0;
  const owned = undo.move();
  return {
    store,
    async openHub({ limits, isDeaf = false, access = freeAccess, clock = systemClock, ...more } = {}) {
      const { templateLimit, addRoom, principalOf = toUser } = more;
      const parts = owned.use(new AsyncDisposableStack());
      const hubInstanceId = `hub_${++count}`;
      const adapter = createMemoryAdapter(isDeaf ? {} : { hall });
      const bus = parts.use(await openBus({ adapter, hubInstanceId, clock, log }));
      const changes = parts.use(openChanges({ db: store.db, bus, clock, log }));
      const leases = parts.use(openLeases({ db: store.db, bus, hubInstanceId, clock, log }));
      const links: PresentLink[] = [];
      const clusters = parts.use(
        await openClusters({ db: store.db, changes, clock, links: createPresence(() => links) }),
      );
      const keys = await openCommandKeys({
        db: store.db,
        changes,
        seal: await readKeySeal({}),
        isOwnDatabase: true,
        spreadMs: 1_000,
        clock,
      });
      if (!keys) throw new Error("no keys");
      parts.use(keys);
      const offered = openTemplates({ db: store.queries, access, clusters, limit: templateLimit });
      const ports = { access, clusters, keys, bus, leases, templates: offered.uses, clock, log };
      const runNews = parts.use(createRunNews(bus));
      const above = addRoom && parts.use(addRoom({ db: store.queries, ...ports }));
      const room = parts.use(
        openCommands({
          db: store.db,
          queries: store.queries,
          ...ports,
          limits,
          hasHadRole: async () => false,
          listHavingHadRole: async () => new Set(),
          isMesh: false,
          onPartChanged: above?.onPartChanged,
          onChanged: runNews.tell,
        }),
      );
      const routes = [...offered.routes, ...room.routes, ...(above?.routes(room.parts) ?? [])];
      const app = parts.adopt(await openApp(routes, principalOf), (one) => one.close());
      const { subscribeToRuns } = openLiveRuns({ ...room.looking, news: runNews, access, clock });
      return createHarnessHub({
        room,
        clusters,
        templates: offered.uses,
        keys,
        links,
        subscribeToRuns,
        app,
        stop: () => parts.disposeAsync(),
      });
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function createHarnessHub(
  parts: Pick<HarnessHub, "room" | "clusters" | "templates" | "keys" | "links" | "subscribeToRuns" | "stop"> & {
    app: FastifyInstance;
  },
): HarnessHub {
  const { app, ...rest } = parts;
  const hub: HarnessHub = {
    ...rest,
    agent(cluster, { roles = ["execute"] as Role[] } = {}) {
      const hello = { agentInstanceId: "i1", agentVersion: "0", capabilities: [] };
      const known = { keyThumbprint: "k", notAfter: 0, serial: undefined, issuer: undefined, refusal: undefined };
      const peer = (): CallingAgent => ({
        cluster,
        roles,
        ...known,
        hello: { ...hello, kubeSystemUid: undefined, kubernetesVersion: undefined },
      });
      return createClient(
        CommandService,
        createRouterTransport((router) => rest.room.addServices(router, peer)),
      );
    },
    async ask(method, path, body, user = "alice") {
      const answer = await app.inject({ method, url: path, headers: { user }, ...(body ? { payload: body } : {}) });
      const isJson = /json/.test(String(answer.headers["content-type"]));
      const { statusCode: status, headers, payload: text } = answer;
      return { status, headers, text, json: isJson ? JSON.parse(text) : undefined };
    },
    async submit({ set = "web", ...request } = {}, user = "alice") {
      const asked = { cluster: "east", kind: "manifests", spec: { set, manifests: "" }, ...request };
      const { status, json, text } = await hub.ask("POST", "/api/v1/commands", asked, user);
      if (status !== 201 && status !== 200) throw Object.assign(new Error(text), json);
      return json as Command;
    },
    async get(id) {
      return (await hub.ask("GET", `/api/v1/commands/${id}`)).json as CommandDetail;
    },
    async plan(cluster) {
      const agent = hub.agent(cluster);
      for (const untilMs = Date.now() + 10_000; Date.now() < untilMs; ) {
        const { commands } = await agent.claim({ agentInstanceId: "i1", most: 1, kinds: ["manifests"] });
        const [command] = commands;
        if (!command) continue;
        const { id, epoch } = command;
        const told = { planDigest, resultJson: Buffer.from("{}") };
        await agent.report({ id, epoch, sequence: 1n, state: "planned", ...told });
        return id;
      }
      throw new Error("nothing was to be planned");
    },
    async decide(id, what, user) {
      const body = what === "approve" ? { digest: planDigest } : {};
      return (await hub.ask("POST", `/api/v1/commands/${id}/${what}`, body, user)).status;
    },
  };
  return hub;
}

const planDigest = "d".repeat(64);

/** A header names the person who asks: rights are the matter of other tests. */
async function openApp(
  routes: CommandsRoom["routes"],
  principalOf: (name: string) => Principal,
): Promise<FastifyInstance> {
  return await createApp({
    log: createLogger({ level: "silent", name: "test" }),
    bodyLimitBytes: 1024 * 1024,
    counters: { byStatus: new Map(), byErrorCode: new Map() },
    async routes(app) {
      app.addHook("onRequest", async (request) => {
        request.principal = principalOf(String(request.headers["user"]));
      });
      for (const each of routes) await app.register(each);
    },
  });
}

function toUser(name: string): Principal {
  return { kind: "user", name, uid: `uid-${name}`, groups: [] };
}

export const freeAccess: HarnessAccess = {
  recall: (asker) => ({ ...asker, groups: [] }),
  refuseAbsent: () => undefined,
  partyOf: ({ uid }) => [uid],
  may: () => true,
  require: () => undefined,
  isSignedIn: () => true,
  onChanged: () => () => undefined,
};
