import type { ClusterObject, ObjectDifference } from "@fairlead/doctor";
import { Slots } from "@fairlead/kernel";
import type { ClusterView } from "./cluster-view.ts";

/** Two renderings of a chart against what is live; each object by itself. */
export async function compareObjects(
  view: ClusterView,
  rendered: {
    readonly before: readonly ClusterObject[];
    readonly after: readonly ClusterObject[];
    readonly namespace: string;
  },
): Promise<{ readonly objects: readonly ObjectDifference[]; readonly doubts: readonly string[] }> {
  const { compareThreeWay, pairManifests } = await import("@fairlead/doctor");
  const { namespace } = rendered;
  const slots = new Slots(concurrentRequests);
  const doubts: string[] = [];
  const compared = await Promise.all(
    pairManifests(rendered).map(async ({ before, after }) => {
      const named = after ?? before;
      if (!named) return undefined;
      const leave = await slots.enter();
      try {
        const ref = view.nameOf(named, namespace);
        const look = await view.look(named, namespace);
        if (look.is !== "hidden")
          return compareThreeWay({ ref, before, after, ...(look.is === "there" && { live: look.object }) });
        doubts.push(`you may not read ${ref}`);
        return undefined;
      } finally {
        leave();
      }
    }),
  );
  return { objects: compared.filter((each) => each !== undefined), doubts: doubts.sort() };
}

const concurrentRequests = 6;
