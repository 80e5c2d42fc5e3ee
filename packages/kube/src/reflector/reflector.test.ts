import { systemClock } from "@fairlead/kernel";
import { waitUntil } from "@fairlead/kernel/testing";
import { expect, test } from "vitest";
import {
  agree,
  answerList,
  answerStatus,
  bookmark,
  item,
  type ScriptedApi,
  type ScriptedCall,
  send,
  startScriptedApi,
  statusBody,
} from "../client/scripted-api.fixture.ts";
import { type Believer, configMaps, createBeliever, startReflector } from "./reflector.fixture.ts";
import type { ReflectorOptions } from "./types.ts";

type Options = Partial<Omit<ReflectorOptions, "signal" | "handler">> & { believer?: Believer };

/** Plays a script until the reflector has done what `isDone` says. */
async function play(
  answer: (call: ScriptedCall) => void,
  isDone: (believer: Believer, api: ScriptedApi) => boolean,
  options: Options = {},
): Promise<{ believer: Believer; api: ScriptedApi }> {
  await using api = await startScriptedApi(answer);
  await using reflector = startReflector({ client: api.client, resource: configMaps, random: () => 0, ...options });
  const { believer } = reflector;
  if (!(await waitUntil(async () => isDone(believer, api), { timeoutMs: 10_000, intervalMs: 5 }))) {
    throw new Error(`stuck after ${api.types()}: ${JSON.stringify(believer.states)}`);
  }
  return { believer, api };
}

test("a server that can't list by a watch is asked for pages, and not asked again for the other", async () => {
  const { believer, api } = await play(
    (call) => {
      if (call.type === "initial") answerStatus(call, 422, { reason: "Invalid" });
      else if (call.type === "list") answerList(call, ["a"], { resourceVersion: "5" });
      else send(call, "ERROR", statusBody(410, { reason: "Expired" }));
    },
    ({ lists }) => lists.length > 1,
  );
  expect(api.types().slice(0, 4)).toEqual(["initial", "list", "watch", "list"]);
  expect(believer.names()).toEqual(["a"]);
});

test("a server that takes the list by a watch for a plain watch is found out by its silence", async () => {
  const { api } = await play(
    (call) => {
      if (call.type === "initial") send(call, "ADDED", item("a"));
      else if (call.type === "list") answerList(call, ["a", "b"], { resourceVersion: "5" });
      else agree(call);
    },
    (believer, { calls }) => calls.length > 2 && believer.objects.size === 2,
    { silentMs: 100 },
  );
  expect(api.types().slice(0, 3)).toEqual(["initial", "list", "watch"]);
});

test("an object deleted while the list is still coming is deleted after it", async () => {
  const { believer } = await play(
    (call) => {
      if (call.type !== "initial") return agree(call);
      send(call, "ADDED", item("a"));
      send(call, "ADDED", item("b"));
      send(call, "DELETED", { ...item("a", "7"), data: { a: "1" } });
      send(call, "MODIFIED", item("b", "8"));
      send(call, "BOOKMARK", bookmark("8"));
      send(call, "BOOKMARK", bookmark("9", true));
      send(call, "ADDED", item("c", "10"));
    },
    ({ changes }) => changes.length === 2,
  );
  expect(believer.names()).toEqual(["b", "c"]);
  expect(believer.lists).toEqual(["9"]);
  expect(believer.changes.map(({ type }) => type)).toEqual(["deleted", "applied"]);
});

test("a list by a watch that breaks off is made up for by pages", async () => {
  const { believer, api } = await play(
    (call) => {
      if (call.type === "initial") {
        send(call, "ADDED", item("gone"));
        setTimeout(() => call.response.destroy(), 20);
      } else if (call.type === "list") answerList(call, ["a"], { resourceVersion: "5" });
      else agree(call);
    },
    (believer, { calls }) => believer.state() === "live" && calls.length === 3,
  );
  expect(api.types()).toEqual(["initial", "list", "watch"]);
  expect(believer.names()).toEqual(["a"]);
});

test("a moment that the server forgot between two pages begins the list anew, in one piece", async () => {
  const { believer, api } = await play(
    (call) => {
      if (call.query.has("continue")) answerStatus(call, 410, { reason: "Expired" });
      else if (call.query.has("limit")) answerList(call, ["gone"], { resourceVersion: "5", continue: "t" });
      else if (call.type === "list") answerList(call, ["a", "b"], { resourceVersion: "7" });
      else agree(call);
    },
    (believer, { calls }) => believer.state() === "live" && calls.length === 4,
    { isStreaming: false, pageSize: 1 },
  );
  expect(api.types()).toEqual(["list", "list", "list", "watch"]);
  expect(believer.names()).toEqual(["a", "b"]);
  expect(believer.lists).toEqual(["7"]);
  expect(believer.code()).toBeUndefined();
});

test("a page that breaks off is asked for again, and smaller", async () => {
  const { believer, api } = await play(
    (call) => {
      if (call.type === "watch") return agree(call);
      if (!call.query.has("continue")) return answerList(call, ["a"], { resourceVersion: "5", continue: "t" });
      if (call.index > 1) return answerList(call, ["b", "c"], { resourceVersion: "5" });
      call.response.write('{"items":[{"metadata":{"name":"b","uid":"uid-b"}},{"meta');
      setTimeout(() => call.response.destroy(), 20);
    },
    (believer, { calls }) => believer.state() === "live" && calls.length === 4,
    { isStreaming: false, pageSize: 100 },
  );
  expect(api.calls.map(({ query }) => query.get("limit"))).toEqual(["100", "100", "25", null]);
  expect(believer.names()).toEqual(["a", "b", "c"]);
  expect(believer.lists).toHaveLength(1);
});

test("a watch goes on from the last event or bookmark", async () => {
  const { believer, api } = await play(
    (call) => {
      if (call.type === "list") return answerList(call, ["a"], { resourceVersion: "5" });
      if (call.query.get("resourceVersion") === "5") send(call, "ADDED", item("b", "6"));
      else if (call.query.get("resourceVersion") === "6") send(call, "BOOKMARK", bookmark("8"));
      else return agree(call);
      call.response.end();
    },
    (_believer, { calls }) => calls.length === 4,
    { isStreaming: false },
  );
  expect(api.calls.map(({ query }) => query.get("resourceVersion"))).toEqual([null, "5", "6", "8"]);
  expect(believer.states).toEqual([{ type: "listing" }, { type: "live" }]);
  expect(believer.alive).toBe(3);
});

test("a kind of event that is yet to be invented is passed over", async () => {
  const { believer } = await play(
    (call) => {
      if (call.type === "list") return answerList(call, ["a"], { resourceVersion: "5" });
      send(call, "RUMOUR", {});
      send(call, "ADDED", item("b", "6"));
    },
    ({ objects }) => objects.size === 2,
    { isStreaming: false },
  );
  expect(believer.code()).toBeUndefined();
});

test("a watch that falls silent, where bookmarks used to come, is followed by a whole list", async () => {
  const { api } = await play(
    (call) => {
      if (call.type === "list") answerList(call, ["a"], { resourceVersion: "5" });
      else send(call, "BOOKMARK", bookmark("6"));
    },
    ({ lists }) => lists.length > 1,
    { isStreaming: false, silentMs: 100 },
  );
  expect(api.calls.slice(0, 3).map(({ type, query }) => `${type} ${query.get("limit")}`)).toEqual([
    "list 500",
    "watch null",
    "list 500",
  ]);
});

test("a watch that is silent because its API knows no bookmarks is made anew, and goes on where it was", async () => {
  const { believer, api } = await play(
    (call) => {
      if (call.type === "list") return answerList(call, ["a"], { resourceVersion: "5" });
      agree(call);
      if (call.index > 2) send(call, "ADDED", item("b", "6"));
    },
    ({ objects }) => objects.size === 2,
    { isStreaming: false, silentMs: 100 },
  );
  const asked = api.calls
    .slice(0, 4)
    .map(({ type, query }) => `${type} ${query.get("limit") ?? query.get("resourceVersion")}`);
  expect(asked).toEqual(["list 500", "watch 5", "list 1", "watch 5"]);
  expect(believer.lists).toEqual(["5"]);
  expect(believer.code()).toBeUndefined();
});

test("a quiet watch counts as alive while the API server answers, until a bookmark is overdue", async () => {
  let nowMs = 0;
  const clock = { ...systemClock, steadyMs: () => nowMs };
  const answers = new Set<() => void>();
  await using api = await startScriptedApi((call) => {
    if (call.type === "list") answerList(call, ["a"], { resourceVersion: "5" });
    else send(call, "BOOKMARK", bookmark("6"));
  });
  const { client } = api;
  const pool = {
    ...client.pool,
    onAnswer(listener: () => void) {
      answers.add(listener);
      return () => answers.delete(listener);
    },
  };
  const reflector = startReflector({ client: { ...client, pool }, resource: configMaps, isStreaming: false, clock });
  const { believer } = reflector;
  expect(await waitUntil(async () => believer.alive === 2, { timeoutMs: 5000, intervalMs: 5 })).toBe(true);
  const aliveAfter = (ms: number) => {
    nowMs += ms;
    const before = believer.alive;
    for (const answer of answers) answer();
    return believer.alive - before;
  };
  expect([500, 600, 5000, 60_000, 20_000, 5000].map(aliveAfter)).toEqual([0, 1, 1, 1, 0, 0]);
  believer.onAlive = () => {
    throw new Error("no more");
  };
  nowMs = 5000;
  for (const answer of answers) answer();
  await expect(reflector.done).rejects.toThrow("no more");
  expect(answers.size).toBe(0);
});

test("time that the handler takes is no silence", async () => {
  const believer = createBeliever(async () => {
    await new Promise((resolve) => setTimeout(resolve, 300));
  });
  await play(
    (call) => {
      if (call.type === "list") return answerList(call, [], { resourceVersion: "5" });
      if (call.query.get("resourceVersion") !== "5") return agree(call);
      send(call, "ADDED", item("a", "6"));
      setTimeout(() => {
        send(call, "ADDED", item("b", "7"));
        call.response.end();
      }, 50);
    },
    ({ objects }) => objects.size === 2,
    { isStreaming: false, silentMs: 200, believer },
  );
  expect(believer.lists).toHaveLength(1);
});

test("a cluster that went back behind where the watch was is listed anew", async () => {
  let isRestored = false;
  const { believer } = await play(
    (call) => {
      const resourceVersion = isRestored ? "300" : "500";
      if (call.type === "list") return answerList(call, [isRestored ? "old" : "new"], { resourceVersion });
      if (isRestored) return agree(call);
      send(call, "ADDED", item("newer", "501"));
      isRestored = true;
      setTimeout(() => call.response.destroy(), 20);
    },
    ({ lists }) => lists.length === 2,
    { isStreaming: false },
  );
  expect(believer.names()).toEqual(["old"]);
});

test.each([
  ["as long as a restore takes is listed anew, though it may be ahead of where the watch was", 3_000, 2],
  ["for a moment is watched on", 100, 1],
])("a cluster that was away %s", async (_what, awayMs, lists) => {
  let isBack = false;
  let lateMs = 0;
  const clock = { ...systemClock, steadyMs: () => systemClock.steadyMs() + lateMs };
  const { believer } = await play(
    (call) => {
      if (call.index === 1) return answerStatus(call, 503);
      if (call.index === 2) {
        isBack = true;
        lateMs = awayMs;
        return answerStatus(call, 503);
      }
      const [name, resourceVersion] = isBack ? ["other", "9"] : ["a", "5"];
      if (call.type === "list") return answerList(call, [name ?? ""], { resourceVersion });
      agree(call);
    },
    (_believer, { calls }) => isBack && calls.at(-1)?.type === "watch",
    { isStreaming: false, clock },
  );
  expect(believer.lists).toHaveLength(lists);
  expect(believer.names()).toEqual([lists === 2 ? "other" : "a"]);
});

test("watches that end as soon as they begin are a failure", async () => {
  const { believer } = await play(
    (call) => {
      if (call.type === "list") answerList(call, ["a"], { resourceVersion: "5" });
      else call.response.writeHead(200).end();
    },
    (believer) => believer.state() === "failing",
    { isStreaming: false, random: () => 0.9 },
  );
  expect(believer.code()).toBe("KUBE_WATCH_CUT");
  expect(believer.lists).toHaveLength(1);
});

test("a refusal is told until it is taken back, and what was known stays known", async () => {
  const { believer } = await play(
    (call) => {
      if (call.index === 1) {
        send(call, "ADDED", item("b", "6"));
        call.response.end();
      } else if (call.index === 2) answerStatus(call, 403, { reason: "Forbidden" });
      else if (call.type === "list") answerList(call, ["a"], { resourceVersion: "5" });
      else agree(call);
    },
    ({ states }) => states.length === 4,
    { isStreaming: false },
  );
  expect(believer.states.map(({ type }) => type)).toEqual(["listing", "live", "failing", "live"]);
  expect(believer.code()).toBe("KUBE_FORBIDDEN");
  expect(believer.names()).toEqual(["a", "b"]);
  expect(believer.lists).toHaveLength(1);
});

test("an API that is gone is listed anew when it is back", async () => {
  const { believer } = await play(
    (call) => {
      if (call.index === 1) call.response.writeHead(404).end("404 page not found");
      else if (call.type === "list") answerList(call, [`made-${call.index}`], { resourceVersion: "5" });
      else agree(call);
    },
    ({ lists }) => lists.length === 2,
    { isStreaming: false },
  );
  expect(believer.code()).toBe("KUBE_NOT_FOUND");
  expect(believer.names()).toEqual(["made-2"]);
});

test("a server that asks for patience gets it", async () => {
  const { believer } = await play(
    (call) => answerStatus(call, 429, { reason: "TooManyRequests", details: { retryAfterSeconds: 7 } }),
    (believer) => believer.state() === "failing",
  );
  expect(believer.states).toMatchObject([{ type: "failing", retryInMs: 7000 }]);
});

test("an answer that is no list is a failure and no empty list", async () => {
  const { believer } = await play(
    (call) => call.response.end("{}"),
    (believer) => believer.state() === "failing",
    { isStreaming: false, random: () => 0.9 },
  );
  expect(believer.code()).toBe("KUBE_BAD_ANSWER");
  expect(believer.lists).toEqual([]);
});

test.each(["before the head", "in a list", "in a watch", "while it waits"])(
  "it ends at once when it is told to %s",
  async (when) => {
    await using api = await startScriptedApi((call) => {
      if (when === "before the head") return;
      if (when === "while it waits") return answerStatus(call, 403);
      if (when === "in a list") return void call.response.write('{"items":[');
      if (call.type === "list") return answerList(call, ["a"], { resourceVersion: "5" });
      agree(call);
    });
    const reflector = startReflector({ client: api.client, resource: configMaps, isStreaming: false });
    const wanted = when === "in a watch" ? 2 : 1;
    await waitUntil(async () => api.calls.length >= wanted, { timeoutMs: 5000, intervalMs: 5 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    const startedAt = performance.now();
    await reflector[Symbol.asyncDispose]();
    expect(performance.now() - startedAt).toBeLessThan(2000);
    const isReleased = async () => api.client.pool.stats().running === 0;
    expect(await waitUntil(isReleased, { timeoutMs: 5000, intervalMs: 5 })).toBe(true);
  },
);
