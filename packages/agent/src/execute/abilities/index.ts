export { type Abilities, findAbilities } from "./abilities.ts";
