// The hub's view of a person, from what the provider claims. Pure.
import { subjectNameSchema } from "@fairlead/contract";
import { isSystemName } from "@fairlead/kernel";
import { adminName, robotPrefix } from "../policy/index.ts";
import { oidcErrors } from "./errors.ts";
import type { OidcSettings, Person } from "./types.ts";

export type Claims = Readonly<Record<string, unknown>>;

/** Throws AUTH_OIDC_ANSWER_INVALID, AUTH_OIDC_USER_REFUSED. */
export function readPerson(
  claims: Claims,
  settings: Pick<OidcSettings, "issuer" | "usernameClaim" | "groupsClaim" | "allowedGroups" | "assumesEmailVerified">,
): Person {
  const { issuer, allowedGroups, groupsClaim } = settings;
  const subject = claims["sub"];
  if (typeof subject !== "string" || subject === "")
    throw oidcErrors.AUTH_OIDC_ANSWER_INVALID({ reason: "it names no subject" });
  const name = readName(claims, subject, settings);
  const groups = readGroups(claims[groupsClaim]);
  if (allowedGroups && !groups.some((group) => allowedGroups.includes(group))) {
    throw oidcErrors.AUTH_OIDC_USER_REFUSED({ reason: `${name} is in none of the groups that may sign in` });
  }
  return { issuer, subject, name, groups };
}

function readName(
  claims: Claims,
  subject: string,
  { usernameClaim, assumesEmailVerified = false }: Pick<OidcSettings, "usernameClaim" | "assumesEmailVerified">,
): string {
  const { email, email_verified: isVerified } = claims;
  // Some providers send text. Saying nothing isn't saying yes: anyone may have typed the address.
  const isGood = isVerified === undefined ? assumesEmailVerified : isVerified === true || isVerified === "true";
  if (usernameClaim === "email" && !isGood)
    throw oidcErrors.AUTH_OIDC_USER_REFUSED({ reason: "the e-mail address isn't verified" });
  const fallback = typeof email === "string" && email !== "" && isGood ? email : subject;
  const name = usernameClaim === undefined ? fallback : claims[usernameClaim];
  if (typeof name !== "string" || name === "") {
    throw oidcErrors.AUTH_OIDC_ANSWER_INVALID({
      reason: `the claim ${usernameClaim ?? "sub"}, which names the user, is missing or isn't text`,
    });
  }
  if (!subjectNameSchema.safeParse(name).success)
    throw oidcErrors.AUTH_OIDC_USER_REFUSED({ reason: "the name contains invalid characters" });
  if (isSystemName(name) || name === adminName || name.startsWith(robotPrefix)) {
    throw oidcErrors.AUTH_OIDC_USER_REFUSED({ reason: `the name ${name} is reserved` });
  }
  return name;
}

/** Reads a list, or a single group as text. Names that no group can have can't be bound either, and are left out. */
function readGroups(claim: unknown): string[] {
  const list = typeof claim === "string" ? [claim] : Array.isArray(claim) ? claim : [];
  const names = new Set(list.filter((item) => subjectNameSchema.safeParse(item).success) as string[]);
  if (names.size > maxGroups)
    throw oidcErrors.AUTH_OIDC_ANSWER_INVALID({ reason: `it names more than ${maxGroups} groups` });
  return [...names];
}

const maxGroups = 5_000;
