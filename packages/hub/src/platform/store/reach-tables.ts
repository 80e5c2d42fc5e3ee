/** Facts about clusters and their agents that hubs on one database share. */
export interface ReachTables {
  readonly cluster_removal: ClusterRemovalTable;
  readonly link_challenge_key: LinkChallengeKeyTable;
  readonly link_proof: LinkProofTable;
}

export interface ClusterRemovalTable {
  readonly incarnation: string;
  readonly name: string;
  /** PostgreSQL's driver gives a bigint as text where it is too large for a number. */
  readonly revision: number | string;
  readonly removed_at: Date;
}

export interface LinkChallengeKeyTable {
  /** Days since the epoch. */
  readonly day: number;
  readonly secret: Uint8Array;
}

export interface LinkProofTable {
  readonly nonce: string;
  readonly cluster: string;
  readonly ends_at: Date;
}
