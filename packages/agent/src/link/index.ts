export { renewCertificate, type Self, sayHello } from "./calls.ts";
export { type ClusterFacts, learnClusterFacts } from "./cluster-facts.ts";
export { type CurrentLink, createCurrentLink } from "./current-link.ts";
export { dialLink } from "./dial.ts";
export { createLinkKeeper, type LinkKeeper } from "./keep-links.ts";
