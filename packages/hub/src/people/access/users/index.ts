export { createUserStore } from "./store.ts";
export { openUsers, type Users } from "./users.ts";
