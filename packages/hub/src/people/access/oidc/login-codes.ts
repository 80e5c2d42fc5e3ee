// Sign-ins that came back from the provider and whose program hasn't fetched its session yet.
import type { Kysely } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";

/** Whoever is signed out gets no session by a code that is on its way. Without a `sid`, all codes of the person go. */
export async function forgetLoginCodes(
  db: Kysely<Tables>,
  {
    issuer,
    subject,
    sid,
  }: {
    readonly issuer: string;
    readonly subject: string | undefined;
    readonly sid?: string | undefined;
  },
): Promise<void> {
  const codes = db.deleteFrom("oidc_waiting").where("kind", "=", "code").where("issuer", "=", issuer);
  if (subject === undefined) return void (await codes.where("sid", "=", sid ?? "").execute());
  const theirs = codes.where("subject", "=", subject);
  if (sid === undefined) return void (await theirs.execute());
  await theirs.where((is) => is.or([is("sid", "is", null), is("sid", "=", sid)])).execute();
}
