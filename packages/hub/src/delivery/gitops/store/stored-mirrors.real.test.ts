import { describeMirrors } from "../mirrors.contract.fixture.ts";
import { openStoreBed } from "./stored-objects-bed.fixture.ts";

describeMirrors("the hub's own store", openStoreBed);
