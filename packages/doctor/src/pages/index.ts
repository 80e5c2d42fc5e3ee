export { type CheckOwner, formatCheckPages } from "./check-pages.ts";
