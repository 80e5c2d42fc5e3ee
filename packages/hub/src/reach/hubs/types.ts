import type { RemoteLink } from "../links/index.ts";

/** Another hub of the same database. */
export interface OtherHub {
  readonly id: string;
  /** HOST:PORT of its agent listener. */
  readonly address: string;
  readonly version: string;
}

/** This hub, as it presents itself to the others. */
export interface OwnHub extends OtherHub {
  /** The number of the newest migration that it knows. */
  readonly schemaVersion: number;
}

/** A hub that was taken for dead joins anew, and what it announced before is void. */
export interface JoinedHub extends OtherHub {
  readonly joined: string;
}

/** A link as the hub that holds it announces it to the others. */
export type AnnouncedLink = Omit<RemoteLink, "link" | "isUp"> & {
  readonly hub: string;
  /** Which time its hub has joined. */
  readonly joined: string;
  /** False while the agent's connection is lost. */
  readonly isConnected: boolean;
  /** The hash of its session's name, by `hashSession`. */
  readonly sessionHash: string | undefined;
};
