// News about one topic: for whoever listens here at once, and for other hubs by the bus. They are hints: whoever misses one
// looks by himself.
import type { Bus } from "./types.ts";

export interface TopicNews<News> extends Disposable {
  /** Never throws and never waits. */
  tell(news: News): void;
  listen(listener: (news: News) => void): Disposable;
}

export function createTopicNews<News>(options: {
  readonly bus: Pick<Bus, "hint" | "onHint">;
  readonly topic: string;
  /** Told when something may have been missed. */
  readonly anything: News;
  /** As one detail of a hint; undefined for `anything`. */
  readonly write: (news: News) => string | undefined;
  readonly read: (detail: string) => News;
}): TopicNews<News> {
  const { bus, topic, anything, write, read } = options;
  const listeners = new Set<(news: News) => void>();
  const hearing = bus.onHint((hint) => {
    if (hint.kind === "everything") return spread(anything);
    if (hint.topic !== topic) return;
    if (hint.details === undefined) return spread(anything);
    for (const detail of hint.details) spread(read(detail));
  });
  return {
    tell(news) {
      spread(news);
      bus.hint(topic, write(news));
    },
    listen(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    [Symbol.dispose]() {
      hearing[Symbol.dispose]();
      listeners.clear();
    },
  };

  function spread(news: News): void {
    for (const listener of [...listeners]) listener(news);
  }
}
