// Each side says in SETTINGS what it is, at the start of a link.
import { wireErrors } from "./errors.ts";
import { maxHeadBytes } from "./frame-types.ts";
import { isCount, parseObject } from "./json.ts";
import { isSessionId } from "./resume.ts";

export interface PeerSettings {
  /** Link protocol versions that the sender speaks. */
  readonly versions: readonly number[];
  /** Streams that the sender lets us have open at once. */
  readonly streams: number;
  /** The sender can go on with the link on another connection. */
  readonly resume: boolean;
  /** The link's name, given by the side that was dialled when both resume. It is as good as a key: never shown. */
  readonly session?: string | undefined;
  /** Connections that the sender takes for one link. */
  readonly lanes: number;
  /** The largest head, as JSON, that the sender takes. Beyond one frame it travels in parts. */
  readonly headBytes: number;
}

export const protocolVersions: readonly number[] = [1];

/** Holds until the peer's SETTINGS are here. */
export const defaultPeerSettings: PeerSettings = {
  versions: [1],
  streams: 10_000,
  resume: false,
  lanes: 1,
  headBytes: maxHeadBytes,
};

export function formatSettings(settings: PeerSettings): string {
  return JSON.stringify(settings);
}

/** Lenient but for its shape: what is missing keeps the default that every peer of this protocol has. */
export function parseSettings(json: string): PeerSettings {
  const value = parseObject(json);
  if (!value) throw wireErrors.LINK_FRAME_INVALID({ text: "settings" });
  const { versions = [1], streams, resume, session, lanes, headBytes } = value;
  if (!Array.isArray(versions) || !versions.every(isCount))
    throw wireErrors.LINK_FRAME_INVALID({ text: "settings: versions" });
  return {
    versions,
    streams: isCount(streams) ? streams : defaultPeerSettings.streams,
    resume: resume === true,
    session: isSessionId(session) ? session : undefined,
    lanes: isCount(lanes) && lanes > 0 ? lanes : 1,
    headBytes: isCount(headBytes) ? Math.max(headBytes, maxHeadBytes) : maxHeadBytes,
  };
}
