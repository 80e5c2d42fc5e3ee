import type { AccessRequestState } from "@fairlead/contract";
import { describe, expect, it } from "vitest";
import { type AccessRequestEvent, stateAt, transition } from "./transition.ts";

const at = "2030-01-01T00:00:00.000Z";
const nowMs = Date.parse(at);
const states: readonly AccessRequestState[] = [
  { kind: "pending" },
  { kind: "approved", by: "bob", at, binding: "bnd_1", endsAt: at },
  { kind: "denied", by: "bob", at },
  { kind: "cancelled", at },
  { kind: "expired", at },
];
const events: readonly AccessRequestEvent[] = [
  { kind: "approve", by: "bob", binding: "bnd_1", endsAt: at },
  { kind: "deny", by: "bob", comment: "no" },
  { kind: "cancel" },
  { kind: "lapse" },
];

describe("an access request", () => {
  it.each([
    ["approve", { kind: "approved", by: "bob", at, binding: "bnd_1", endsAt: at }],
    ["deny", { kind: "denied", by: "bob", at, comment: "no" }],
    ["cancel", { kind: "cancelled", at }],
    ["lapse", { kind: "pending" }],
  ] as const)("that is pending becomes, by %s in time, %j", (kind, expected) => {
    expect(move({ kind: "pending" }, kind, nowMs + 1)).toEqual(expected);
  });

  it.each(events.map(({ kind }) => kind))("that nobody decided in time is expired, whatever %s says", (kind) => {
    if (kind === "lapse") expect(move({ kind: "pending" }, kind, nowMs)).toEqual({ kind: "expired", at });
    else expect(() => move({ kind: "pending" }, kind, nowMs)).toThrow(/expired/);
  });

  it.each(states.slice(1).flatMap((state) => events.map((event) => [state.kind, event.kind] as const)))(
    "that is %s stays so, whatever %s says",
    (state, event) => {
      const is = states.find(({ kind }) => kind === state) ?? { kind: "pending" };
      if (event === "lapse") expect(move(is, event, nowMs)).toEqual(is);
      else expect(() => move(is, event, nowMs + 1)).toThrow(expect.objectContaining({ code: "ACCESS_REQUEST_ENDED" }));
    },
  );

  it("is pending up to its time, and expired from then on, before anybody sweeps it up", () => {
    expect(stateAt({ state: { kind: "pending" }, expiresMs: nowMs }, nowMs - 1)).toEqual({ kind: "pending" });
    expect(stateAt({ state: { kind: "pending" }, expiresMs: nowMs }, nowMs)).toEqual({ kind: "expired", at });
  });
});

function move(state: AccessRequestState, kind: AccessRequestEvent["kind"], expiresMs: number): AccessRequestState {
  const event = events.find((one) => one.kind === kind);
  if (!event) throw new Error(`no event ${kind}`);
  return transition({ state, expiresMs }, event, nowMs);
}
