// Which programs the kinds of commands run, and in which versions.
import type { CommandKind } from "@fairlead/protocol";
import type { VersionQuestion } from "../../processes/index.ts";

export interface ProgramNeed extends VersionQuestion {
  /** The oldest that will do. */
  readonly from: string;
  /** The first one that isn't known. */
  readonly before?: string;
}

const helm: ProgramNeed = {
  name: "helm",
  args: ["version", "--short"],
  answer: /^v(\d+\.\d+\.\d+)/,
  from: "3.17.0",
  before: "5.0.0",
};
const tofu: ProgramNeed = {
  name: "tofu",
  args: ["version"],
  answer: /^OpenTofu v(\d+\.\d+\.\d+)/,
  from: "1.10.0",
  before: "2.0.0",
};
const git: ProgramNeed = {
  name: "git",
  args: ["--version"],
  answer: /^git version (\d+\.\d+\.\d+)/,
  from: "2.39.0",
};

export const programNeeds: Readonly<Record<CommandKind, readonly ProgramNeed[]>> = {
  manifests: [],
  helm: [helm],
  tofu: [tofu, git],
  // The kinds of its steps have needs of their own.
  flow: [],
};

export function isFit({ from, before }: ProgramNeed, version: string): boolean {
  return compare(version, from) >= 0 && (before === undefined || compare(version, before) < 0);
}

/** For people. */
export function wantedOf({ from, before }: ProgramNeed): string {
  return before === undefined ? `${from} or newer` : `${from} or newer, below ${before}`;
}

/** Compares versions of three numbers each. */
function compare(one: string, other: string): number {
  const others = other.split(".").map(Number);
  const differences = one.split(".").map((part, index) => Number(part) - (others[index] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}
