export { createDoctor, type Doctor } from "./examined-feed.ts";
