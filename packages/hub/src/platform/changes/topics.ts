/** What changes are counted for. A room that others follow adds its own. */
export type Topic =
  | "access"
  | "sessions"
  | "admin-tokens"
  | "identities"
  | "clusters"
  | "hubs"
  | "links"
  | "authority"
  | "declarations"
  | "inventory"
  | "inventory-reports";
