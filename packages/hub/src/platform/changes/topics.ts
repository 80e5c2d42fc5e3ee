/** Topics whose changes are counted. A room that others follow adds its own. */
export type Topic =
  | "access"
  | "sessions"
  | "identities"
  | "clusters"
  | "hubs"
  | "links"
  | "authority"
  | "declarations"
  | "command-keys"
  | "inventory"
  | "inventory-reports"
  | "profiles"
  | "gitops-objects"
  | "gitops-guard";
