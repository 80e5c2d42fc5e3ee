export { openProfiles, type ProfilesRoom } from "./open.ts";
export type { ExamineOrder, ExamineOrders } from "./orders.ts";
