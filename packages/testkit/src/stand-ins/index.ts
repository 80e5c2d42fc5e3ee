export { applyStandIns } from "./apply-stand-ins.ts";
