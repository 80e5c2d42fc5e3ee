/** The certificate authorities of hubs that share a database. */
export interface AuthorityTables {
  readonly authority: AuthorityTable;
  readonly authority_key: AuthorityKeyTable;
}

export interface AuthorityTable {
  readonly fingerprint: string;
  readonly state: "current" | "coming" | "retired";
  readonly certificate_pem: string;
}

export interface AuthorityKeyTable {
  readonly authority: string;
  /** The key encryption key that `sealed_key` is encrypted by. */
  readonly key_id: string;
  readonly sealed_key: string;
  /** The key encryption key that follows that one. */
  readonly replaced_by: string | null;
}
