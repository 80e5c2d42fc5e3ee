// A global symbol rather than `instanceof`: two copies of this package can meet in one process.
const brand = Symbol.for("fairlead.error");

/** `message` and `hint` are safe to show to anyone. Secrets and internals stay in `cause`. */
export interface FairleadErrorOptions {
  /** Stable, documented in docs/errors.md. */
  readonly code: string;
  readonly message: string;
  /** Tells the reader how to go on. */
  readonly hint?: string | undefined;
  /** Status for an HTTP answer; 500 unless told. */
  readonly httpStatus?: number | undefined;
  /** True when the same call may succeed later without a change. */
  readonly retryable?: boolean | undefined;
  readonly cause?: unknown;
}

/**
 * A code to show and to send. The compiler refuses to compare it with a text, since nobody would notice a misspelt one:
 * `is` of the table that declares the code tells errors apart.
 */
export type ErrorCode = UncomparedText & { readonly startsWith: never };

/** TypeScript takes an enumeration for a string, but for no literal that isn't one of its own. */
declare enum UncomparedText {
  One = "one",
  Other = "other",
}

/** The one base of all errors that Fairlead makes. Told apart by `code`, never by class. */
export class FairleadError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly httpStatus: number;
  readonly retryable: boolean;

  constructor(options: FairleadErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code as ErrorCode;
    this.hint = options.hint;
    this.httpStatus = options.httpStatus ?? 500;
    this.retryable = options.retryable ?? false;
  }

  static {
    Object.defineProperty(FairleadError.prototype, "name", { value: "FairleadError" });
    Object.defineProperty(FairleadError.prototype, brand, { value: true });
  }
}

export function isFairleadError(value: unknown): value is FairleadError {
  return typeof value === "object" && value !== null && brand in value;
}

/** The short code of a connection's failure (ECONNREFUSED …) where there is one: it says enough and holds no secrets. */
export function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  if (cause instanceof Error) return "code" in cause ? String(cause.code) : cause.message;
  return "unknown reason";
}
