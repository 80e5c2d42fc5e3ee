// Hints on their way out. A bundle says less and less as it grows: first all that was named, then topics without details,
// in the end that everything may have changed. So its size is bounded, and nothing is ever left unsaid.

export type BundleContent =
  /** `null` for a topic of which all may have changed. */
  | { readonly kind: "topics"; readonly topics: Readonly<Record<string, readonly string[] | null>> }
  | { readonly kind: "everything" };

export interface Bundle {
  add(topic: string, detail: string | undefined): void;
  /** Undefined when nothing was added since the last time. */
  take(): BundleContent | undefined;
}

export function createBundle({ maxBytes }: { readonly maxBytes: number }): Bundle {
  let topics = new Map<string, TopicPart>();
  let sizeBytes = 0;
  let isEverything = false;
  return {
    add(topic, detail) {
      if (isEverything) return;
      const part = topics.get(topic) ?? open(topic);
      if (part.details === undefined) return;
      if (detail === undefined) collapse(part);
      else if (!part.details.has(detail)) {
        part.details.add(detail);
        grow(part, sizeOf(detail));
      }
      shrink();
    },

    take() {
      if (isEverything) {
        isEverything = false;
        return { kind: "everything" };
      }
      if (topics.size === 0) return undefined;
      const content = Object.fromEntries(
        [...topics].map(([name, { details }]) => [name, details ? [...details] : null]),
      );
      topics = new Map();
      sizeBytes = 0;
      return { kind: "topics", topics: content };
    },
  };

  function open(topic: string): TopicPart {
    const part: TopicPart = { details: new Set(), sizeBytes: 0 };
    topics.set(topic, part);
    sizeBytes += sizeOf(topic) + "null".length;
    return part;
  }

  function grow(part: TopicPart, byBytes: number): void {
    part.sizeBytes += byBytes;
    sizeBytes += byBytes;
  }

  function collapse(part: TopicPart): void {
    part.details = undefined;
    grow(part, -part.sizeBytes);
  }

  /** The topic with the longest list says less first. */
  function shrink(): void {
    while (sizeBytes > maxBytes) {
      const detailed = [...topics.values()].filter(({ details }) => details !== undefined && details.size > 0);
      const longest = detailed.sort((a, b) => b.sizeBytes - a.sizeBytes)[0];
      if (longest === undefined) {
        isEverything = true;
        topics = new Map();
        sizeBytes = 0;
        return;
      }
      collapse(longest);
    }
  }
}

interface TopicPart {
  details: Set<string> | undefined;
  sizeBytes: number;
}

/** In JSON, with what stands between it and the next. */
function sizeOf(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) + 2;
}
