import { FairleadError } from "@fairlead/kernel";
import { describe, expect, it } from "vitest";
import { helloOf, type LinkEvent, type LinkStage, nextLinkStage, refusalOf, type StayingStage } from "./link-stage.ts";
import type { HelloFacts } from "./types.ts";

const hello = { agentInstanceId: "one" } as HelloFacts;
const again = { agentInstanceId: "two" } as HelloFacts;
const refusal = new FairleadError({ code: "CLUSTER_IDENTITY_MISMATCH", message: "another cluster" });
const still = new FairleadError({ code: "CLUSTER_IDENTITY_UNPROVEN", message: "unproven" });

const unintroduced: StayingStage = { is: "unintroduced" };
const serving: StayingStage = { is: "serving", hello };
const refused: StayingStage = { is: "refused", hello, refusal };
const stages: Readonly<Record<string, LinkStage>> = {
  unintroduced,
  serving,
  refused,
  draining: { is: "leaving", was: serving, isGivenUp: false },
  "given up": { is: "leaving", was: refused, isGivenUp: true },
};
const events: Readonly<Record<string, LinkEvent>> = {
  "judged good": { type: "judged", hello: again, refusal: undefined },
  "judged bad": { type: "judged", hello: again, refusal: still },
  drains: { type: "drains" },
  superseded: { type: "superseded" },
};
const good: StayingStage = { is: "serving", hello: again };
const bad: StayingStage = { is: "refused", hello: again, refusal: still };
const draining = (was: StayingStage): LinkStage => ({ is: "leaving", was, isGivenUp: false });
const givenUp = (was: StayingStage): LinkStage => ({ is: "leaving", was, isGivenUp: true });
/** An event that isn't listed changes nothing. */
const moves: Readonly<Record<string, Readonly<Record<string, LinkStage>>>> = {
  unintroduced: {
    "judged good": good,
    "judged bad": bad,
    drains: draining(unintroduced),
    superseded: givenUp(unintroduced),
  },
  serving: {
    "judged good": good,
    "judged bad": bad,
    drains: draining(serving),
    superseded: givenUp(serving),
  },
  refused: {
    "judged good": good,
    "judged bad": bad,
    drains: draining(refused),
    superseded: givenUp(refused),
  },
  draining: { "judged good": draining(good), "judged bad": draining(bad) },
  "given up": { "judged good": givenUp(good), "judged bad": givenUp(bad) },
};

describe.each(Object.entries(stages))("a link that is %s", (name, stage) => {
  it.each(Object.entries(events))("when %s", (what, event) => {
    expect(nextLinkStage(stage, event)).toEqual(moves[name]?.[what] ?? stage);
  });
});

it("keeps what is known of the agent while the link leaves", () => {
  expect(Object.values(stages).map(helloOf)).toEqual([undefined, hello, hello, hello, hello]);
  expect(Object.values(stages).map(refusalOf)).toEqual([undefined, undefined, refusal, undefined, refusal]);
});
