// Checks a commit out by the git CLI: shallow, without hooks, filters, submodules and other people's configuration.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, systemClock } from "@fairlead/kernel";
import { sharedFolderMode } from "../processes/index.ts";
import { type GitAddress, readGitAddress } from "./address.ts";
import { gitErrors } from "./errors.ts";
import { prepareAccess } from "./prepare-access.ts";
import { type Git, type GitLimits, type GitPrograms, openGit } from "./run-git.ts";
import type { GitSource } from "./source.ts";
import { checkLinks } from "./tree/check-links.ts";
import { checkListing } from "./tree/check-listing.ts";
import { showPath } from "./tree/show-path.ts";
import { watchSize } from "./tree/watch-size.ts";

export interface CheckOutOptions extends GitSource {
  readonly programs: GitPrograms;
  /** It is made, and has nothing but the tree in the end. */
  readonly folder: string;
  readonly secrets: { resolve(text: string): Promise<string>; conceal(value: string): void };
  /** Throws where the policy of the cluster doesn't let commands use the host. */
  readonly mayUse: (host: string) => void;
  readonly log: { line(text: string): void };
  readonly signal: AbortSignal;
  readonly clock?: Clock | undefined;
  readonly limits?: GitLimits | undefined;
}

export interface CheckedOut {
  readonly folder: string;
  readonly commit: string;
}

export async function checkOut(options: CheckOutOptions): Promise<CheckedOut> {
  const { folder, signal, log, mayUse, limits = defaultLimits, clock = systemClock } = options;
  const address = readGitAddress(options.url);
  mayUse(address.host);
  options.programs.reach?.(address.url);
  await mkdir(folder, { recursive: true, mode: sharedFolderMode });
  await using access = await prepareAccess({ ...options, address });
  const git = openGit({ ...options, address, environment: access.environment, limits, clock });
  await git(["init", "--quiet", "--template=", "."]);
  const commit = options.commit ?? (await resolveRef({ git, address, ref: options.ref ?? "" }));
  await fetchCommit({ git, address, commit, folder, limits, clock });
  const listed = await checkListing({ git, address, submodules: options.submodules ?? "refuse", limits });
  await writeTree({ git, subPaths: options.subPaths, commit });
  signal.throwIfAborted();
  await rm(join(folder, ".git"), { recursive: true, force: true });
  const { lfsFiles } = await checkLinks(folder);
  for (const path of listed.submodules) log.line(`git: the submodule ${showPath(path)} isn't fetched`);
  if (lfsFiles > 0) log.line(`git: ${lfsFiles} files are pointers of Git LFS, whose contents aren't fetched`);
  log.line(`git: ${address.url} at ${commit}`);
  return { folder, commit };
}

/** A branch or a tag at this moment. */
async function resolveRef(options: { readonly git: Git; readonly address: GitAddress; readonly ref: string }) {
  const { git, address, ref } = options;
  const repository = address.url;
  const names = ref.startsWith("refs/") ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`];
  const text = await git(["ls-remote", "--quiet", "--", address.url, ...names.flatMap((name) => [name, `${name}^{}`])]);
  const ids = new Map(text.split("\n").map((line) => line.split("\t").toReversed() as [string, string]));
  // A tag may be an object of its own; then the commit behind it is taken.
  const found = names.flatMap((name) => ids.get(`${name}^{}`) ?? ids.get(name) ?? []);
  const [commit, other = commit] = found;
  if (commit === undefined) throw gitErrors.GIT_COMMIT_MISSING({ repository, what: `branch or tag ${ref}` });
  if (commit !== other) throw gitErrors.GIT_REF_AMBIGUOUS({ repository, ref });
  return commit;
}

async function fetchCommit(options: {
  readonly git: Git;
  readonly address: GitAddress;
  readonly commit: string;
  readonly folder: string;
  readonly limits: GitLimits;
  readonly clock: Clock;
}): Promise<void> {
  const { git, address, commit, folder, limits, clock } = options;
  using size = watchSize({ folder: join(folder, ".git", "objects"), limitBytes: limits.sizeBytes, clock });
  try {
    await git(["fetch", "--quiet", "--depth=1", "--no-tags", "--", address.url, commit], { signal: size.exceeded });
  } catch (error) {
    if (!size.exceeded.aborted) throw error;
    const limit = `${limits.sizeBytes} bytes`;
    throw gitErrors.GIT_TOO_LARGE({ repository: address.url, limit });
  }
  const fetched = (await git(["rev-parse", "--verify", "FETCH_HEAD^{commit}"])).trim();
  if (fetched !== commit) throw gitErrors.GIT_COMMIT_MISSING({ repository: address.url, what: `commit ${commit}` });
}

async function writeTree(options: {
  readonly git: Git;
  readonly subPaths: readonly string[] | undefined;
  readonly commit: string;
}): Promise<void> {
  const { git, subPaths, commit } = options;
  if (subPaths) await git(["sparse-checkout", "set", "--cone", "--end-of-options", ...subPaths]);
  await git(["checkout", "--quiet", "--force", "--detach", commit]);
}

const defaultLimits: GitLimits = { sizeBytes: 512 * 1024 * 1024, files: 100_000, timeMs: 10 * 60_000 };
