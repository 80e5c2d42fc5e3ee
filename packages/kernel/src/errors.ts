// A global symbol rather than `instanceof`: two copies of this package can meet in one process.
const brand = Symbol.for("fairlead.error");

/** What an error tells: `message` and `hint` are safe to show to anyone; secrets and internals stay in `cause`. */
export interface FairleadErrorOptions {
  /** Stable, documented in docs/errors.md. */
  readonly code: string;
  readonly message: string;
  /** What the reader can do about it. */
  readonly hint?: string | undefined;
  /** Status for an HTTP answer; 500 unless told. */
  readonly httpStatus?: number | undefined;
  /** Whether the same call may succeed later without a change. */
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

/** For every boundary: whatever was thrown becomes a coded error, and its own text stays in `cause`. */
export function toFairleadError(thrown: unknown): FairleadError {
  if (isFairleadError(thrown)) return thrown;
  return new FairleadError({
    code: "INTERNAL",
    message: "Something unexpected went wrong.",
    hint: "The log of the process has the details under the same request id.",
    cause: thrown,
  });
}
