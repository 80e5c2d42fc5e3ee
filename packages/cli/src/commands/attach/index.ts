export { addClusterAttach } from "./attach.ts";
