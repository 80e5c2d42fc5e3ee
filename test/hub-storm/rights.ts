// Rights that are withdrawn, and sessions that end: two seconds after the answer no hub may serve them any more, but for
// one that can't reach the database. Such a hub goes on with what it knows, until two seconds after it is back.
import { setTimeout as delay } from "node:timers/promises";
import type { AccessBinding, Session } from "@fairlead/contract";
import type { TestHub } from "@fairlead/testkit";
import { streamLines } from "../fleet/stream-lines.ts";
import { ask } from "./ask.ts";
import { configMaps, type Harness, marker, pickTarget } from "./harness.ts";

const allowedMs = 2000;
const watchedMs = 6000;

/** A right that somebody has. */
interface Right {
  readonly what: string;
  readonly token: string;
  /** Answered with 200 to whoever has it. */
  readonly path: string;
  /** A stream that it gives. */
  readonly watch: string | undefined;
  readonly withdraw: { readonly method: "DELETE"; readonly path: string };
}

export async function keepWithdrawing(harness: Harness, client: number): Promise<void> {
  for (let number = 0; !harness.over.aborted; number++) {
    const right = await (number % 3 === 2
      ? signIn(harness)
      : bindRobot(harness, `storm-${client}-${number}`, number % 3 === 0));
    if (right === undefined) harness.count("rights not given");
    else await withdraw(harness, right);
    await delay(500);
  }
}

async function signIn(harness: Harness): Promise<Right | undefined> {
  const session = await change<Session>(harness, "POST", "/api/v1/sessions");
  if (session === undefined) return undefined;
  const { sessionId, accessToken: token } = session;
  const withdraw = { method: "DELETE", path: `/api/v1/sessions/${sessionId}` } as const;
  return { what: "a session that had ended", token, path: "/api/v1/whoami", watch: undefined, withdraw };
}

async function bindRobot(harness: Harness, name: string, losesToken: boolean): Promise<Right | undefined> {
  const { ground, name: cluster } = pickTarget(harness);
  await change(harness, "POST", "/api/v1/robots", { name });
  const binding = { subject: { kind: "robot", name }, role: "viewer", clusters: { names: [cluster] } };
  const bound = await change<AccessBinding>(harness, "POST", "/api/v1/bindings", binding);
  const given = await change<{ id: string; token: string }>(harness, "POST", `/api/v1/robots/${name}/tokens`, {
    ttlMs: 3_600_000,
  });
  if (bound === undefined || given === undefined) return undefined;
  const path = `${configMaps(ground, cluster)}/${marker}`;
  const common = { token: given.token, path, watch: `${configMaps(ground, cluster)}?watch=true` };
  return losesToken
    ? {
        ...common,
        what: "a token that was withdrawn",
        withdraw: { method: "DELETE", path: `/api/v1/robots/${name}/tokens/${given.id}` },
      }
    : {
        ...common,
        what: "a binding that was removed",
        withdraw: { method: "DELETE", path: `/api/v1/bindings/${bound.id}` },
      };
}

interface Serving {
  readonly hub: TestHub;
  readonly atMs: number;
  readonly how: string;
}

/** Uses the right at each hub, withdraws it through the balancer, and goes on using it for a while. */
async function withdraw(harness: Harness, right: Right): Promise<void> {
  const stop = new AbortController();
  const served: Serving[] = [];
  const uses = harness.hubs.hubs.map((hub, index) => keepUsing(hub, `hub ${index + 1}`));
  await delay(harness.chance.between(500, 2000));
  const gone = await change<unknown>(harness, right.withdraw.method, right.withdraw.path);
  const atMs = performance.now();
  // Without an answer it may or may not be withdrawn.
  if (gone !== undefined) await delay(watchedMs);
  stop.abort();
  await Promise.all(uses);
  if (gone === undefined) return harness.count("withdrawals not answered");
  harness.count("withdrawals");
  const noiseMs = harness.noise.since(atMs);
  const isTooLate = (sinceMs: number, each: Serving) => each.atMs - sinceMs > allowedMs + noiseMs;
  const tooLate = served.filter((each) => isTooLate(atMs, each));
  const late = tooLate.filter(
    (each) =>
      !harness.databaseCuts.some((cut) => cut.hub === each.hub && each.atMs > cut.fromMs && !isTooLate(cut.toMs, each)),
  );
  if (late.length < tooLate.length) harness.count("rights served late by a hub without its database");
  // A hub that got no processor for seconds answers what waited before it reads what has changed: once.
  if (late.length === 1) harness.count("rights served late once");
  const last = late.length > 1 ? late.at(-1) : undefined;
  if (last === undefined) return;
  const tookMs = Math.round(last.atMs - atMs);
  harness.breaks(
    `${right.what} was served ${late.length} times too late, last ${last.how} after ${tookMs} ms (noise ${Math.round(noiseMs)} ms)`,
  );

  async function keepUsing(hub: TestHub, name: string): Promise<void> {
    await Promise.all([keepAsking(hub, name), keepWatching(hub, name)]);
  }

  /** Counted by when it was asked: what is answered may have been on its way for long. */
  async function keepAsking(hub: TestHub, name: string): Promise<void> {
    while (!stop.signal.aborted) {
      const askedAtMs = performance.now();
      const asked = ask(hub, right.path, { authorization: `Bearer ${right.token}` }).then((answer) => {
        if (answer?.status === 200) served.push({ hub, atMs: askedAtMs, how: `by ${name}` });
      });
      await Promise.race([asked, delay(5000)]);
      await delay(100);
    }
  }

  async function keepWatching(hub: TestHub, name: string): Promise<void> {
    while (right.watch !== undefined && !stop.signal.aborted) {
      const onLine = () => void served.push({ hub, atMs: performance.now(), how: `on a watch at ${name}` });
      await streamLines({ server: hub, path: right.watch, token: right.token, signal: stop.signal, onLine });
      await delay(250);
    }
  }
}

/** Undefined where no answer came that it was done. */
async function change<T>(
  { hubs }: Harness,
  method: "DELETE" | "POST",
  path: string,
  body?: object,
): Promise<T | Record<string, never> | undefined> {
  const answer = await ask(hubs.behind, path, { method, ...(body && { body: JSON.stringify(body) }) });
  if (answer === undefined || answer.status >= 300) return undefined;
  return answer.text === "" ? {} : (answer.json() as T);
}
