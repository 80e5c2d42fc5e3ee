// How a cluster's flows stand, as the hub that is at their ends sees them. Pure.
import type { GitopsFlowStatus, GitopsRefusedObject } from "@fairlead/contract";
import { operationsFlow } from "@fairlead/protocol";
import type { HubEnds } from "../sync/index.ts";

export function describeFlows(ends: HubEnds, nowMs: number): GitopsFlowStatus[] {
  let room = mostRefused;
  return [...describeSources(), ...describeTargets(), describeOperations()];

  function describeSources(): GitopsFlowStatus[] {
    return [...ends.sources].map(([flow, source]) => {
      const { state, objects, dirty, unacked, oldestDirtyMs, comparedMsAgo, refused } = source.status();
      return {
        flow,
        from: "hub",
        state,
        objects,
        dirty,
        unacked,
        ...(dirty === 0 ? {} : { oldestChangeAt: toTime(nowMs - oldestDirtyMs) }),
        ...(comparedMsAgo === undefined ? {} : { comparedAt: toTime(nowMs - comparedMsAgo) }),
        ...describeRefused(refused),
      };
    });
  }

  function describeTargets(): GitopsFlowStatus[] {
    return [...ends.targets].map(([flow, target]) => {
      const { objects, applying, comparedMsAgo } = target.status();
      return {
        flow,
        from: "cluster",
        state: comparedMsAgo === undefined ? "comparing" : "open",
        objects,
        dirty: applying,
        unacked: applying,
        ...(comparedMsAgo === undefined ? {} : { comparedAt: toTime(nowMs - comparedMsAgo) }),
        ...describeRefused([]),
      };
    });
  }

  /** Describes the operations that people asked for and the cluster hasn't begun. */
  function describeOperations(): GitopsFlowStatus {
    const asked = ends.operations.status();
    const refused = asked.flatMap(({ uid, refusal }) => (refusal === undefined ? [] : [{ uid, ...refusal }]));
    const count = asked.length;
    return {
      flow: operationsFlow,
      from: "hub",
      state: "open",
      objects: count,
      dirty: count,
      unacked: count,
      ...describeRefused(refused),
    };
  }

  function describeRefused(
    refused: readonly { readonly uid: string; readonly reason: string; readonly message: string }[],
  ): Pick<GitopsFlowStatus, "refused" | "refusedCount"> {
    const shown = refused.slice(0, room).map(({ uid, reason, message }): GitopsRefusedObject => {
      return { object: (ends.nameOf?.(uid) ?? uid).slice(0, 317), reason, message: message.slice(0, 500) };
    });
    room -= shown.length;
    return { refusedCount: refused.length, refused: shown };
  }
}

/** To the second, so that nothing changes while nothing happens. */
function toTime(atMs: number): string {
  return new Date(Math.floor(atMs / 1000) * 1000).toISOString();
}

/** For each cluster. */
const mostRefused = 100;
