export { toDataAge } from "./ages.ts";
export { type Filter, matchesFilter, toConditions } from "./filter.ts";
export { type ObjectsRoom, openObjects } from "./open.ts";
export { readOrder } from "./order.ts";
export type { ObjectRequest } from "./request.ts";
export { createObjectRoutes } from "./routes.ts";
export { type KindScope, mayList } from "./scope.ts";
export { type ShownKind, toKindTable, toObjectItem, toShownKind } from "./show.ts";
export type { FoundRow, ObjectRow } from "./store.ts";
