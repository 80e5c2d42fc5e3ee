// A link as its hub writes it down for the others, and as they read it.
import { FairleadError } from "@fairlead/kernel";
import type { LiveLink } from "../links/index.ts";
import type { AnnouncedLink } from "./types.ts";

export type AnnounceableLink = LiveLink & { readonly peer: { readonly keyThumbprint: string } };

/** The part of it that the column `facts` holds, as JSON. */
export function formatFacts(link: AnnounceableLink, sessionHash: string | undefined): string {
  const { roles, connectedAt, notAfter, remoteAddress, hello, refusal, isDraining, peer, issuer } = link;
  return JSON.stringify({
    roles,
    connectedAt,
    notAfter,
    remoteAddress,
    hello,
    isDraining,
    sessionHash,
    issuer,
    keyThumbprint: peer.keyThumbprint,
    isConnected: link.link.state === "up",
    refusal: refusal && { code: refusal.code, message: refusal.message, hint: refusal.hint },
  });
}

/** Leaves out facts that a newer hub has added. */
export function readFacts(row: AnnouncedLinkRow): AnnouncedLink {
  const { id, hub, joined, cluster } = row;
  const {
    roles,
    connectedAt,
    notAfter,
    remoteAddress,
    hello,
    isDraining,
    isConnected,
    keyThumbprint,
    sessionHash,
    issuer,
  } = row.facts as Facts;
  const { refusal } = row.facts as Facts;
  return {
    id,
    hub,
    joined,
    cluster,
    roles,
    connectedAt,
    notAfter,
    remoteAddress,
    hello,
    isDraining,
    isConnected,
    keyThumbprint,
    sessionHash,
    issuer,
    refusal: refusal && new FairleadError({ ...refusal, httpStatus: 503 }),
  };
}

export interface AnnouncedLinkRow extends Pick<AnnouncedLink, "id" | "hub" | "joined" | "cluster"> {
  readonly facts: unknown;
}

type Facts = Omit<AnnouncedLink, keyof AnnouncedLinkRow | "refusal"> & {
  readonly refusal?: { readonly code: string; readonly message: string; readonly hint?: string };
};
