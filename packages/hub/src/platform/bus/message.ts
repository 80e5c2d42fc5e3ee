// The messages of hubs over a bus: small JSON objects. Hubs of different versions share a bus.
import { z } from "zod";
import type { BundleContent } from "./bundle.ts";
import type { Hint } from "./types.ts";

export interface BusMessage {
  readonly from: string;
  readonly hints: readonly Hint[];
}

export function writeBusMessage(from: string, content: BundleContent): string {
  return JSON.stringify(content.kind === "everything" ? { from, everything: true } : { from, topics: content.topics });
}

/** A message that can't be read may have said anything, so everything is looked at. */
export function readBusMessage(text: string): BusMessage {
  const { success, data } = schema.safeParse(parseJson(text));
  if (!success) return { from: "", hints: [{ kind: "everything" }] };
  const { from, topics } = data;
  if (topics === undefined) return { from, hints: [{ kind: "everything" }] };
  const hints = Object.entries(topics).map(
    ([topic, details]): Hint => ({ kind: "topic", topic, details: details ?? undefined }),
  );
  return { from, hints };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const schema = z.object({
  from: z.string(),
  topics: z.record(z.string(), z.array(z.string()).nullable()).optional(),
});

/** Begins what a hub says to see that it can be heard. It is no message, and others pass it over. */
export const proofPrefix = "proof:";
