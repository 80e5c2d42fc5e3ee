export { type Balancer, startBalancer } from "./start-balancer.ts";
