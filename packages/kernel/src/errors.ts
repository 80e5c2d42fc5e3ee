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

/** The one base of all errors that Fairlead makes. Told apart by `code`, never by class. */
export class FairleadError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  readonly httpStatus: number;
  readonly retryable: boolean;

  constructor(options: FairleadErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
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
