import { expect, test } from "vitest";
import {
  answerList,
  answerStatus,
  type ScriptedCall,
  startScriptedApi,
  statusBody,
} from "../client/scripted-api.fixture.ts";
import type { KubeObject } from "../objects/kube-object.ts";
import { configMaps } from "../reflector/reflector.fixture.ts";
import { listObjects } from "./list.ts";

async function namesOf(
  answer: (call: ScriptedCall) => void,
): Promise<{ pages: string[][]; queries: Record<string, string>[] }> {
  await using api = await startScriptedApi(answer);
  const pages: string[][] = [];
  const { signal } = new AbortController();
  const nameOf = ({ metadata }: KubeObject): string => metadata.name;
  for await (const page of listObjects({ client: api.client, resource: configMaps, signal })) {
    pages.push(page.map(nameOf));
  }
  return { pages, queries: api.calls.map(({ query }) => Object.fromEntries(query)) };
}

test("a page that breaks off is there once", async () => {
  const { pages, queries } = await namesOf((call) => {
    if (call.index === 0) return answerList(call, ["a"], { resourceVersion: "5", continue: "t" });
    if (call.index === 2) return answerList(call, ["b", "c"], { resourceVersion: "5" });
    call.response.write('{"items":[{"metadata":{"name":"b","uid":"uid-b"}},{"meta');
    setTimeout(() => call.response.destroy(), 20);
  });
  expect(pages).toEqual([["a"], ["b", "c"]]);
  expect(queries.map(({ limit, continue: token }) => `${limit} ${token}`)).toEqual(["500 undefined", "500 t", "125 t"]);
});

test("a moment that the server forgot is left for a later one, where the server offers that", async () => {
  const later = { ...statusBody(410), metadata: { continue: "later" }, reason: "Expired" };
  const { pages } = await namesOf((call) => {
    const token = call.query.get("continue");
    if (token === "later") answerList(call, ["c"], { resourceVersion: "9" });
    else if (token === "t") call.response.writeHead(410).end(JSON.stringify(later));
    else answerList(call, ["a", "b"], { resourceVersion: "5", continue: "t" });
  });
  expect(pages).toEqual([["a", "b"], ["c"]]);
});

test.each([
  ["a moment that nothing can be had of", 410, "KUBE_GONE"],
  ["a refusal", 403, "KUBE_FORBIDDEN"],
])("%s is an error, and no end of the list", async (_name, status, code) => {
  const reading = namesOf((call) => {
    if (call.query.has("continue")) answerStatus(call, status);
    else answerList(call, ["a"], { resourceVersion: "5", continue: "t" });
  });
  await expect(reading).rejects.toMatchObject({ code });
});
