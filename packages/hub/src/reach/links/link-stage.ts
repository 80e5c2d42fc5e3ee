// The stage that an agent's link has reached, as the hub sees it. New streams go to links that are `unintroduced` or
// `serving`.
//
//   unintroduced ──judged──► serving ◄──judged──► refused
//   any of these ──drains──► leaving         one side has said GOAWAY
//   any of these ──superseded──► leaving, given up: the same agent has a newer link and won't dial for this one again
//
// A link that leaves may still be judged, and keeps what is known of its agent.
import type { FairleadError } from "@fairlead/kernel";
import type { HelloFacts } from "./types.ts";

export type StayingStage =
  /** The agent hasn't said Hello. */
  | { readonly is: "unintroduced" }
  | { readonly is: "serving"; readonly hello: HelloFacts }
  /** The agent isn't taken for one of its cluster. */
  | { readonly is: "refused"; readonly hello: HelloFacts; readonly refusal: FairleadError };

export type LinkStage =
  | StayingStage
  | { readonly is: "leaving"; readonly was: StayingStage; readonly isGivenUp: boolean };

export type LinkEvent =
  /** The agent has introduced itself, or more is known of its cluster. */
  | { readonly type: "judged"; readonly hello: HelloFacts; readonly refusal: FairleadError | undefined }
  | { readonly type: "drains" }
  | { readonly type: "superseded" };

/** The stage after an event; the same one where it changes nothing. */
export function nextLinkStage(stage: LinkStage, event: LinkEvent): LinkStage {
  switch (event.type) {
    case "judged": {
      const { hello, refusal } = event;
      const judged: StayingStage = refusal === undefined ? { is: "serving", hello } : { is: "refused", hello, refusal };
      return stage.is === "leaving" ? { ...stage, was: judged } : judged;
    }
    // An agent that was asked to move uses both links until it has moved: nothing makes that one given up.
    case "drains":
      return stage.is === "leaving" ? stage : { is: "leaving", was: stage, isGivenUp: false };
    case "superseded":
      return stage.is === "leaving" ? stage : { is: "leaving", was: stage, isGivenUp: true };
  }
}

export function helloOf(stage: LinkStage): HelloFacts | undefined {
  const known = knownOf(stage);
  return known.is === "unintroduced" ? undefined : known.hello;
}

export function refusalOf(stage: LinkStage): FairleadError | undefined {
  const known = knownOf(stage);
  return known.is === "refused" ? known.refusal : undefined;
}

function knownOf(stage: LinkStage): StayingStage {
  return stage.is === "leaving" ? stage.was : stage;
}
