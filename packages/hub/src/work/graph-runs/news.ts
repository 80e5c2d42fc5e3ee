// Says that something happened to a graph run, or to one of its commands. Other hubs hear it by the bus. It is a hint: the
// hub that takes such runs further looks by itself, too.
import { type Bus, createTopicNews, type TopicNews } from "../../platform/bus/index.ts";

/** By their ids. Undefined: something may have been missed. */
export type GraphRunNews = TopicNews<string | undefined>;

export function createGraphRunNews(bus: Pick<Bus, "hint" | "onHint">, topic: string): GraphRunNews {
  return createTopicNews<string | undefined>({ bus, topic, anything: undefined, write: (id) => id, read: (id) => id });
}
