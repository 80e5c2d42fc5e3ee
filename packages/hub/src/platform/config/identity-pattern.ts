// The operator's regular expression for the identities of a mesh. It is held to the whole of an identity.
import { type Pattern, PatternProblem, readPattern } from "@fairlead/kernel/pattern";
import type { Kind } from "@fairlead/kernel/settings";

/** The group is what makes the identity a cluster's. */
export function identityPattern(): Kind<string> {
  return {
    placeholder: "REGEX",
    read(given) {
      if (typeof given !== "string" || given === "") return { expected: "a regular expression" };
      const expected = problemOf(given);
      return expected === undefined ? { value: given } : { expected };
    },
    write: (value) => value,
  };
}

/** Throws a PatternProblem. */
export function readIdentityPattern(source: string): Pattern {
  // By itself first, so that no unbalanced bracket gets out of the group around it.
  readPattern(source, { mostLength });
  return readPattern(`^(?:${source})$`, { mostLength: mostLength + "^(?:)$".length });
}

function problemOf(source: string): string | undefined {
  try {
    const { groupNames } = readIdentityPattern(source);
    if (!groupNames.includes("cluster")) return "a group (?<cluster>…)";
    const isKnown = groupNames.every((name) => name === "cluster" || name === "role");
    return isKnown ? undefined : "no named groups besides cluster and role";
  } catch (error) {
    if (error instanceof PatternProblem) return `a regular expression; this one ${error.message}`;
    throw error;
  }
}

const mostLength = 1_024;
