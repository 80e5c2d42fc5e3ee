// Tells agents what to examine their clusters by. All hubs have that in memory, as the database has it: agents by the
// thousand may come back at once.
import { usualProfile } from "@fairlead/contract";
import { type Kysely, sql } from "kysely";
import type { Changes } from "../../platform/changes/index.ts";
import type { Tables } from "../../platform/store/index.ts";

export interface ExamineOrder {
  readonly generation: number;
  readonly profile: string;
  /** Empty: it comes with Fairlead, and the agent has it itself. */
  readonly content: string;
}

export interface ExamineOrders extends AsyncDisposable {
  /** Tells what holds, and again with each change, until it is disposed of. */
  follow(cluster: string, tell: (order: ExamineOrder) => void): Disposable;
}

export function followOrders(options: {
  readonly db: Kysely<Tables>;
  readonly changes: Pick<Changes, "follow">;
}): ExamineOrders {
  const { db, changes } = options;
  const followers = new Set<Follower>();
  /** Undefined: it wasn't read yet. */
  let orders: ReadonlyMap<string, ExamineOrder> | undefined;
  const following = changes.follow("profiles", async () => {
    orders = await readOrders(db);
    for (const follower of followers) tellNews(follower);
  });
  return {
    follow(cluster, tell) {
      const follower: Follower = { cluster, tell, told: undefined };
      followers.add(follower);
      tellNews(follower);
      return { [Symbol.dispose]: () => void followers.delete(follower) };
    },
    async [Symbol.asyncDispose]() {
      followers.clear();
      await following[Symbol.asyncDispose]();
    },
  };

  function tellNews(follower: Follower): void {
    if (!orders) return;
    const order = orders.get(follower.cluster) ?? nothingChosen;
    if (follower.told && isSame(follower.told, order)) return;
    follower.told = order;
    follower.tell(order);
  }
}

interface Follower {
  readonly cluster: string;
  readonly tell: (order: ExamineOrder) => void;
  told: ExamineOrder | undefined;
}

/** By one look at the database: a generation always comes with the content that it means. */
function readOrders(db: Kysely<Tables>): Promise<ReadonlyMap<string, ExamineOrder>> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute(async (trx) => {
      const choices = await trx.selectFrom("profile_choice").select(["cluster", "profile", "generation"]).execute();
      const chosen = [...new Set(choices.map(({ profile }) => profile))];
      const profiles = await trx
        .selectFrom("profile")
        .select(["name", "content"])
        .where("name", "=", sql<string>`any(${chosen}::text[])`)
        .execute();
      const contents = new Map(profiles.map(({ name, content }) => [name, content]));
      return new Map(
        choices.map(({ cluster, profile, generation }) => [
          cluster,
          { generation: Number(generation), profile, content: contents.get(profile) ?? "" },
        ]),
      );
    });
}

function isSame(one: ExamineOrder, other: ExamineOrder): boolean {
  return one.generation === other.generation && one.profile === other.profile && one.content === other.content;
}

const nothingChosen: ExamineOrder = { generation: 0, profile: usualProfile, content: "" };
