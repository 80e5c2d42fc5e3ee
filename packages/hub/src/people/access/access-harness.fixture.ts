// This room with its routes on a store in memory, with a clock and clusters' labels that the test sets; and, if the test
// likes, in other hubs on the same store.
import { isFairleadError } from "@fairlead/kernel";
import { createMovableClock, type MovableClock } from "@fairlead/kernel/testing";
import { type FastifyInstance, fastify } from "fastify";
import { openBus } from "../../platform/bus/index.ts";
import { type Changes, openChanges } from "../../platform/changes/index.ts";
import { createNastyHall, type NastyHall } from "../../platform/changes/nasty-adapter.fixture.ts";
import type { Store } from "../../platform/store/index.ts";
import { openMemoryStore } from "../../platform/store/memory-store.fixture.ts";
import { createLogger } from "../../platform/telemetry/index.ts";
import { type AccessOptions, type AccessRoom, createAccessRoutes, type OidcSettings, openAccess } from "./index.ts";
import type { Principal } from "./policy/types.ts";

export interface AccessHarness extends AsyncDisposable {
  readonly store: Store;
  readonly clock: MovableClock;
  readonly access: AccessRoom;
  readonly labels: Map<string, Record<string, string>>;
  readonly adminToken: string;
  readonly call: HarnessCall;
  /** Between the hubs; each message has the fate that it says. */
  readonly hall: NastyHall;
  /** Another hub on the same store. It ends with the harness. */
  beside(more?: HarnessOptions): Promise<HarnessHub>;
  /** The room again on the same store, as after a restart. */
  reopen(more?: HarnessOptions): Promise<AccessRoom>;
  /** A user who has signed in, and the access token. */
  signIn(name: string, groups?: readonly string[]): Promise<{ token: string; principal: Principal; refresh: string }>;
  /** Binds by the admin; `*` or names of clusters, separated by commas. */
  bind(kind: "user" | "group" | "robot", name: string, role: string, where: string): Promise<string>;
}

export interface HarnessHub {
  readonly access: AccessRoom;
  readonly call: HarnessCall;
}

/** As `METHOD path`; the token goes into the header. */
export type HarnessCall = (
  token: string | undefined,
  line: string,
  /** JSON, or a form. */
  body?: object,
) => Promise<{ status: number; headers: object; body: HarnessBody }>;

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at member by member
export type HarnessBody = any;

type HarnessOptions = Pick<
  AccessOptions,
  | "groupPrefix"
  | "usernamePrefix"
  | "firstTokenEndsFor"
  | "onAdminToken"
  | "onEnded"
  | "onError"
  | "hasOthers"
  | "times"
> & {
  readonly oidc?: OidcSettings;
  /** The clock's first time. */
  readonly startMs?: number;
};

export async function startAccess(options: HarnessOptions = {}): Promise<AccessHarness> {
  const store = await openMemoryStore();
  const clock = createMovableClock(options.startMs ?? Date.UTC(2030, 0, 1));
  const labels = new Map<string, Record<string, string>>([
    ["east", { env: "prod" }],
    ["west", { env: "test" }],
  ]);
  const hall = createNastyHall();
  const undo = new AsyncDisposableStack();
  undo.use(store);
  const openChangesOf = async (hubInstanceId: string): Promise<Changes> => {
    const bus = undo.use(await openBus({ adapter: hall.adapter(), hubInstanceId, clock, log }));
    return undo.use(openChanges({ db: store.db, bus, clock, log }));
  };
  const openRoom = (changes: Changes, more: HarnessOptions): Promise<AccessRoom> =>
    openAccess({ db: store.db, changes, clock, labels: (name) => labels.get(name), ...options, ...more });
  const openHub = async (changes: Changes, more: HarnessOptions = {}): Promise<HarnessHub> => {
    const access = undo.use(await openRoom(changes, more));
    const app = await startApp(access, { store, clock, oidc: options.oidc });
    undo.defer(() => app.close());
    return { access, call: (...asked) => ask(app, ...asked) };
  };
  const changes = await openChangesOf("hub_1");
  const { access, call } = await openHub(changes);
  const adminToken = access.firstAdminToken ?? "";
  let hubs = 1;

  const harness: AccessHarness = {
    store,
    clock,
    hall,
    access,
    call,
    labels,
    adminToken,
    reopen: (more = {}) => openRoom(changes, more),

    async beside(more) {
      hubs += 1;
      return await openHub(await openChangesOf(`hub_${hubs}`), more);
    },

    async signIn(name, groups = []) {
      const person = { issuer: "https://idp.test", subject: `sub-${name}`, name, groups };
      const { user } = await access.users.recordSignIn(person);
      const issued = await access.sessions.create({ kind: "user", name, uid: user.uid, groups, method: "oidc" });
      return { token: issued.accessToken, principal: issued.principal, refresh: issued.refreshToken };
    },

    async bind(kind, name, role, where) {
      if (kind === "robot") await harness.call(adminToken, "POST /api/v1/robots", { name });
      const clusters = where === "*" ? { all: true } : { names: where.split(",") };
      const { status, body } = await harness.call(adminToken, "POST /api/v1/bindings", {
        subject: { kind, name },
        role,
        clusters,
      });
      if (status !== 201) throw new Error(`not bound: ${JSON.stringify(body)}`);
      return body.id;
    },

    [Symbol.asyncDispose]: () => undo.disposeAsync(),
  };
  return harness;
}

async function ask(app: FastifyInstance, ...[token, line, body]: Parameters<HarnessCall>): ReturnType<HarnessCall> {
  const [method = "", url = ""] = line.split(" ");
  const answer = await app.inject({
    method: method as "GET",
    url,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body instanceof URLSearchParams ? { "content-type": "application/x-www-form-urlencoded" } : {}),
    },
    ...(body === undefined ? {} : { payload: body instanceof URLSearchParams ? body.toString() : body }),
  });
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: answer.body === "" ? undefined : answer.json(),
  };
}

async function startApp(
  access: AccessRoom,
  {
    store: { db },
    clock,
    oidc,
  }: { readonly store: Store; readonly clock: MovableClock; readonly oidc: OidcSettings | undefined },
): Promise<FastifyInstance> {
  const app = fastify();
  app.setErrorHandler((error, _request, reply) =>
    isFairleadError(error)
      ? reply.code(error.httpStatus).send({ code: error.code, message: error.message })
      : reply.code(500).send({ code: "UNEXPECTED", message: String(error) }),
  );
  const routes = createAccessRoutes({
    access,
    db,
    clock,
    oidc,
    hubUrl: () => "https://hub.test",
    readRemoteAddress: () => "192.0.2.1",
    onRefused: () => undefined,
  });
  await app.register(routes.open);
  await app.register(async (signedIn) => {
    signedIn.decorateRequest("principal");
    signedIn.addHook("onRequest", async (request) => {
      request.principal = await access.authenticate(request.headers.authorization);
    });
    await signedIn.register(routes.signedIn);
  });
  return app;
}

const log = createLogger({ level: "error", name: "test", destination: { write: () => undefined } });
