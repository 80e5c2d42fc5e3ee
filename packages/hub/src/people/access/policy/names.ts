// Names that the hub gives itself, and no user has.

/** Who holds the token of the first start. */
export const adminName = "admin";
export const robotPrefix = "robot:";
