export { confirmCertificate, renewCertificate } from "./calls.ts";
export { learnClusterFacts } from "./cluster-facts.ts";
export { type CurrentLink, createCurrentLink, type WelcomedLink } from "./current-link.ts";
export { dialLink } from "./dial.ts";
export { createHubClock, type HubClock } from "./hub-clock.ts";
export { createIntroduction } from "./introduce.ts";
export { createLinkKeeper, type LinkKeeper } from "./keep-links.ts";
export { createSpareConnection, type SpareConnection } from "./spare-connection.ts";
