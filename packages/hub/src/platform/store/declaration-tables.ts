/** What the files of `--declarations` have brought about. */
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
  readonly applied_at: Date;
}
