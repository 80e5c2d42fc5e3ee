import type { ApiResource } from "./api-resource.ts";

/** What an API server has at this moment. */
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
