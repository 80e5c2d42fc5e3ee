import type { ApiResource } from "../objects/index.ts";

/** The kinds of an API server at this moment. */
export interface ApiCatalogue {
  /** Each kind once, in the version that the server prefers. */
  readonly resources: readonly ApiResource[];
  /** Group versions whose own server is away: their kinds may be missing above, which doesn't mean they are gone. */
  readonly unavailable: readonly UnavailableApi[];
}

export interface UnavailableApi {
  readonly group: string;
  readonly version: string;
  readonly message: string;
}
