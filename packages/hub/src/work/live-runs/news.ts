// Says that a run is new, or is in another state. Other hubs hear it by the bus. It is a hint: whoever misses it looks by
// himself.
import { type Bus, createTopicNews, type TopicNews } from "../../platform/bus/index.ts";

export interface ChangedRun {
  readonly id: string;
  readonly cluster: string;
}

/** Undefined: something may have been missed. */
export type RunNews = TopicNews<ChangedRun | undefined>;

export function createRunNews(bus: Pick<Bus, "hint" | "onHint">): RunNews {
  return createTopicNews<ChangedRun | undefined>({
    bus,
    topic: "runs",
    anything: undefined,
    write: (run) => run && `${run.cluster} ${run.id}`,
    read(detail) {
      const [cluster = "", id = ""] = detail.split(" ");
      return { cluster, id };
    },
  });
}
