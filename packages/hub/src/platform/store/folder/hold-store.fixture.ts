// A process that opens the store in the folder of its first argument, writes, and stays until it is killed; or, with
// `fill` as the second, writes until the disk is full and says line by line how it goes. The third are more options, as JSON.
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { isFairleadError } from "@fairlead/kernel";
import { sql } from "kysely";
import { openStore } from "../store.ts";
import type { Store, StoreOptions } from "../types.ts";

const [, , dataDir = "", mode = "hold", options = "{}"] = process.argv;

try {
  await run();
} catch (error) {
  console.log(
    isFairleadError(error) ? `failed ${error.code} ${error.message}` : `failed unexpectedly ${String(error)}`,
  );
}

async function run(): Promise<void> {
  const store = await openStore({ ...(JSON.parse(options) as StoreOptions), dataDir });
  await sql`create table if not exists junk (text text)`.execute(store.db);
  await sql`insert into junk values ('written')`.execute(store.db);
  console.log("open");
  if (mode === "hold") {
    // The process ends with the one that started it.
    process.stdin.resume().once("end", () => process.exit());
    return;
  }
  console.log(`full ${await fill(store)}`);
  console.log(`then ${await ask(store)}`);
  console.log(`then ${await ask(store)}`);

  await once(process.stdin, "data");
  let answer = "";
  for (let tries = 0; tries < 20 && answer !== "fine"; tries++) {
    await setTimeout(1_000);
    answer = await ask(store);
  }
  console.log(`later ${answer}`);
  await store[Symbol.asyncDispose]();
  process.stdin.destroy();
}

async function fill({ db }: Store): Promise<string> {
  for (;;) {
    try {
      await sql`insert into junk select string_agg(md5(random()::text), '') from generate_series(1, 30000)`.execute(db);
    } catch (error) {
      return String((error as { code?: string }).code);
    }
  }
}

/** Asks by writing a row that fits on no page that is there. */
function ask({ db }: Store): Promise<string> {
  return sql`insert into junk select string_agg(md5(random()::text), '') from generate_series(1, 3000)`
    .execute(db)
    .then(
      () => "fine",
      (error: { code: string }) => error.code,
    );
}
