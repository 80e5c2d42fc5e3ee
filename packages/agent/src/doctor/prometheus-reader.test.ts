import { keyOfQuery, type MetricAnswer, type MetricQuery } from "@fairlead/doctor";
import { createMovableClock } from "@fairlead/kernel/testing";
import { expect, test, vi } from "vitest";
import { PrometheusReader } from "./prometheus-reader.ts";

const { signal } = new AbortController();

function open() {
  const clock = createMovableClock();
  const onNews = vi.fn();
  const answers: MetricAnswer[] = [];
  const ask = vi.fn(async () => answers.shift() ?? up(1));
  const reader = new PrometheusReader({ ask, clock, onNews });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { clock, onNews, answers, ask, reader, settle };
}

test("a question is asked once a minute, and its answer stays until the next one comes", async () => {
  const { clock, onNews, ask, answers, reader, settle } = open();
  answers.push(up(1), up(1), up(2));
  reader.want(wanted("a"), signal);
  expect(reader.answers.size).toBe(0);
  await settle();
  reader.want(wanted("a"), signal);
  expect([ask.mock.calls.length, onNews.mock.calls.length]).toEqual([1, 1]);
  clock.move(56_000);
  reader.want(wanted("a"), signal);
  expect([...reader.answers.values()]).toEqual([up(1)]);
  await settle();
  expect([ask.mock.calls.length, onNews.mock.calls.length]).toEqual([2, 1]);
  clock.move(56_000);
  reader.want(wanted("a"), signal);
  await settle();
  expect([...reader.answers.values()]).toEqual([up(2)]);
  expect(onNews).toHaveBeenCalledTimes(2);
});

test("what nobody wants any more is forgotten, also when its answer comes late", async () => {
  const { reader, settle } = open();
  reader.want(wanted("a"), signal);
  reader.want(wanted("b"), signal);
  await settle();
  expect([...reader.answers.keys()]).toEqual([...wanted("b").keys()]);
});

test("questions that change all the time are asked a few times a minute", async () => {
  const { clock, ask, reader, settle } = open();
  for (let round = 0; round < 20; round++) {
    reader.want(wanted(String(round)), signal);
    clock.move(1_000);
    await settle();
  }
  expect(ask).toHaveBeenCalledTimes(8);
  clock.move(56_000);
  reader.want(wanted("again"), signal);
  expect(ask).toHaveBeenCalledTimes(9);
});

function up(value: number): MetricAnswer {
  return { is: "answered", series: [{ labels: {}, value }] };
}

function wanted(query: string): ReadonlyMap<string, MetricQuery> {
  const asked = { address: { scheme: "http", namespace: "p", name: "p", port: 9090 }, query } as const;
  return new Map([[keyOfQuery(asked), asked]]);
}
