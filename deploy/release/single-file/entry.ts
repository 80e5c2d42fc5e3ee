// The command as one file begins here: its Node is in it, so there is nothing to check first.
import { shieldMemory } from "@fairlead/kernel/launch";
import { start } from "fairlead/start";

shieldMemory();
void start();
