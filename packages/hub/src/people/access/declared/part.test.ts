// What goes from the files ends for whoever had it: on two hubs, of which one reads the files and the other is told nothing.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Declarations, DeclaredRobot, OwnedThing } from "../../../platform/declarations/index.ts";
import { type AccessHarness, type HarnessHub, startAccess } from "../access-harness.fixture.ts";
import type { Principal } from "../policy/index.ts";
import type { Ended } from "../service.ts";
import { createToken } from "../tokens/index.ts";
import { createDeclaredAccess } from "./part.ts";

const hourMs = 3_600_000;
const place = { file: "rights.yaml", line: 1 };
const viewing = { verbs: ["list"], resources: ["clusters"] };
const listing = { verb: "list", resource: "clusters", cluster: "east" } as const;
const east = { names: ["east"] };
let harness: AccessHarness;
let other: HarnessHub;
let ended: Ended[];
const tokens = new Map<string, string>();
beforeEach(async () => {
  harness = await startAccess({ hasOthers: true });
  other = await harness.beside();
  harness.hall.fate = () => "lose";
  ended = [];
});
afterEach(() => harness[Symbol.asyncDispose]());

describe("a robot that was declared", () => {
  const { token, sha256 } = createToken({ kind: "robot", endsMs: Date.UTC(2099, 0, 1) });
  const scope = { clusters: ["east"] };

  it.each([
    ["isn't any more", []],
    ["has other tokens", [robot("ci", createToken({ kind: "robot", endsMs: Date.UTC(2099, 0, 1) }).sha256)]],
    ["has its token for a shorter time", [robot("ci", sha256, { expiresMs: Date.UTC(2030, 6, 1) })]],
    ["has its token for less", [robot("ci", sha256, { scope })]],
  ])("and %s loses its sessions, their refresh tokens and what it made with its token", async (_what, left) => {
    await apply({ robots: [robot("ci", sha256)], bindings: [binding("ci", { kind: "robot", name: "ci" }, "admin")] });
    const session = (await harness.call(token, "POST /api/v1/sessions")).body;
    const elsewhere = (await other.call(token, "POST /api/v1/sessions")).body;
    await harness.call(session.accessToken, "POST /api/v1/robots", { name: "child" });
    const child = (await harness.call(token, "POST /api/v1/robots/child/tokens", { ttlMs: hourMs })).body;
    const principals = await authenticate(session.accessToken);
    const told = [harness, other].map(({ access }) => {
      const heard = vi.fn();
      access.onChanged(heard);
      return heard;
    });

    await apply({ robots: left, bindings: left.map(() => binding("ci", { kind: "robot", name: "ci" }, "admin")) });
    for (const [index, hub] of [harness, other].entries()) {
      await untilSecondsLater(() => told[index]?.mock.calls.length !== 0);
      await untilSecondsLater(() => !hub.access.isSignedIn(principals[index] as Principal));
      for (const { accessToken, refreshToken } of [session, elsewhere]) {
        expect(await status(hub, accessToken)).toBe(401);
        const answer = await hub.call(undefined, "POST /api/v1/sessions/refresh", { refreshToken });
        expect([answer.status, answer.body.code]).toEqual([401, "SESSION_REFRESH_INVALID"]);
      }
      expect(await status(hub, child.token)).toBe(401);
    }
  });

  it.each([
    ["another, which stays", ["ci", "builder"], ["ci"]],
    ["another that comes before it in the order of names", ["ci", "builder"], ["builder"]],
    ["a new one, under which it is renamed", ["ci"], ["deployer"]],
  ])(
    "and whose token is given to %s is nobody by it: sessions end, and it is the other's",
    async (_what, first, next) => {
      const all = (names: string[]) => names.map((name) => binding(name, { kind: "robot", name }, "viewer"));
      const holder = first.find((name) => name !== next[0]) ?? first[0] ?? "";
      await apply({
        robots: first.map((name) => robot(name, name === holder ? sha256 : undefined)),
        bindings: all(first),
      });
      const session = (await harness.call(token, "POST /api/v1/sessions")).body;
      expect(session.principal.name).toBe(`robot:${holder}`);
      const before = await authenticate(token);
      const [heir = ""] = next;
      const robots = [...new Set([...first.filter((name) => name !== holder || first.length > 1), heir])];
      await apply({
        robots: robots.map((name) => robot(name, name === heir ? sha256 : undefined)),
        bindings: all(robots),
      });

      for (const [index, hub] of [harness, other].entries()) {
        await untilSecondsLater(() => !hub.access.isSignedIn(before[index] as Principal));
        expect(await status(hub, session.accessToken)).toBe(401);
        expect((await hub.call(token, "GET /api/v1/whoami")).body).toMatchObject({ name: `robot:${heir}` });
      }
      expect(
        await apply({
          robots: robots.map((name) => robot(name, name === heir ? sha256 : undefined)),
          bindings: all(robots),
        }),
      ).toEqual([]);
    },
  );

  it("and goes from the files while no hub runs is gone when one starts", async () => {
    await apply({ robots: [robot("ci", sha256)], bindings: [binding("ci", { kind: "robot", name: "ci" }, "viewer")] });
    const session = (await harness.call(token, "POST /api/v1/sessions")).body;
    await using again = await harness.reopen();
    await createDeclaredAccess({ access: again, clock: harness.clock }).reconcile(await task({}));
    for (const one of [token, session.accessToken])
      await expect(Promise.resolve().then(() => again.authenticate(`Bearer ${one}`))).rejects.toMatchObject({
        code: "AUTH_INVALID",
      });
    await expect(again.sessions.refresh(session.refreshToken)).rejects.toMatchObject({
      code: "SESSION_REFRESH_INVALID",
    });
  });
});

it("what it made is as declared when it is read again, and a robot that it took over counts as itself", async () => {
  const { token } = await harness.signIn("ann");
  await harness.bind("user", "ann", "admin", "*");
  await harness.call(token, "POST /api/v1/robots", { name: "ci", description: "by hand" });
  const { sha256 } = createToken({ kind: "robot", endsMs: Date.UTC(2099, 0, 1) });
  const scope = { verbs: ["get"], clusters: ["east"] };
  const clusterRules = [{ verbs: ["get"], resources: ["pods"], namespaces: ["shop"] }];
  const mayImpersonate = { users: ["dev-*"], groups: ["devs"] };
  const wanted = {
    roles: [{ ...place, name: "reader", clusterRules, groups: ["readers"], mayImpersonate, description: "reads" }],
    robots: [{ ...robot("ci", sha256, { scope }), description: "deploys" }, robot("idle")],
    bindings: [
      {
        ...binding("ci", { kind: "robot", name: "ci" }, "reader"),
        clusters: { selector: { matchLabels: { env: "prod" } } },
      },
    ],
  };
  expect(harness.access.robots.makersOf("ci", undefined)).toHaveLength(1);
  await apply(wanted);
  await using again = await harness.reopen();
  for (const access of [harness.access, other.access, again]) {
    await access.catchUp();
    expect(await createDeclaredAccess({ access, clock: harness.clock }).reconcile(await task(wanted))).toEqual([]);
    expect(access.robots.makersOf("ci", undefined)).toEqual([]);
  }
});

describe("a person", () => {
  it.each([
    ["whose binding isn't declared any more", "user", {}],
    ["whose group isn't bound any more", "group", {}],
    ["whose binding names somebody else", "user", { subject: { kind: "user", name: "bob" } }],
    ["whose binding is for another cluster", "group", { clusters: { names: ["west"] } }],
    ["whose role gives less", "user", { role: "reader", hubRules: [] }],
  ] as const)("%s loses the right at each hub, with the streams that it gave", async (_what, kind, next) => {
    const { hubRules, ...changed } = { hubRules: [viewing], ...next };
    const subject = { kind, name: kind === "user" ? "ann" : "shop" } as const;
    const roles = (rules: readonly (typeof viewing)[]) => [{ ...place, name: "reader", hubRules: [...rules] }];
    const declared = { ...binding("shop", subject, "reader"), clusters: east };
    await apply({ roles: roles([viewing]), bindings: [declared] });
    const { token, principal } = await harness.signIn("ann", ["shop"]);
    const theirs = [principal, await other.access.authenticate(`Bearer ${token}`)];
    const hubs = [harness, other].map((hub, index) => ({ hub, principal: theirs[index] as Principal, heard: vi.fn() }));
    for (const { hub, principal: asker, heard } of hubs) {
      await untilSecondsLater(() => hub.access.may(asker, listing));
      hub.access.onChanged(() => heard(hub.access.may(asker, listing)));
    }

    const isGone = Object.keys(next).length === 0;
    await apply({ roles: roles(hubRules), bindings: isGone ? [] : [{ ...declared, ...changed }] });
    for (const { hub, principal: asker, heard } of hubs) {
      await untilSecondsLater(() => !hub.access.may(asker, listing));
      // This is what ends streams.
      expect(heard).toHaveBeenLastCalledWith(false);
      expect(hub.access.isSignedIn(asker)).toBe(true);
    }
  });
});

describe("a role that somebody granted for a time", () => {
  const reader = { ...place, name: "reader", hubRules: [viewing] };
  const theirs = { ...binding("shop", { kind: "group", name: "shop" }, "reader"), clusters: east };

  it("works beside declared bindings, isn't theirs to take away, and ends by itself", async () => {
    const wanted = { roles: [reader], bindings: [theirs] };
    await apply(wanted);
    const { principal, binding: given } = await grant("ann");
    expect(harness.access.may(principal, listing)).toBe(true);
    expect(await apply(wanted)).toEqual([]);
    expect(await apply({ roles: [reader] })).toMatchObject([{ kind: "Binding", name: "shop", did: "removed" }]);
    expect(harness.access.grants.bindings().map(({ id }) => id)).toContain(given);
    const again = await ask("ann");
    expect((await decide(again)).body.code).toBe("BINDING_EXISTS");
    harness.clock.move(hourMs);
    expect(harness.access.may(principal, listing)).toBe(false);
    expect(ended).toEqual([]);
  });

  it.each([
    ["also while another binding keeps the role", true],
    ["which goes as well", false],
  ])("ends with the role's place in the files, at each hub and on record, %s", async (_what, isKept) => {
    await apply({ roles: [reader], bindings: [theirs] });
    if (isKept) await harness.bind("user", "zoe", "reader", "east");
    const { principal, binding: given } = await grant("ann");
    const pending = await ask("ann", { names: ["west"] });
    await untilSecondsLater(() => other.access.may(principal, listing));
    const findings = await apply({});
    expect(findings).toContainEqual(expect.objectContaining({ kind: "Role", did: isKept ? "kept" : "removed" }));
    expect(harness.access.may(principal, listing)).toBe(false);
    await untilSecondsLater(() => !other.access.may(principal, listing));
    expect(ended).toEqual([{ kind: "binding", id: given, what: expect.stringContaining("role reader of user ann") }]);
    const late = await decide(pending);
    expect([late.status, late.body.code]).toEqual(isKept ? [200, undefined] : [422, "ROLE_UNKNOWN"]);
    await apply({ roles: [reader] });
    expect(harness.access.may(principal, listing)).toBe(false);
  });

  async function grant(name: string) {
    const { token, principal } = await harness.signIn(name);
    tokens.set(name, token);
    const { body } = await decide(await ask(name));
    return { principal, binding: body.state.binding as string };
  }

  async function ask(name: string, clusters: object = east): Promise<string> {
    const wanted = { role: "reader", clusters, ttlMs: hourMs, reason: "INC-7" };
    return (await harness.call(tokens.get(name), "POST /api/v1/access/requests", wanted)).body.id;
  }

  async function decide(id: string) {
    return await harness.call(harness.adminToken, `POST /api/v1/access/requests/${id}/approve`, {});
  }
});

type Wanted = Pick<Declarations, "roles" | "robots" | "bindings">;

function robot(name: string, sha256?: string, more: object = {}): DeclaredRobot {
  const tokens = sha256 === undefined ? [] : [{ sha256, expiresMs: Date.UTC(2031, 0, 1), ...more }];
  return { ...place, name, tokens };
}

function binding(name: string, subject: Declarations["bindings"][number]["subject"], role: string) {
  return { ...place, name, subject, role, clusters: { all: true }, record: false } as const;
}

async function task(wanted: Partial<Wanted>) {
  const rows = await harness.store.db.selectFrom("declaration").select(["kind", "name", "file"]).execute();
  return {
    wanted: { clusters: [], roles: [], robots: [], bindings: [], limits: undefined, ...wanted },
    owned: rows.map((row) => ({ ...row, withdrawnMs: undefined }) as OwnedThing),
    guard: async () => undefined,
  };
}

async function apply(wanted: Partial<Wanted>) {
  const { access, clock } = harness;
  const part = createDeclaredAccess({ access, clock, onEnded: async (news) => void ended.push(news) });
  return await part.reconcile(await task(wanted));
}

/** At either hub. */
async function authenticate(token: string): Promise<readonly Principal[]> {
  return await Promise.all([harness, other].map(async ({ access }) => await access.authenticate(`Bearer ${token}`)));
}

async function status(hub: HarnessHub, token: string): Promise<number> {
  return (await hub.call(token, "GET /api/v1/whoami")).status;
}

/** Waits for what a few more looks at the database will show. */
async function untilSecondsLater(isSo: () => boolean): Promise<void> {
  await expect
    .poll(() => {
      harness.clock.move(1_000);
      return isSo();
    })
    .toBe(true);
}
