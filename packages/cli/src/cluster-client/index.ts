export { openKubeClient } from "./open-kube-client.ts";
