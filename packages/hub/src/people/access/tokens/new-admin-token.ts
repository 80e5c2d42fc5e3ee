// `fairlead-hub admin-token new`: a token for the store that is at hand, whether a hub uses it or not. A hub that does takes
// it within a second or two and says so in the store, or else at its next start.
import { open, rm } from "node:fs/promises";
import { createId, sleep } from "@fairlead/kernel";
import { type StoreClient, toStoreError } from "../../../platform/store/index.ts";
import { adminName } from "../policy/index.ts";
import { newTokenCommand } from "./admin-tokens.ts";
import { tokenErrors } from "./errors.ts";
import { createToken } from "./tokens.ts";

export interface NewAdminToken {
  readonly revoked: number;
  /** A hub takes it already. */
  readonly isTaken: boolean;
}

export async function newAdminToken(options: {
  readonly client: StoreClient;
  readonly revokesOthers: boolean;
  /** Written before the token is good, for its owner alone; undefined: it is shown. */
  readonly file: string | undefined;
  readonly show: (token: string) => void;
  /** For a hub that takes it; 0 where none can be there. */
  readonly patienceMs: number;
}): Promise<NewAdminToken> {
  const { client, revokesOthers, file, show, patienceMs } = options;
  const { token, sha256 } = createToken({ kind: "admin" });
  const id = createId("adm");
  if (file !== undefined) await write(file, token);
  let revoked: number;
  try {
    await client.query("begin");
    // As a hub does when it starts.
    await client.query("lock table admin_token in share row exclusive mode");
    revoked = revokesOthers ? await revokeAll(client) : 0;
    const columns = "id, name, secret_sha256, created_at, by_command";
    await client.query(`insert into admin_token (${columns}) values ($1, $2, $3, now(), true)`, [
      id,
      adminName,
      sha256,
    ]);
    await client.query("commit");
  } catch (error) {
    if (file !== undefined) await rm(file, { force: true });
    throw toStoreError(error);
  }
  if (file === undefined) show(token);
  return { revoked, isTaken: await untilTaken(client, id, patienceMs) };
}

async function write(file: string, token: string): Promise<void> {
  try {
    await using handle = await open(file, "wx", 0o600);
    await handle.writeFile(`${token}\n`);
    await handle.sync();
  } catch (error) {
    const { code = "unknown reason" } = error as NodeJS.ErrnoException;
    const reason = code === "EEXIST" ? "it is there already" : code;
    throw tokenErrors.ADMIN_TOKEN_FILE_UNUSABLE({ file, reason, cause: error });
  }
}

async function revokeAll(client: StoreClient): Promise<number> {
  const { rowCount } = await client.query(
    "update admin_token set revoked_at = now(), revoked_by = $1, recorded_at = null where revoked_at is null",
    [newTokenCommand],
  );
  return rowCount ?? 0;
}

async function untilTaken(client: StoreClient, id: string, patienceMs: number): Promise<boolean> {
  const endMs = performance.now() + patienceMs;
  while (performance.now() < endMs) {
    const { rows } = await client.query("select from admin_token where id = $1 and recorded_at is not null", [id]);
    if (rows.length > 0) return true;
    await sleep(200);
  }
  return false;
}
