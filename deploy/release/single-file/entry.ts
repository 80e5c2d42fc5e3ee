// The command as one file begins here: its Node is in it, so there is nothing to check first.
import { start } from "fairlead/start";

void start();
