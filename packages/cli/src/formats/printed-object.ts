/** What a command prints one or more of. */
export interface PrintedObject {
  /** As `-o name` says it before the slash. */
  readonly type: string;
  /** Default: its `name`, or else its `id`. */
  readonly nameOf?: ((fields: Readonly<Record<string, unknown>>) => string) | undefined;
}
