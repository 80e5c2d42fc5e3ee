/** The things that the files of `--declarations` have made. */
export interface DeclarationTables {
  readonly declaration: DeclarationTable;
  readonly declaration_set: DeclarationSetTable;
}

export interface DeclarationTable {
  readonly kind: string;
  readonly name: string;
  readonly file: string;
  readonly withdrawn_at: Date | null;
}

export interface DeclarationSetTable {
  readonly id: boolean;
  readonly digest: string;
  /** When the content was put in force, or when a hub said later that its files have it. */
  readonly applied_at: Date;
}
