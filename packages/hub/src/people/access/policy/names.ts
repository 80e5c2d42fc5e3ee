// Names that the hub gives itself, and no user has.

/** The holder of admin tokens. */
export const adminName = "admin";
export const robotPrefix = "robot:";
