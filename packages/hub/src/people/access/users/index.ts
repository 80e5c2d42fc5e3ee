export { openUsers, type Users } from "./users.ts";
