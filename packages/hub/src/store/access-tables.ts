/** Who may use the hub, and what they may do. */
export type AccessTables = {};
