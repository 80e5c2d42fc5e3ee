export { addClusterCommands } from "./cluster.ts";
export { addCompletion } from "./completion.ts";
export { addCredential } from "./credential.ts";
export { addKubeconfig } from "./kubeconfig.ts";
export { addLogin } from "./login.ts";
export { addLogout } from "./logout.ts";
export { addVersion } from "./version.ts";
export { addWhoami } from "./whoami.ts";
