export { describeFix, formatFix, formatManifests } from "./format-fix.ts";
