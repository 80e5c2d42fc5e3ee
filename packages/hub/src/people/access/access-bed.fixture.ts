// This room with its routes on a store in memory, with a clock and clusters' labels that the test sets.
import { isFairleadError } from "@fairlead/kernel";
import { createMovableClock, type MovableClock } from "@fairlead/kernel/testing";
import { type FastifyInstance, fastify } from "fastify";
import type { Store } from "../../platform/store/index.ts";
import { openMemoryStore } from "../../platform/store/memory-store.fixture.ts";
import { type AccessOptions, type AccessRoom, createAccessRoutes, openAccess } from "./index.ts";
import type { Principal } from "./policy/types.ts";

export interface AccessBed extends AsyncDisposable {
  readonly store: Store;
  readonly clock: MovableClock;
  readonly access: AccessRoom;
  readonly labels: Map<string, Record<string, string>>;
  readonly adminToken: string;
  /** As `METHOD path`; the token goes into the header. */
  call(
    token: string | undefined,
    line: string,
    body?: object,
  ): Promise<{ status: number; headers: object; body: BedBody }>;
  /** The room again on the same store, as after a restart. */
  reopen(more?: BedOptions): Promise<AccessRoom>;
  /** A user who has signed in, and the access token. */
  signIn(name: string, groups?: readonly string[]): Promise<{ token: string; principal: Principal; refresh: string }>;
  /** Binds by the admin; `*` or names of clusters, separated by commas. */
  bind(kind: "user" | "group" | "robot", name: string, role: string, where: string): Promise<string>;
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at member by member
export type BedBody = any;

type BedOptions = Pick<
  AccessOptions,
  "groupPrefix" | "usernamePrefix" | "firstTokenEndsFor" | "onAdminToken" | "onError"
>;

export async function startAccess(options: BedOptions = {}): Promise<AccessBed> {
  const store = await openMemoryStore();
  const clock = createMovableClock(Date.UTC(2030, 0, 1));
  const labels = new Map<string, Record<string, string>>([
    ["east", { env: "prod" }],
    ["west", { env: "test" }],
  ]);
  const open = (more: BedOptions = {}): Promise<AccessRoom> =>
    openAccess({ db: store.db, clock, labels: (name) => labels.get(name), ...options, ...more });
  const access = await open();
  const app = await startApp(access, clock);
  const adminToken = access.firstAdminToken ?? "";

  const bed: AccessBed = {
    ...{ store, clock, access, labels, adminToken, reopen: open },

    async call(token, line, body) {
      const [method = "", url = ""] = line.split(" ");
      const answer = await app.inject({
        ...{ method: method as "GET", url, headers: token === undefined ? {} : { authorization: `Bearer ${token}` } },
        ...(body === undefined ? {} : { payload: body }),
      });
      return {
        status: answer.statusCode,
        headers: answer.headers,
        body: answer.body === "" ? undefined : answer.json(),
      };
    },

    async signIn(name, groups = []) {
      const person = { issuer: "https://idp.test", subject: `sub-${name}`, name, groups };
      const { user } = await access.users.recordSignIn(person);
      const issued = await access.sessions.create({ kind: "user", name, uid: user.uid, groups, method: "oidc" });
      return { token: issued.accessToken, principal: issued.principal, refresh: issued.refreshToken };
    },

    async bind(kind, name, role, where) {
      if (kind === "robot") await bed.call(adminToken, "POST /api/v1/robots", { name });
      const clusters = where === "*" ? { all: true } : { names: where.split(",") };
      const { status, body } = await bed.call(adminToken, "POST /api/v1/bindings", {
        ...{ subject: { kind, name }, role, clusters },
      });
      if (status !== 201) throw new Error(`not bound: ${JSON.stringify(body)}`);
      return body.id;
    },

    async [Symbol.asyncDispose]() {
      await app.close();
      await access[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
  return bed;
}

async function startApp(access: AccessRoom, clock: MovableClock): Promise<FastifyInstance> {
  const app = fastify();
  app.setErrorHandler((error, _request, reply) =>
    isFairleadError(error)
      ? reply.code(error.httpStatus).send({ code: error.code, message: error.message })
      : reply.code(500).send({ code: "UNEXPECTED", message: String(error) }),
  );
  const routes = createAccessRoutes({
    ...{ access, clock, oidc: undefined, hubUrl: () => "https://hub.test", readRemoteAddress: () => "192.0.2.1" },
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
