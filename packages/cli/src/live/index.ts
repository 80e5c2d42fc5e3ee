export { type FollowHandler, followObjects, keyOf, type ObjectKey } from "./follow-objects.ts";
