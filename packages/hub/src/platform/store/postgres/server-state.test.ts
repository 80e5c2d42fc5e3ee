import { describe, expect, it } from "vitest";
import { nextServerState, type ServerEvent, type ServerState } from "./server-state.ts";

const mark = { pid: 7, startTicks: "1", place: "here" };
const later = { pid: 8, startTicks: "2", place: "here" };

const states = {
  starting: { kind: "starting" },
  running: { kind: "running", process: mark },
  down: { kind: "down", reason: "killed", attempt: 2 },
  stopping: { kind: "stopping" },
  stopped: { kind: "stopped" },
  left: { kind: "left" },
} as const satisfies Record<ServerState["kind"], ServerState>;

const events = {
  ran: { kind: "ran", process: later },
  ended: { kind: "ended", reason: "crashed" },
  failed: { kind: "failed", reason: "no space" },
  stop: { kind: "stop" },
  leave: { kind: "leave" },
} as const satisfies Record<ServerEvent["kind"], ServerEvent>;

/** Each event has the state after it for each state before it. A state that isn't here stays as it is. */
const table: Record<ServerEvent["kind"], Partial<Record<ServerState["kind"], ServerState>>> = {
  ran: {
    starting: { kind: "running", process: later },
    down: { kind: "running", process: later },
  },
  ended: {
    running: { kind: "down", reason: "crashed", attempt: 0 },
    stopping: { kind: "stopped" },
  },
  failed: {
    starting: { kind: "down", reason: "no space", attempt: 1 },
    down: { kind: "down", reason: "no space", attempt: 3 },
  },
  stop: {
    starting: { kind: "stopped" },
    running: { kind: "stopping" },
    down: { kind: "stopped" },
  },
  leave: {
    starting: { kind: "left" },
    running: { kind: "left" },
    down: { kind: "left" },
  },
};

const cases = Object.values(states).flatMap((state) => Object.values(events).map((event) => ({ state, event })));

describe("the state of the hub's own server", () => {
  it.each(cases)("when $state.kind, after $event.kind", ({ state, event }) => {
    expect(nextServerState(state, event)).toEqual(table[event.kind][state.kind] ?? state);
  });
});
