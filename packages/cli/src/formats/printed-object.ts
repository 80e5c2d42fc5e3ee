/** The type of the objects that a command prints. */
export interface PrintedObject {
  /** As `-o name` says it before the slash. */
  readonly type: string;
  /** Default: its `name`, or else its `id`. */
  readonly nameOf?: ((fields: Readonly<Record<string, unknown>>) => string) | undefined;
}
