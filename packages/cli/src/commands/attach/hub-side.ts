// The hub's part of it: the cluster's entry, its token, and the address that agents dial.
import { lookup } from "node:dns/promises";
import type { ClusterDetail, HubClient, Join, Labels, Role } from "@fairlead/contract";
import { isFairleadError } from "@fairlead/kernel";
import { attachErrors, otherCluster } from "./errors.ts";

export async function findCluster(
  client: HubClient,
  name: string,
  signal: AbortSignal,
): Promise<ClusterDetail | undefined> {
  try {
    return await client.getCluster(name, { signal });
  } catch (thrown) {
    if (isFairleadError(thrown) && thrown.httpStatus === 404) return undefined;
    throw thrown;
  }
}

/** A name that is another cluster's would send its users elsewhere. */
export function checkSame(
  known: ClusterDetail | undefined,
  { context, found }: { readonly context: string; readonly found: string | undefined },
): void {
  const uid = known?.kubeSystemUid;
  if (!known || !uid || found === undefined || uid === found) return;
  throw otherCluster(known.name, { context, known: uid, found });
}

/** A new cluster with its first token, or one more token for a cluster that is known. */
export async function makeToken(
  client: HubClient,
  options: {
    readonly name: string;
    readonly isKnown: boolean;
    readonly roles: readonly Role[];
    readonly labels: Labels | undefined;
    readonly signal: AbortSignal;
  },
): Promise<Join> {
  const { name, isKnown, roles, labels, signal } = options;
  if (isKnown) return client.createJoinToken(name, { roles }, { signal });
  return (await client.createCluster({ name, labels, roles }, { signal })).join;
}

export async function checkAddress(
  address: string,
  resolve: (host: string) => Promise<unknown> = lookup,
): Promise<void> {
  try {
    await resolve(new URL(address).hostname.replace(/^\[(.*)\]$/, "$1"));
  } catch (thrown) {
    throw attachErrors.CLI_HUB_ADDRESS_UNKNOWN({ address, cause: thrown });
  }
}
