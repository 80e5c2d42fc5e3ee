// Says to whom it matters that a command is queued, is to be cancelled, has ended or has more of a log. Other hubs hear it
// by the bus. It is a hint: whoever misses it looks by himself.
import { type Bus, createTopicNews, type TopicNews } from "../../platform/bus/index.ts";

export type News =
  /** The agents of the cluster may find something to claim. */
  | { readonly is: "queued"; readonly cluster: string }
  /** The agent that has claimed it should ask about it. */
  | { readonly is: "changed"; readonly cluster: string; readonly id: string }
  /** It has more of a log, or has ended. */
  | { readonly is: "grown"; readonly id: string }
  /** Something may have been missed. */
  | { readonly is: "anything" };

export type NewsDesk = TopicNews<News>;

export function createNewsDesk(bus: Pick<Bus, "hint" | "onHint">): NewsDesk {
  return createTopicNews<News>({
    bus,
    topic: "commands",
    anything: { is: "anything" },
    write: writeNews,
    read: readNews,
  });
}

function writeNews(news: News): string | undefined {
  switch (news.is) {
    case "queued":
      return `queued ${news.cluster}`;
    case "changed":
      return `changed ${news.cluster} ${news.id}`;
    case "grown":
      return `grown ${news.id}`;
    case "anything":
      return undefined;
  }
}

function readNews(detail: string): News {
  const [is, one = "", other = ""] = detail.split(" ");
  if (is === "queued") return { is, cluster: one };
  if (is === "changed") return { is, cluster: one, id: other };
  if (is === "grown") return { is, id: one };
  return { is: "anything" };
}
